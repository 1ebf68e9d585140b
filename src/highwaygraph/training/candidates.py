"""The choice of a run's answer on validation: HighwayGraph's round, typical training or a simple baseline."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from highwaygraph.nn.calibration import calibrated_log_likelihood

Metric = Literal["loss", "accuracy", "balanced_accuracy", "f1"]


# Standard errors by which another candidate has to be better than HighwayGraph's round. Given to the simpler one, ties
# cost 1 to 6 points on the citation graphs (docs/experiments.md).
LEAST_ERRORS = 1.0


class Comparison(NamedTuple):
    """A candidate's deciding score, and its paired difference to the reference on the same validation nodes."""

    score: float
    difference: float
    error: float
    """Standard error of the difference."""
    accuracy_difference: float


def compare(
    logits: Mapping[str, Float[Tensor, "v c"]], labels: Int[Tensor, "v"], reference: str, metric: Metric
) -> dict[str, Comparison]:
    """Compare candidates with a reference on validation nodes.

    Args:
        logits: The logits of the validation nodes by name of the candidate.
        labels: Their classes.
        reference: The name of the candidate that the others are compared with.
        metric: The deciding score; loss is the calibrated log-likelihood.

    Returns:
        The comparison of every candidate; that of the reference has difference 0.

    Example:
        >>> right, wrong = torch.tensor([[3.0, 0.0], [0.0, 3.0]]), torch.tensor([[0.0, 3.0], [3.0, 0.0]])
        >>> compare({"a": right, "b": wrong}, torch.tensor([0, 1]), "a", "accuracy")["b"].difference
        -1.0
    """
    nodes = {name: node_scores(one, labels, metric) for name, one in logits.items()}
    correct = {name: (one.argmax(dim=1) == labels).double() for name, one in logits.items()}
    return compare_scores(nodes, correct, reference)


def compare_scores(
    nodes: Mapping[str, Float[Tensor, "v"]], correct: Mapping[str, Float[Tensor, "v"]], reference: str
) -> dict[str, Comparison]:
    """Compare candidates with a reference by a score per node.

    Args:
        nodes: The deciding score of every node by name of the candidate.
        correct: The accuracy of every node, 0 or 1, or with several labels its F1.
        reference: The name of the candidate that the others are compared with.

    Returns:
        The comparison of every candidate.
    """
    found = {}
    for name, scores in nodes.items():
        gap = scores - nodes[reference]
        error = gap.std(correction=min(1, len(gap) - 1)) / len(gap) ** 0.5
        accuracy_gap = float((correct[name] - correct[reference]).mean())
        found[name] = Comparison(float(scores.mean()), float(gap.mean()), float(error), accuracy_gap)
    return found


def choose(found: Mapping[str, Comparison], reference: str, least_errors: float = LEAST_ERRORS) -> str:
    """Return the reference, or the best of the candidates that are better than it beyond noise.

    A candidate replaces the reference where its score is higher by more than some standard errors of the paired
    difference and its accuracy is not lower.

    Args:
        found: The comparisons, simplest candidate first; of equal ones, the simpler is chosen.
        reference: The name of the reference.
        least_errors: The number of standard errors.

    Returns:
        The name of the chosen candidate.

    Example:
        >>> ours, other = Comparison(0.8, 0.0, 0.0, 0.0), Comparison(0.9, 0.1, 0.02, 0.1)
        >>> choose({"other": other, "round": ours}, "round")
        'other'
    """
    better = {
        name: one.score
        for name, one in found.items()
        if one.difference > least_errors * one.error and one.accuracy_difference >= 0
    }
    return max(better, key=better.__getitem__) if better else reference


def node_scores(logits: Float[Tensor, "v c"], labels: Int[Tensor, "v"], metric: Metric) -> Float[Tensor, "v"]:
    """Return a score per node whose mean is the metric; for F1, the jackknife's pseudo-values.

    Args:
        logits: The logits of the nodes.
        labels: Their classes.
        metric: The score.

    Returns:
        A score per node; higher is better.
    """
    predicted = logits.argmax(dim=1)
    match metric:
        case "loss":
            return calibrated_log_likelihood(logits.double(), labels)
        case "accuracy":
            return (predicted == labels).double()
        case "balanced_accuracy":
            count = torch.bincount(labels)
            return (predicted == labels).double() * len(labels) / (int((count > 0).sum()) * count[labels])
        case "f1":
            return _f1_pseudo_values(predicted, labels, logits.size(1))


def _f1_pseudo_values(predicted: Tensor, labels: Tensor, classes: int) -> Tensor:
    """Return n F - (n - 1) F without node i; nodes of one true and one predicted class share a value."""
    count = len(labels)
    table = torch.bincount(labels * classes + predicted, minlength=classes**2).view(classes, classes).double()
    whole, values = _macro_f1(table), torch.zeros(classes, classes, dtype=torch.double)
    for row, column in (table > 0).nonzero().tolist():
        without = table.clone()
        without[row, column] -= 1
        values[row, column] = count * whole - (count - 1) * _macro_f1(without)
    return values[labels, predicted]


def _macro_f1(table: Tensor) -> float:
    total = table.sum(dim=0) + table.sum(dim=1)
    present = total > 0
    return float((2 * table.diagonal()[present] / total[present]).mean()) if bool(present.any()) else 0.0
