import math
from itertools import permutations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from highwaygraph.training.pairs import joint_loss, pair_logits, pair_loss, pair_targets, sample_pairs


def rng() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def loss_by_loops(logits, labels, pairs, positive_weight) -> float:
    """Eq. 9 and 11 as a plain loop."""
    same = [int(labels[i] == labels[j]) for i, j in pairs]
    positives, negatives = sum(same), len(same) - sum(same)
    if positive_weight == "balanced":
        positive_weight = negatives / positives if positives and negatives else 1.0
    total = 0.0
    for (i, j), r in zip(pairs, same, strict=True):
        dot = sum(float(a) * float(b) for a, b in zip(logits[i], logits[j], strict=True))
        probability = 1 / (1 + math.exp(-dot))
        total -= positive_weight * r * math.log(probability) + (1 - r) * math.log(1 - probability)
    return total / len(pairs)


def loss_of(logits, labels, pairs, positive_weight) -> float:
    return pair_loss(logits, pair_targets(labels, pairs, positive_weight)).item()


@given(st.integers(2, 7), st.integers(1, 4), st.integers(0, 1000), st.sampled_from(["balanced", 1.0, 3.5]))
def test_loss_matches_the_double_loop(nodes, classes, seed, positive_weight) -> None:
    generator = torch.Generator().manual_seed(seed)
    logits = torch.randn(nodes, classes, generator=generator)
    labels = torch.randint(classes, (nodes,), generator=generator)
    pairs = sample_pairs(nodes, "all", 0, generator)
    both_orders = list(permutations(range(nodes), 2))
    expected = loss_by_loops(logits, labels, both_orders, positive_weight)
    assert loss_of(logits, labels, pairs, positive_weight) == pytest.approx(expected, rel=1e-4)


def test_loss_matches_the_loop_on_a_sample_with_repeats() -> None:
    logits, labels = torch.randn(6, 3, generator=rng()), torch.tensor([0, 0, 1, 1, 2, 2])
    pairs = sample_pairs(6, "random", 100, rng())
    expected = loss_by_loops(logits, labels, pairs.T.tolist(), "balanced")
    assert loss_of(logits, labels, pairs, "balanced") == pytest.approx(expected, rel=1e-5)


def test_few_pairs_of_many_nodes_are_a_list() -> None:
    logits, labels = torch.randn(30, 3, generator=rng()), torch.arange(30) % 3
    pairs = sample_pairs(30, "random", 40, rng())
    assert pair_targets(labels, pairs).weight.shape == (40,)
    expected = loss_by_loops(logits, labels, pairs.T.tolist(), "balanced")
    assert loss_of(logits, labels, pairs, "balanced") == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("strategy", ["all", "random"])
def test_the_closed_form_gradient_matches_autograd(strategy) -> None:
    labels, pairs = torch.arange(8) % 3, sample_pairs(8, strategy, 0, rng())
    ours = torch.randn(8, 3, generator=rng(), requires_grad=True)
    theirs = ours.detach().clone().requires_grad_()
    targets = pair_targets(labels, pairs)
    assert targets.weight.shape == (8, 8)
    joint = joint_loss(ours, labels, targets, 0.6)
    same = (labels[pairs[0]] == labels[pairs[1]]).float()
    weight = (len(same) - same.sum()) / same.sum()
    torch_pair = F.binary_cross_entropy_with_logits(pair_logits(theirs, pairs), same, pos_weight=weight)
    expected = F.cross_entropy(theirs, labels) + 0.6 * torch_pair
    expected.backward()
    assert joint.value == pytest.approx(expected.item(), rel=1e-5)
    assert joint.pair == pytest.approx(torch_pair.item(), rel=1e-5)
    torch.testing.assert_close(joint.gradient, theirs.grad)


def test_pairs_refer_to_the_first_rows_only() -> None:
    labels, pairs = torch.arange(12) % 3, sample_pairs(8, "all", 0, rng())
    logits = torch.randn(12, 3, generator=rng())
    leaf = logits.clone().requires_grad_()
    targets = pair_targets(labels[:8], pairs)
    joint = joint_loss(logits, labels, targets, 0.6)
    expected = F.cross_entropy(leaf, labels) + 0.6 * pair_loss(leaf[:8], targets)
    expected.backward()
    assert joint.value == pytest.approx(expected.item(), rel=1e-5)
    torch.testing.assert_close(joint.gradient, leaf.grad)


def test_the_joint_loss_of_a_list_of_pairs() -> None:
    logits, labels = torch.randn(30, 3, generator=rng(), requires_grad=True), torch.arange(30) % 3
    targets = pair_targets(labels, sample_pairs(30, "random", 40, rng()))
    joint = joint_loss(logits, labels, targets, 2.0)
    assert joint.value == pytest.approx(F.cross_entropy(logits, labels).item() + 2 * joint.pair, rel=1e-5)
    (F.cross_entropy(logits, labels) + 2 * pair_loss(logits, targets)).backward()
    torch.testing.assert_close(joint.gradient, logits.grad)


def test_large_logits_do_not_overflow() -> None:
    logits = torch.tensor([[60.0, -60.0], [-60.0, 60.0]], requires_grad=True)
    targets = pair_targets(torch.tensor([0, 0]), sample_pairs(2, "all", 0, rng()))
    joint = joint_loss(logits, torch.tensor([0, 0]), targets, 1.0)
    assert math.isfinite(joint.value)
    assert torch.isfinite(joint.gradient).all()
    assert joint.gradient.abs().min() > 10


def test_pair_logits_are_dot_products() -> None:
    logits = torch.tensor([[1.0, 2.0], [3.0, -1.0], [0.0, 4.0]])
    assert pair_logits(logits, torch.tensor([[0, 1], [1, 2]])).tolist() == [1.0, -4.0]


def test_pairs_may_all_be_positive_or_all_negative() -> None:
    logits = torch.randn(3, 2, generator=rng(), requires_grad=True)
    for labels in (torch.tensor([0, 0, 0]), torch.tensor([0, 1, 2])):
        assert torch.isfinite(pair_loss(logits, pair_targets(labels, sample_pairs(3, "all", 0, rng()))))


def test_a_single_node_has_no_pairs_and_zero_loss() -> None:
    logits = torch.randn(1, 2, requires_grad=True)
    for strategy in ("all", "lead", "random", "close"):
        pairs = sample_pairs(1, strategy, 5, rng(), torch.zeros(1, 1, dtype=torch.long))
        loss = pair_loss(logits, pair_targets(torch.tensor([0]), pairs))
        loss.backward()
        assert loss.item() == 0.0
        assert logits.grad.abs().sum() == 0


def test_all_is_every_unordered_pair_once() -> None:
    assert sample_pairs(3, "all", 0, rng()).T.tolist() == [[0, 1], [0, 2], [1, 2]]


def test_lead_takes_the_first_pairs_cyclically() -> None:
    assert sample_pairs(3, "lead", 8, rng()).T.tolist() == [
        [0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1], [0, 1], [0, 2],
    ]  # fmt: skip


@given(st.integers(2, 9), st.sampled_from(["lead", "random", "close", "middle", "remote"]), st.integers(0, 40))
def test_samples_are_pairs_of_different_nodes(nodes, strategy, limit) -> None:
    distance = torch.randint(-1, 5, (nodes, nodes), generator=rng())
    pairs = sample_pairs(nodes, strategy, limit, rng(), distance)
    assert pairs.shape == (2, limit or nodes * (nodes - 1))
    assert (pairs[0] != pairs[1]).all()
    assert pairs.min() >= 0
    assert pairs.max() < nodes


def mean_distance(strategy: str, distance: torch.Tensor) -> float:
    i, j = sample_pairs(len(distance), strategy, 20_000, rng(), distance)
    return float(distance[i, j].double().mean())


def spread_of_distance(strategy: str, distance: torch.Tensor) -> float:
    i, j = sample_pairs(len(distance), strategy, 20_000, rng(), distance)
    return float(distance[i, j].double().std())


def test_strategies_prefer_their_distance() -> None:
    place = torch.arange(20)
    distance = (place[:, None] - place[None, :]).abs()
    close, random, remote = (mean_distance(s, distance) for s in ("close", "random", "remote"))
    assert close < random - 1
    assert random + 1 < remote
    assert spread_of_distance("middle", distance) < spread_of_distance("random", distance)


def test_pairs_without_a_path_count_as_the_most_remote() -> None:
    distance = torch.tensor([[0, 1, -1], [1, 0, -1], [-1, -1, 0]])
    i, j = sample_pairs(3, "remote", 3000, rng(), distance)
    assert (distance[i, j] == -1).double().mean() > 0.75


def test_distance_strategies_need_distances() -> None:
    with pytest.raises(ValueError, match="needs the distances"):
        sample_pairs(3, "close", 5, rng())
