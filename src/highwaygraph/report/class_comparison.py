"""The scores of a run per class, with those of typical training, as plain values for printing and for JSON."""

import math
from typing import Any, NamedTuple

from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.runs.history import to_record
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result
from highwaygraph.training.class_metrics import (
    ClassScores,
    balanced_accuracy,
    class_scores,
    precision_recall_area,
    rarer_class,
)
from highwaygraph.training.gain import Gain, paired_gain, verdict
from highwaygraph.training.metrics import macro_f1

# Up to this many classes, or from this ratio of the largest to the smallest class on, accuracy alone is misleading.
FEW_CLASSES, UNEQUAL = 3, 10


class ClassRow(NamedTuple):
    """The test scores of one class."""

    name: str
    ours: ClassScores
    typical: ClassScores | None
    """Scores of typical training, where it was run."""


class PrecisionRecall(NamedTuple):
    """The area under the precision-recall curve of the rarer of two classes."""

    name: str
    """The class."""
    ours: float
    typical: float | None
    """Area of typical training, where it was run."""


def class_rows(result: Result) -> list[ClassRow]:
    """Return the test scores of every class.

    Args:
        result: A finished run, with its baseline where there is one.

    Returns:
        A row per class, in the order of the classes.
    """
    data, size = result.data, result.logits.size(1)
    ours = class_scores(result.logits.argmax(dim=1), data.y, data.test_mask, size)
    typical: list[ClassScores | None] = [None] * len(ours)
    if result.baseline:
        typical = [*class_scores(result.baseline.logits.argmax(dim=1), data.y, data.test_mask, size)]
    return [ClassRow(*row) for row in zip(class_names(data, size), ours, typical, strict=True)]


def largest_class(rows: list[ClassRow]) -> tuple[str, float]:
    """Return the class with the most test nodes, and the accuracy of predicting it for all of them.

    Args:
        rows: The scores of every class.

    Returns:
        The name and the accuracy, NaN without test nodes.
    """
    largest, nodes = max(rows, key=lambda row: row.ours.nodes), sum(row.ours.nodes for row in rows)
    return largest.name, largest.ours.nodes / nodes if nodes else math.nan


def needs_classes(rows: list[ClassRow]) -> bool:
    """Return whether accuracy alone is misleading: two or three classes, or classes of very different size.

    Args:
        rows: The scores of every class.

    Returns:
        True for at most 3 classes with test nodes, or where the largest has at least 10 times as many as the smallest.
    """
    nodes = [row.ours.nodes for row in rows if row.ours.nodes]
    return bool(nodes) and (len(nodes) <= FEW_CLASSES or max(nodes) >= UNEQUAL * min(nodes))


def lowest_f1(rows: list[ClassRow], most: int) -> list[ClassRow]:
    """Return the classes with the lowest F1, the lowest first, of those that occur or are predicted."""
    defined = [row for row in rows if not math.isnan(row.ours.f1)]
    return sorted(defined, key=lambda row: row.ours.f1)[:most]


def precision_recall(result: Result) -> PrecisionRecall | None:
    """Return the area under the precision-recall curve on the test nodes.

    Args:
        result: A finished run, with its baseline where there is one.

    Returns:
        The areas, None for more than two classes or without test nodes of the rarer class.
    """
    data, typical = result.data, result.baseline
    ours = precision_recall_area(result.logits, data.y, data.test_mask)
    if ours is None or math.isnan(ours):
        return None
    before = precision_recall_area(typical.logits, data.y, data.test_mask) if typical else None
    return PrecisionRecall(class_names(data, 2)[rarer_class(data.y)], ours, before)


def scores_by_class(data: Graph, logits: Tensor) -> dict[str, Any]:
    """Return the scores on the test nodes that count every class alike, for JSON.

    Args:
        data: The graph with its split.
        logits: The logits of its nodes.

    Returns:
        Macro F1, balanced accuracy, the area under precision-recall (null for more than two classes) and all classes.
    """
    predicted, size = logits.argmax(dim=1), logits.size(1)
    rows = zip(class_names(data, size), class_scores(predicted, data.y, data.test_mask, size), strict=True)
    scores = {
        "test_macro_f1": macro_f1(predicted, data.y, data.test_mask),
        "test_balanced_accuracy": balanced_accuracy(predicted, data.y, data.test_mask),
        "test_average_precision": precision_recall_area(logits, data.y, data.test_mask),
    }
    classes = [{"class": name} | to_record(row._asdict()) for name, row in rows]
    return to_record(scores) | {"classes": classes}


def gain_on_test(result: Result) -> Gain | None:
    """Return the paired difference to typical training on the test nodes, None where either is missing."""
    data = result.data
    if result.baseline is None or not data.test_mask.any():
        return None
    before, after = (logits.argmax(dim=1) == data.y for logits in (result.baseline.logits, result.logits))
    return paired_gain(before[data.test_mask], after[data.test_mask])


def gain_record(gain: Gain | None) -> dict[str, Any] | None:
    """Return the difference with its interval and its verdict, for JSON."""
    if gain is None:
        return None
    low, high = gain.interval
    counts = {"corrected": gain.corrected, "newly_wrong": gain.newly_wrong, "nodes": gain.nodes}
    return {"points": gain.points, "low": low, "high": high} | counts | {"verdict": verdict(gain)}
