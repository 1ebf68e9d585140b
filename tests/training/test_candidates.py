"""The choice of the answer on validation."""

import pytest
import torch
from sklearn.metrics import balanced_accuracy_score, f1_score

from highwaygraph.training.candidates import Comparison, choose, compare, node_scores


def _logits(count: int, accuracy: float, seed: int, classes: int = 3) -> tuple[torch.Tensor, torch.Tensor]:
    """Return labels, and logits that are right with a probability."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(count) % classes
    right = torch.rand(count, generator=generator) < accuracy
    predicted = torch.where(right, labels, (labels + 1) % classes)
    return labels, 2.0 * torch.nn.functional.one_hot(predicted, classes).float()


@pytest.mark.parametrize("metric", ["balanced_accuracy", "f1"])
def test_the_mean_of_the_nodes_scores_is_the_metric(metric) -> None:
    labels, logits = _logits(400, 0.7, 0, classes=2)
    keep = (labels == 0) | (torch.arange(len(labels)) % 7 == 0)
    labels, logits = labels[keep], logits[keep]
    predicted = logits.argmax(dim=1)
    oracle = {
        "balanced_accuracy": balanced_accuracy_score,
        "f1": lambda y, p: f1_score(y, p, average="macro"),
    }[metric]
    assert float(node_scores(logits, labels, metric).mean()) == pytest.approx(oracle(labels, predicted), abs=0.01)


@pytest.mark.parametrize("metric", ["loss", "accuracy", "f1", "balanced_accuracy"])
def test_a_clearly_better_candidate_is_chosen_and_a_slightly_better_one_is_not(metric) -> None:
    labels, ours = _logits(200, 0.6, 0)
    _, much_better = _logits(200, 0.9, 1)
    slightly = ours.clone()
    slightly[(ours.argmax(dim=1) != labels).nonzero()[0, 0]] = 2.0 * torch.eye(3)[0]
    assert choose(compare({"a": much_better, "ours": ours}, labels, "ours", metric), "ours") == "a"
    same = compare({"a": ours.clone(), "ours": ours}, labels, "ours", metric)
    assert choose(same, "ours") == "ours"


def test_a_higher_likelihood_with_a_lower_accuracy_is_not_enough() -> None:
    other, ours = Comparison(-0.5, 0.2, 0.01, -0.02), Comparison(-0.7, 0.0, 0.0, 0.0)
    assert choose({"other": other, "ours": ours}, "ours") == "ours"


def test_of_two_equal_candidates_the_simpler_is_chosen() -> None:
    better, ours = Comparison(0.9, 0.2, 0.01, 0.1), Comparison(0.7, 0.0, 0.0, 0.0)
    assert choose({"simple": better, "less simple": better, "ours": ours}, "ours") == "simple"


def test_the_error_is_that_of_paired_differences() -> None:
    labels, ours = _logits(300, 0.6, 0)
    _, other = _logits(300, 0.7, 5)
    found = compare({"a": other, "ours": ours}, labels, "ours", "accuracy")["a"]
    gap = (other.argmax(1) == labels).double() - (ours.argmax(1) == labels).double()
    assert found.difference == pytest.approx(float(gap.mean()))
    assert found.error == pytest.approx(float(gap.std()) / 300**0.5)


def test_one_validation_node_is_allowed() -> None:
    labels, ours = _logits(1, 1.0, 0)
    assert choose(compare({"a": -ours, "ours": ours}, labels, "ours", "accuracy"), "ours") == "ours"
