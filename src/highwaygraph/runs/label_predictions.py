"""Predictions of several labels per node as a table: the labels joined in one cell, and a probability per label."""

from typing import TYPE_CHECKING, Any

from torch import Tensor

from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.multilabel import labelled_mask
from highwaygraph.graph.queries import hops_from
from highwaygraph.nn.decision import decide_labels, probabilities

if TYPE_CHECKING:
    from highwaygraph.runs.result import Result

SEPARATOR = ";"
"""Separator of labels in a cell, where the graph was not read from a table with another one."""


# Digits of probabilities.
DIGITS = 6


def label_columns(result: "Result", data: Graph, logits: Tensor, names: list[str]) -> dict[str, list[Any]]:
    """Return the predictions of all nodes of a graph as columns.

    Args:
        result: A finished run with several labels per node.
        data: The graph.
        logits: The logits of its nodes.
        names: The name of every label.

    Returns:
        Id, predicted labels, hops to the nearest labelled node (with a split), and a column `p_LABEL` per label.
    """
    predicted, probs = decide_labels(logits, result.label_thresholds), probabilities(logits, several=True)
    table: dict[str, list[Any]] = {
        "id": list(data.ids or range(len(logits))),
        "labels": join_labels(predicted, names, separator_of(result.data)),
    }
    if data.has_split:
        hops = hops_from(data, data.train_mask.nonzero().flatten())
        table["hops"] = [None if hop == UNREACHABLE else hop for hop in hops.tolist()]
    columns = ([round(p, DIGITS) for p in column] for column in probs.T.tolist())
    return table | {f"p_{name}": column for name, column in zip(names, columns, strict=True)}


def separator_of(data: Graph) -> str:
    """Return the separator of the labels in the table that a graph was read from, else a semicolon."""
    return (data.column_roles or {}).get("label_separator") or SEPARATOR


def join_labels(labels: Tensor, names: list[str], separator: str = SEPARATOR) -> list[str]:
    """Return the labels of every node in one cell, an empty one where it has none or they are unknown.

    Args:
        labels: A row per node, 1 for each of its labels.
        names: The name of every label.
        separator: The text between two of them.

    Returns:
        A cell per node.

    Example:
        >>> import torch
        >>> join_labels(torch.tensor([[1, 1], [0, 1], [-1, -1]]), ["a", "b"])
        ['a;b', 'b', '']
    """
    known = labelled_mask(labels).tolist()
    rows = zip(labels.tolist(), known, strict=True)
    return [separator.join(n for n, has in zip(names, row, strict=True) if has > 0) if k else "" for row, k in rows]
