"""Metrics of several labels per node: micro-F1, macro-F1, subset accuracy, average precision, scores per label."""

import math

from jaxtyping import Float, Int
from torch import Tensor

from highwaygraph.training.class_metrics import ClassScores, average_precision, ratio


def micro_f1(predicted: Int[Tensor, "k l"], true: Int[Tensor, "k l"]) -> float:
    """Return the F1 of all decisions together: 2 hits / (predicted labels + true labels).

    Args:
        predicted: 1 for each predicted label.
        true: 1 for each true label.

    Returns:
        The score; 1 where nothing is true or predicted, NaN without nodes.

    Example:
        >>> import torch
        >>> micro_f1(torch.tensor([[1, 1], [0, 0]]), torch.tensor([[1, 0], [0, 1]]))
        0.5
    """
    hits, total = int((predicted * true).sum()), int(predicted.sum() + true.sum())
    return math.nan if not len(true) else 2 * hits / total if total else 1.0


def label_scores(predicted: Int[Tensor, "k l"], true: Int[Tensor, "k l"]) -> list[ClassScores]:
    """Return precision, recall, F1 and the number of nodes of every label.

    Args:
        predicted: 1 for each predicted label.
        true: 1 for each true label.

    Returns:
        A row per label.

    Example:
        >>> import torch
        >>> label_scores(torch.tensor([[1], [1]]), torch.tensor([[1], [0]]))[0].precision
        0.5
    """
    columns = zip((predicted * true).sum(dim=0).tolist(), predicted.sum(dim=0).tolist(), true.sum(dim=0).tolist(),
                  strict=True)  # fmt: skip
    return [
        ClassScores(label, nodes, ratio(hit, found), ratio(hit, nodes), ratio(2 * hit, found + nodes))
        for label, (hit, found, nodes) in enumerate(columns)
    ]


def label_macro_f1(predicted: Int[Tensor, "k l"], true: Int[Tensor, "k l"]) -> float:
    """Return the mean F1 of the labels that are true or predicted somewhere, NaN without any.

    Args:
        predicted: 1 for each predicted label.
        true: 1 for each true label.

    Returns:
        The score.

    Example:
        >>> import torch
        >>> label_macro_f1(torch.tensor([[1, 0, 0]]), torch.tensor([[1, 1, 0]]))
        0.5
    """
    return _mean([row.f1 for row in label_scores(predicted, true)])


def subset_accuracy(predicted: Int[Tensor, "k l"], true: Int[Tensor, "k l"]) -> float:
    """Return the fraction of nodes all of whose labels are predicted, and no other; NaN without nodes.

    Args:
        predicted: 1 for each predicted label.
        true: 1 for each true label.

    Returns:
        The fraction.

    Example:
        >>> import torch
        >>> subset_accuracy(torch.tensor([[1, 0], [1, 1]]), torch.tensor([[1, 0], [1, 0]]))
        0.5
    """
    return float((predicted == true).all(dim=1).double().mean()) if len(true) else math.nan


def mean_average_precision(logits: Float[Tensor, "k l"], true: Int[Tensor, "k l"]) -> float:
    """Return the mean over the labels of the area under the precision-recall curve, which needs no threshold.

    Args:
        logits: A logit per node and label.
        true: 1 for each true label.

    Returns:
        The mean over the labels that occur, NaN without any.

    Example:
        >>> import torch
        >>> mean_average_precision(torch.tensor([[2.0], [1.0]]), torch.tensor([[1], [0]]))
        1.0
    """
    return _mean([average_precision(*column) for column in zip(logits.T, true.T > 0, strict=True)])


def node_f1(predicted: Int[Tensor, "k l"], true: Int[Tensor, "k l"]) -> Float[Tensor, "k"]:
    """Return the F1 of every node's own labels, 1 where it has none and none is predicted.

    Args:
        predicted: 1 for each predicted label.
        true: 1 for each true label.

    Returns:
        A score per node.

    Example:
        >>> import torch
        >>> node_f1(torch.tensor([[1, 1], [0, 0]]), torch.tensor([[1, 1], [0, 1]])).tolist()
        [1.0, 0.0]
    """
    hits, total = (predicted * true).sum(dim=1).double(), (predicted + true).sum(dim=1).double()
    return (2 * hits / total.clamp(min=1)).where(total > 0, 1.0)


def _mean(scores: list[float]) -> float:
    defined = [one for one in scores if not math.isnan(one)]
    return sum(defined) / len(defined) if defined else math.nan
