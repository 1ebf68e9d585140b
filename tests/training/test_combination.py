"""Weights of several classifiers, fitted on validation."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import functional as F

from highwaygraph.training.combination import PRIOR_VARIANCE, fit_experts, shared_prior


def experts(seed: int, nodes: int = 60, classes: int = 4, strengths=(2.0, 1.0, 0.0)):
    """Return classifiers that favour the right class by these strengths, with noise of their own."""
    rng = torch.Generator().manual_seed(seed)
    labels = torch.randint(classes, (nodes,), generator=rng)
    truth = F.one_hot(labels, classes).float()
    logits = {
        str(i): strength * truth + torch.randn(nodes, classes, generator=rng) for i, strength in enumerate(strengths)
    }
    return logits, labels


def posterior(logits, labels, found, weights) -> float:
    """Return the negative log-posterior by a loop over nodes, with the temperatures that were found."""
    total = sum((w - float(name == "0")) ** 2 for name, w in weights.items()) / (2 * PRIOR_VARIANCE)
    for node, label in enumerate(labels.tolist()):
        mixed = sum(
            weights[name] * (one[node].double() / found[name].temperature).log_softmax(0)
            for name, one in logits.items()
        )
        total -= float(mixed.log_softmax(0)[label])
    return total


@given(st.integers(0, 1000))
def test_no_other_weights_are_more_probable(seed) -> None:
    logits, labels = experts(seed)
    found = fit_experts(logits, labels, {"0": 1.0})
    weights = {name: one.weight for name, one in found.items()}
    best = posterior(logits, labels, found, weights)
    for name in weights:
        for step in (-0.02, 0.02):
            moved = weights | {name: max(weights[name] + step, 0.0)}
            assert posterior(logits, labels, found, moved) >= best - 1e-3


def test_a_useful_classifier_gets_weight_and_a_useless_one_little() -> None:
    logits, labels = experts(0, nodes=600)
    found = fit_experts(logits, labels, {"0": 1.0})
    assert found["0"].weight > found["1"].weight > 0.2
    assert found["2"].weight < 0.1


def test_few_nodes_leave_the_reference_as_it_is() -> None:
    logits, labels = experts(0, nodes=2)
    found = fit_experts(logits, labels, {"0": 1.0})
    assert found["0"].weight == pytest.approx(1.0, abs=0.3)
    assert found["1"].weight < 0.3


def test_the_scale_of_the_logits_has_no_effect() -> None:
    logits, labels = experts(3)
    # Temperatures are this factor apart.
    scaled = {name: 10**0.11 * one for name, one in logits.items()}
    ours, theirs = (fit_experts(one, labels, {"0": 1.0}) for one in (logits, scaled))
    for name in logits:
        assert ours[name].weight == pytest.approx(theirs[name].weight, abs=0.05)


def test_weights_are_never_negative() -> None:
    logits, labels = experts(1, strengths=(2.0, -2.0))
    assert fit_experts(logits, labels, {"0": 1.0})["1"].weight == 0.0


def test_the_shared_prior_follows_many_nodes_and_keeps_to_the_expectation_with_few() -> None:
    torch.manual_seed(0)
    noise = torch.randn(400)
    behind = {
        "round": 0.8 * (noise - noise.mean()) - 0.1,
        "simple": torch.zeros(400),
        "worst": torch.full((400,), -2.0),
    }
    many, few = shared_prior(behind, "round"), shared_prior({k: v[:6] for k, v in behind.items()}, "round")
    assert set(many) == {"round", "simple"}
    assert many["simple"] > 0.9
    assert few["round"] > many["round"]
    assert sum(many.values()) == pytest.approx(1.0)


def test_equal_scores_of_all_nodes_give_the_reference_its_expected_advantage() -> None:
    found = shared_prior({"round": torch.zeros(9), "simple": torch.zeros(9)}, "round")
    assert 0.5 <= found["round"] < 0.51
