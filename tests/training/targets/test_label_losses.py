import math

import pytest
import torch

from highwaygraph.config import Pairs
from highwaygraph.training.labelled_loss import labelled_loss
from highwaygraph.training.pairs import pair_loss, sample_pairs
from highwaygraph.training.targets.label_losses import (
    label_consistency_loss,
    label_part,
    label_weights,
    shared_label_targets,
)


def example(seed: int = 0, nodes: int = 9, labels: int = 4) -> tuple[torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    return 2 * torch.randn(nodes, labels, generator=draw), (torch.rand(nodes, labels, generator=draw) < 0.4).long()


def sigmoid(value: float) -> float:
    return 1 / (1 + math.exp(-value))


@pytest.mark.parametrize("weighted", [False, True])
def test_the_node_loss_is_a_double_loop_over_nodes_and_labels(weighted) -> None:
    logits, labels = example()
    weights = label_weights(labels) if weighted else None
    total = 0.0
    for i, row in enumerate(logits.tolist()):
        for j, value in enumerate(row):
            p = sigmoid(value)
            factor = 1.0 if weights is None else float(weights[i, j])
            total -= factor * math.log(p if labels[i, j] else 1 - p)
    loss = label_part(logits, labels, weights)
    assert loss.value == pytest.approx(total / len(logits), rel=1e-5)
    leaf = logits.clone().requires_grad_()
    each = torch.nn.functional.binary_cross_entropy_with_logits(leaf, labels.float(), weights, reduction="sum")
    (each / len(labels)).backward()
    assert torch.allclose(loss.gradient, leaf.grad, atol=1e-6)


def test_label_weights_balance_the_nodes_with_and_without_a_label() -> None:
    labels = torch.tensor([[1, 1, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0]])
    weights = label_weights(labels)
    assert weights[0, 0].item() == pytest.approx(weights[1:, 0].sum().item()) == pytest.approx(2)
    assert weights[:, 1:].unique().tolist() == [1]


@pytest.mark.parametrize("sampled", [False, True])
def test_pairs_are_positive_where_they_share_a_label(sampled) -> None:
    logits, labels = example(1, nodes=20)
    strategy, limit = ("random", 30) if sampled else ("all", 0)
    pairs = sample_pairs(20, strategy, limit, torch.Generator().manual_seed(0))
    targets = shared_label_targets(labels, pairs)
    shared = [any(a and b for a, b in zip(labels[i].tolist(), labels[j].tolist(), strict=True)) for i, j in pairs.T]
    positive = (len(shared) - sum(shared)) / sum(shared)
    expected = 0.0
    for (i, j), same in zip(pairs.T.tolist(), shared, strict=True):
        p = sigmoid(float(logits[i] @ logits[j]))
        expected -= positive * math.log(max(p, 1e-30)) if same else math.log(max(1 - p, 1e-30))
    assert pair_loss(logits.double(), targets).item() == pytest.approx(expected / len(shared), rel=1e-3)


def test_both_losses_are_added_with_the_weight_of_the_pairs() -> None:
    logits, labels = example(2)
    targets = shared_label_targets(labels, sample_pairs(9, "all", 0, torch.Generator()))
    found = labelled_loss(logits, labels, None, targets, Pairs(weight=0.3), node_loss=label_part)
    expected = label_part(logits, labels, None).value + 0.3 * pair_loss(logits, targets).item()
    assert found.value == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 2.0])
def test_the_consistency_loss_is_a_loop_over_passes_nodes_and_labels(temperature) -> None:
    views = 2 * torch.randn(3, 5, 4, generator=torch.Generator().manual_seed(3))
    probs = views.double().sigmoid()
    mean = probs.mean(dim=0)
    target, total = torch.zeros(5, 4, dtype=torch.double), 0.0
    for label in range(4):
        centre = math.log(mean[:, label].mean() / (1 - mean[:, label].mean()))
        for node in range(5):
            own = math.log(mean[node, label] / (1 - mean[node, label]))
            q = sigmoid(centre + (own - centre) / temperature)
            target[node, label] = q
            for view in range(3):
                p = float(probs[view, node, label])
                total += q * math.log(q / p) + (1 - q) * math.log((1 - q) / (1 - p))
    loss = label_consistency_loss(views, temperature)
    assert loss.value == pytest.approx(total / (3 * 5), rel=1e-4)
    # No gradient flows through the targets.
    assert torch.allclose(loss.gradient.double(), (probs - target) / (3 * 5), atol=1e-6)


def test_equal_passes_at_temperature_one_have_no_loss() -> None:
    views = torch.randn(5, 4, generator=torch.Generator().manual_seed(4)).expand(2, -1, -1)
    loss = label_consistency_loss(views, 1.0)
    assert loss.value == pytest.approx(0, abs=1e-5)
    assert loss.gradient.abs().max() < 1e-6


def test_sharpening_keeps_the_label_of_rare_positives() -> None:
    # A node far above the label's frequency is pulled up although its probability is below one half.
    views = torch.full((2, 50, 1), -4.0)
    views[:, 0] = -0.5
    gradient = label_consistency_loss(views, 0.5).gradient
    assert gradient[0, 0].item() < 0
    assert gradient[0, 1].item() > 0
