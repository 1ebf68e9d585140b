import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from highwaygraph.nn.functional import sharpen
from highwaygraph.training.consistency import align_prior, class_weights, consistency_loss, estimate_prior


def random_logits(seed: int, nodes: int = 20, classes: int = 4) -> torch.Tensor:
    return 2 * torch.randn(nodes, classes, generator=torch.Generator().manual_seed(seed))


def test_sharpening_keeps_sums_and_order_and_accepts_zeros() -> None:
    probs = torch.tensor([[0.6, 0.4, 0.0], [0.2, 0.2, 0.6]])
    sharp = sharpen(probs, 0.5)
    torch.testing.assert_close(sharp[0], torch.tensor([0.36, 0.16, 0.0]) / 0.52)
    torch.testing.assert_close(sharp.sum(dim=1), torch.ones(2))


def test_the_loss_is_zero_for_equal_and_confident_passes() -> None:
    confident = 50.0 * torch.eye(3)[torch.arange(9) % 3]
    assert consistency_loss(torch.stack([confident, confident]), 0.5, None).value == pytest.approx(0.0, abs=1e-6)
    assert consistency_loss(torch.stack([confident, confident.roll(1, dims=0)]), 0.5, None).value > 1


@given(st.integers(0, 10**6), st.sampled_from([0.3, 0.5, 1.0]))
def test_the_loss_matches_a_loop_over_nodes(seed, temperature) -> None:
    logits = [random_logits(seed), random_logits(seed + 1)]
    total = 0.0
    for node in range(20):
        probs = [one[node].softmax(0) for one in logits]
        target = (sum(probs) / 2) ** (1 / temperature)
        target = target / target.sum()
        total += sum(float((target * (target.log() - p.log())).sum()) for p in probs) / 2
    found = consistency_loss(torch.stack(logits), temperature, None).value
    assert found == pytest.approx(total / 20, rel=1e-3, abs=1e-5)


@given(st.integers(0, 10**6), st.integers(1, 3), st.booleans())
def test_the_gradient_is_that_of_autograd_with_constant_targets(seed, views, aligned) -> None:
    logits = torch.stack([random_logits(seed + view) for view in range(views)]).requires_grad_()
    prior = torch.tensor([0.4, 0.3, 0.2, 0.1]) if aligned else None
    mean = logits.detach().softmax(dim=2).mean(dim=0)
    target = sharpen(mean if prior is None else align_prior(mean, prior), 0.5)
    loss = torch.stack([F.kl_div(one.log_softmax(dim=1), target, reduction="batchmean") for one in logits]).mean()
    loss.backward()
    found = consistency_loss(logits, 0.5, prior)
    assert found.value == pytest.approx(loss.item(), rel=1e-3, abs=1e-5)
    torch.testing.assert_close(found.gradient, logits.grad, atol=1e-6, rtol=1e-3)


def test_extreme_logits_give_a_finite_loss() -> None:
    extreme = torch.tensor([[[500.0, -500.0, 0.0]], [[-500.0, 500.0, 0.0]]])
    found = consistency_loss(extreme, 0.5, torch.tensor([1.0, 0.0, 0.0]))
    assert torch.isfinite(found.gradient).all()
    assert 0 < found.value < float("inf")


def test_alignment_moves_the_mean_towards_the_prior() -> None:
    probs, prior = random_logits(3, 500).softmax(1), torch.tensor([0.7, 0.1, 0.1, 0.1])
    aligned = align_prior(probs, prior)
    torch.testing.assert_close(aligned.sum(1), torch.ones(500))
    assert (aligned.mean(0) - prior).abs().sum() < (probs.mean(0) - prior).abs().sum() / 2


def test_the_prior_is_corrected_by_the_confusion_on_validation() -> None:
    # Three of four nodes are of class 0, but a fifth of class 0 is predicted to be of class 1.
    truth = torch.cat([torch.zeros(750), torch.ones(250)]).long()
    predicted = truth.clone()
    predicted[:150] = 1
    probs = torch.eye(2)[predicted] * 0.98 + 0.01
    val = torch.cat([torch.arange(100, 200), torch.arange(800, 900)])
    found = estimate_prior(probs, probs[val], truth[val])
    assert abs(float(found[0]) - 0.75) < abs(float(probs.mean(0)[0]) - 0.75)
    assert float(found.sum()) == pytest.approx(1.0)
    # A class without validation nodes counts as never confused.
    assert torch.isfinite(estimate_prior(probs, probs[val[:100]], truth[val[:100]])).all()


def test_weights_give_a_balanced_set_the_prior() -> None:
    labels = torch.tensor([0, 0, 1, 1])
    weights = class_weights(torch.tensor([0.75, 0.25]), labels)
    assert weights.tolist() == [1.5, 1.5, 0.5, 0.5]
