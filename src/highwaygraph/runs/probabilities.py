"""Predictions with calibrated probabilities: the columns of a run folder, and those that `highway predict` writes."""

from typing import TYPE_CHECKING

from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.graph.validate import MASKS
from highwaygraph.runs.calibrated import calibrated_probs
from highwaygraph.runs.conformal import run_sets
from highwaygraph.runs.label_predictions import join_labels, label_columns, separator_of
from highwaygraph.runs.predictions import Columns, class_names, columns, rounded, without_labels

if TYPE_CHECKING:
    from highwaygraph.runs.result import Result


def prediction_table(result: "Result", data: Graph | None = None) -> Columns:
    """Return the predictions of a run as columns.

    Args:
        result: The result of a training.
        data: Another graph; only the new nodes are returned where it attaches nodes to the training graph.

    Returns:
        Id, class, calibrated confidence, hops, and highways for the training graph only; for several labels per node
        id, labels, hops, and the probability of each label.
    """
    if not result.label_thresholds:
        return _predictions(result, data, calibrated_probs(result, data))
    logits = result.logits if data is None else result.predict_logits(data)
    names = class_names(result.data, logits.size(1))
    return _new_rows(label_columns(result, _described(result, data), logits, names), data)


def _predictions(result: "Result", data: Graph | None, probs: Tensor) -> Columns:
    names = class_names(result.data, result.logits.size(1))
    highways = result.highway_table if data is None else None
    return _new_rows(columns(_described(result, data), probs, names, highways), data)


def _described(result: "Result", data: Graph | None) -> Graph:
    """Return the graph whose ids and hops are written; those of another graph without its labels."""
    if data is None:
        return result.data
    return data if data.num_attached else without_labels(data)


def _new_rows(table: Columns, data: Graph | None) -> Columns:
    first = len(table["id"]) - data.num_attached if data is not None and data.num_attached else 0
    return {name: values[first:] for name, values in table.items()}


def probability_table(result: "Result", data: Graph | None = None, coverage: float | None = None) -> Columns:
    """Return the predictions of a run as columns, with the calibrated probability of every class.

    Args:
        result: A finished run.
        data: Another graph; only the new nodes are returned where it attaches nodes to the training graph.
        coverage: The wanted share of nodes whose prediction set holds their class; no sets without it.

    Returns:
        For several labels per node id, predicted labels, known labels, part of the split, hops, and a column per label;
        else id, class, calibrated confidence, for the training graph the known label and its part of
        the split (train, val, test or none), hops, highways, the prediction set, and a column `p_CLASS` per class.
    """
    names = class_names(result.data, result.logits.size(1))
    if result.label_thresholds:
        return _label_table(result, data, coverage, names)
    probs = calibrated_probs(result, data)
    table = _predictions(result, data, probs)
    rows = slice(-data.num_attached, None) if data is not None and data.num_attached else slice(None)
    found: Columns = {name: table[name] for name in ("id", "class", "confidence")}
    if data is None:
        found |= {"label": _labels(result.data, names), "part": split_parts(result.data)}
    found |= table
    if coverage is not None:
        sets = run_sets(result, coverage, data)[rows]
        found["set"] = ["; ".join(names[c] for c in one.nonzero().flatten().tolist()) for one in sets]
    return found | {f"p_{name}": rounded(probs[rows, place]) for place, name in enumerate(names)}


def _label_table(result: "Result", data: Graph | None, coverage: float | None, names: list[str]) -> Columns:
    """Return the predictions of several labels per node; for the training graph with the known labels."""
    if coverage is not None:
        instead = "leave out --coverage; the probability of every label is in the table"
        refuse_several_labels(result.data, "A prediction set", instead)
    table = prediction_table(result, data)
    if data is not None:
        return table
    known = join_labels(result.data.y, names, separator_of(result.data))
    return {"id": table["id"], "labels": table["labels"], "known": known, "part": split_parts(result.data)} | table


def _labels(data: Graph, names: list[str]) -> list[str]:
    return [names[label] if label >= 0 else "" for label in data.y.tolist()]


def split_parts(data: Graph) -> list[str]:
    """Return the part of the split of every node: train, val, test or none.

    Args:
        data: The graph.

    Returns:
        A word per node; train where folds evaluate the training nodes too.
    """
    parts = ["none"] * data.num_nodes
    for name in reversed(MASKS):
        for node in data[name].nonzero().flatten().tolist():
            parts[node] = name.removesuffix("_mask")
    return parts
