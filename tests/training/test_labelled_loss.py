"""The strength of the pair loss does not grow with the number of classes or the size of the logits."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from highwaygraph.config import Pairs
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.history import Epoch
from highwaygraph.training.engine import train
from highwaygraph.training.labelled_loss import labelled_loss, node_part, pair_part
from highwaygraph.training.labelled_loss import pair_scale as scale_of
from highwaygraph.training.pairs import pair_loss, pair_targets, sample_pairs
from highwaygraph.training.targets.single_label import SINGLE_LABEL
from tests.helpers.graphs import block_graph

# Strengths lie within this factor of each other, from 2 to 70 classes.
FACTOR = 2.0


def problem(classes, size, seed, labels=5):
    """Return logits that favour the right class, with noise; their labels and the targets of their pairs."""
    rng = torch.Generator().manual_seed(seed)
    y = torch.arange(classes).repeat_interleave(labels)
    logits = size * (F.one_hot(y).float() + 0.5 * torch.randn(len(y), classes, generator=rng))
    return logits, y, pair_targets(y, sample_pairs(len(y), "all", 0, rng))


def norms(logits, labels, targets, weights=None) -> tuple[float, float]:
    """Return the norms of the gradients of the node loss and of the pair loss, by autograd."""
    leaf = logits.clone().requires_grad_()
    losses = SINGLE_LABEL.node_loss(leaf, labels, weights), pair_loss(leaf, targets)
    node, pair = (torch.autograd.grad(loss, leaf)[0].norm().item() for loss in losses)
    return node, pair


def pair_scale(logits, labels, targets, weights=None) -> float:
    return scale_of(node_part(logits, labels, weights).gradient, pair_part(logits, targets).gradient)


def strength(logits, labels, targets) -> float:
    node, pair = norms(logits, labels, targets)
    return pair_scale(logits, labels, targets) * pair / node


@given(st.integers(2, 70), st.floats(0.05, 20), st.integers(0, 1000))
def test_the_pair_loss_is_never_stronger_than_the_node_loss(classes, size, seed) -> None:
    logits, labels, targets = problem(classes, size, seed)
    node, pair = norms(logits, labels, targets)
    scale = pair_scale(logits, labels, targets)
    assert scale == pytest.approx(min(1.0, node / pair), rel=1e-3)
    assert scale * pair <= 1.001 * node


@pytest.mark.parametrize("size", [0.1, 0.3, 1.0, 3.0, 10.0])
def test_the_strength_is_alike_from_2_to_70_classes(size) -> None:
    found = [strength(*problem(classes, size, 0, labels=20)) for classes in (2, 3, 7, 19, 40, 70)]
    assert max(found) < FACTOR * min(found)
    assert max(found) <= 1.001


def test_the_unscaled_strength_grows_with_the_logits() -> None:
    (node, pair), (large_node, large_pair) = (norms(*problem(19, size, 0)) for size in (1.0, 10.0))
    assert large_pair / large_node > 5 * pair / node


@pytest.mark.parametrize("count", [10, 15])
def test_a_list_of_pairs_and_pseudo_labels_have_the_same_rule(count) -> None:
    logits, labels, _ = problem(3, 4.0, 0)
    pairs = sample_pairs(count, "random", 12, torch.Generator().manual_seed(0))
    targets = pair_targets(labels[:count], pairs)
    weights = torch.linspace(0.5, 1.5, len(labels))
    node, pair = norms(logits, labels, targets, weights)
    assert pair_scale(logits, labels, targets, weights) == pytest.approx(min(1.0, node / pair), rel=1e-4)


@given(st.integers(0, 1000), st.booleans(), st.booleans(), st.sampled_from(["none", "node"]))
def test_the_closed_form_is_that_of_autograd(seed, weighted, sampled, scale) -> None:
    logits, labels, targets = problem(4, 3.0, seed)
    if sampled:
        # The pairs of the first nodes only, as a list.
        rng = torch.Generator().manual_seed(seed)
        targets = pair_targets(labels[:12], sample_pairs(12, "random", 9, rng))
    weights = torch.linspace(0.5, 1.5, len(labels)) if weighted else None
    leaf = logits.clone().requires_grad_()
    node, pair = SINGLE_LABEL.node_loss(leaf, labels, weights), pair_loss(leaf, targets)
    weight = 0.3 * (pair_scale(logits, labels, targets, weights) if scale == "node" else 1.0)
    (node + weight * pair).backward()
    found = labelled_loss(logits, labels, weights, targets, Pairs(weight=0.3, scale=scale))
    assert found.value == pytest.approx((node + weight * pair).item(), rel=1e-4)
    assert found.pair == pytest.approx(pair.item(), rel=1e-4)
    torch.testing.assert_close(found.gradient, leaf.grad, atol=1e-6, rtol=1e-3)


def test_without_pairs_nothing_is_scaled() -> None:
    labels = torch.tensor([0])
    assert (
        pair_scale(torch.randn(1, 2), labels, pair_targets(labels, sample_pairs(1, "all", 0, torch.Generator()))) == 1
    )


# Without class weights, `full` limits the logarithm in its pair loss, which scaled losses do not.
@pytest.mark.parametrize(("preset", "class_weights"), [("full", "balanced"), ("plus", "balanced"), ("plus", "none")])
def test_large_features_do_not_make_the_pair_loss_dominate(preset, class_weights) -> None:
    data = block_graph()
    data.x = 30 * data.x
    short = {"fit.epochs": 1, "fit.features": "raw", "fit.device": "cpu", "fit.class_weights": class_weights}
    config = override(PRESETS[preset], short | {"pairs.weight": 1.0, "highway.rounds": 1})

    def first(scale) -> Epoch:
        return train(build("gcn", data, hidden=8), data, override(config, {"pairs.scale": scale}), seed=0).history[0]

    scaled, unscaled = first("node"), first("none")
    assert scaled.pair_loss == pytest.approx(unscaled.pair_loss, rel=1e-5)
    # Of the pair loss, less than a fifth is left.
    assert unscaled.loss - scaled.loss > 0.8 * unscaled.pair_loss


def test_the_presets_of_the_paper_keep_equation_11() -> None:
    assert {name: PRESETS[name].pairs.scale for name in PRESETS} == {
        "typical": "none",
        "without-explicit": "none",
        "without-joint": "none",
        "full": "none",
        "consistent": "none",
        "plus": "node",
    }
