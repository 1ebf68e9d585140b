"""Metrics that count every class alike: balanced accuracy, scores per class, and the area under precision-recall."""

import math
from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor


class ClassScores(NamedTuple):
    """The scores of one class on the evaluated nodes, NaN where a score is not defined."""

    label: int
    """Index of the class."""
    nodes: int
    """Evaluated nodes of the class (its support)."""
    precision: float
    """Fraction of the nodes predicted to be of the class that are; NaN where there are none."""
    recall: float
    """Fraction of the nodes of the class that are predicted so; NaN where there are none."""
    f1: float
    """Harmonic mean of both; NaN where the class neither occurs nor is predicted."""


def balanced_accuracy(classes: Int[Tensor, "n"], labels: Int[Tensor, "n"], mask: Bool[Tensor, "n"]) -> float:
    """Return the balanced accuracy on the masked nodes.

    Args:
        classes: The predicted classes.
        labels: The true classes.
        mask: The nodes to evaluate.

    Returns:
        The mean recall of the classes that occur among the true ones, NaN where the mask is empty.

    Example:
        >>> all_three = torch.ones(3, dtype=torch.bool)
        >>> balanced_accuracy(torch.tensor([0, 0, 0]), torch.tensor([0, 0, 1]), all_three)
        0.5
    """
    recalls = [row.recall for row in class_scores(classes, labels, mask) if row.nodes]
    return sum(recalls) / len(recalls) if recalls else math.nan


def class_scores(
    classes: Int[Tensor, "n"], labels: Int[Tensor, "n"], mask: Bool[Tensor, "n"], count: int = 0
) -> list[ClassScores]:
    """Return precision, recall, F1 and the number of nodes of every class.

    Args:
        classes: The predicted classes.
        labels: The true classes.
        mask: The nodes to evaluate.
        count: Least number of rows, for classes that neither occur nor are predicted.

    Returns:
        A row per class, in the order of the classes.

    Example:
        >>> everyone = torch.ones(4, dtype=torch.bool)
        >>> rows = class_scores(torch.tensor([0, 0, 1, 0]), torch.tensor([0, 0, 1, 1]), everyone)
        >>> [(row.nodes, round(row.precision, 2), row.recall) for row in rows]
        [(2, 0.67, 1.0), (2, 1.0, 0.5)]
    """
    predicted, true = classes[mask], labels[mask]
    size = max([count, *(int(part.max()) + 1 for part in (predicted, true) if len(part))])
    found = torch.bincount(predicted, minlength=size).tolist()
    nodes = torch.bincount(true, minlength=size).tolist()
    correct = torch.bincount(true[predicted == true], minlength=size).tolist()
    return [
        ClassScores(c, nodes[c], ratio(hit, found[c]), ratio(hit, nodes[c]), ratio(2 * hit, found[c] + nodes[c]))
        for c, hit in enumerate(correct)
    ]


def rarer_class(labels: Int[Tensor, "n"]) -> int:
    """Return the class of two with fewer labelled nodes, which is the positive one in precision and recall.

    Args:
        labels: The classes 0 and 1, -1 where unknown.

    Returns:
        The rarer class; 1 where both have as many nodes.

    Example:
        >>> rarer_class(torch.tensor([1, 1, 0, -1]))
        0
    """
    return 0 if int((labels == 0).sum()) < int((labels == 1).sum()) else 1


def average_precision(scores: Float[Tensor, "k"], positive: Bool[Tensor, "k"]) -> float:
    """Return the area under the precision-recall curve as average precision: sum_i (R_i - R_(i-1)) P_i.

    Args:
        scores: A score per node; higher means more likely positive. Only the order counts.
        positive: Whether each node is of the positive class.

    Returns:
        The average precision, which is the fraction of positive nodes for scores at random; NaN without any.

    Example:
        >>> average_precision(torch.tensor([0.9, 0.8, 0.1]), torch.tensor([True, False, True]))
        0.8333333333333333
    """
    if not bool(positive.any()):
        return math.nan
    ordered, order = scores.sort(descending=True)
    hits = positive[order].double().cumsum(0)
    # Nodes of equal score are above or below the threshold together.
    last = torch.cat([ordered[1:] != ordered[:-1], torch.tensor([True])])
    found = torch.arange(1, len(hits) + 1).double()[last]
    precision, recall = hits[last] / found, hits[last] / hits[-1]
    return float((recall.diff(prepend=torch.zeros(1).double()) * precision).sum())


def precision_recall_area(
    logits: Float[Tensor, "n c"], labels: Int[Tensor, "n"], mask: Bool[Tensor, "n"]
) -> float | None:
    """Return the area under the precision-recall curve of the rarer of two classes.

    Args:
        logits: The logits of all nodes.
        labels: The true classes, -1 where unknown.
        mask: The nodes to evaluate.

    Returns:
        The average precision, NaN where no evaluated node is of that class; None for more than two classes.

    Example:
        >>> logits, labels = torch.tensor([[0.0, 2.0], [0.0, 1.0], [3.0, 0.0]]), torch.tensor([1, 0, 0])
        >>> precision_recall_area(logits, labels, torch.ones(3, dtype=torch.bool))
        1.0
    """
    if logits.size(1) != 2:
        return None
    positive = rarer_class(labels)
    # The difference of the logits has the order of the probabilities and does not saturate.
    margin = logits[mask, positive].double() - logits[mask, 1 - positive].double()
    return average_precision(margin, labels[mask] == positive)


def ratio(part: int, whole: int) -> float:
    """Return part / whole, NaN where the whole is 0."""
    return part / whole if whole else math.nan
