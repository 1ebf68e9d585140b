"""Rules for a table of edges, the same for tables that are loaded and tables that are converted.

An edge to an unknown id, a self-loop and an edge whose weight is no number are left out. Of equal edges, in either
direction, one is kept, with the mean of their weights.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from highwaygraph.data.tables.ids import NodeIndex
from highwaygraph.data.tables.read_log import FIRST, ReadLog, quote_list
from highwaygraph.errors import DataError

ENDS = (("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"), ("node1", "node2"), ("head", "tail"))


WEIGHTS = ("weight", "w", "edge_weight")


Numbers = NDArray[np.int64]


class EdgeList(NamedTuple):
    """Edges in both directions, once each, with their weights where the table has such a column."""

    edge_index: Tensor
    weight: Tensor | None


class EdgeRows(NamedTuple):
    """Edges of a table between known nodes, in the table's order, not yet merged."""

    source: Numbers
    target: Numbers
    weight: NDArray[np.float64] | None


@dataclass
class Tally:
    """Number of rows with one property, and the first of them."""

    what: str
    count: int = 0
    examples: list[str] = field(default_factory=list)

    def add(self, rows: pd.DataFrame, mask: NDArray[np.bool_]) -> None:
        """Count the rows of the mask."""
        self.count += int(mask.sum())
        if len(self.examples) < FIRST:
            first = rows[mask].head(FIRST - len(self.examples))
            self.examples += [" - ".join(str(cell) for cell in row) for row in first.itertuples(index=False)]


class EdgeRules:
    """Applies the rules to a table of edges chunk by chunk and counts the rows that are left out."""

    def __init__(self, ids: list[Any]) -> None:
        self.total = 0
        self._index = NodeIndex(ids)
        self._not_numbers = Tally("edges whose weight is no number")
        self._unknown = Tally("edges to ids that no node has")
        self._loops = Tally("edges from a node to itself")

    def apply(self, edges: pd.DataFrame) -> EdgeRows:
        """Return the edges of a chunk that are kept."""
        one, other, column = edge_columns(edges)
        self.total += len(edges)
        source, target = (self._index.positions(edges[end]) for end in (one, other))
        unknown = (source < 0) | (target < 0)
        loops = (source == target) & ~unknown
        self._unknown.add(edges[[one, other]], unknown)
        self._loops.add(edges[[one, other]], loops)
        kept = ~unknown & ~loops
        if column is None:
            return EdgeRows(source[kept], target[kept], None)
        weight = _weights(edges[column])
        self._not_numbers.what = f"edges whose {column} is no number"
        self._not_numbers.add(edges[[column]], np.isnan(weight))
        kept &= ~np.isnan(weight)
        return EdgeRows(source[kept], target[kept], weight[kept])

    def report(self, log: ReadLog) -> None:
        """Note the counts after the last chunk; refuse a table none of whose edges joins two nodes."""
        if self.total and self._unknown.count == self.total:
            raise DataError(
                f"None of the {self.total:,} edges joins two known nodes (first: {self._unknown.examples[0]}): "
                "check both tables' ids."
            )
        for tally in (self._not_numbers, self._unknown, self._loops):
            log.find(tally.what, tally.examples, tally.count, "left out")


def note_repeated(
    log: ReadLog, count: int, pairs: Iterable[tuple[int, ...]], ids: Sequence[Any], *, weighted: bool
) -> None:
    """Note the edges that repeat an earlier one, with the first pairs of nodes in their order."""
    done = "each pair is kept once" + (", with the mean of its weights" if weighted else "")
    examples = (" - ".join(str(ids[node]) for node in pair) for pair in pairs)
    log.find("edges that came before, in this or the other direction", examples, count, done)


def read_edges(edges: pd.DataFrame, ids: list[Any], log: ReadLog) -> EdgeList:
    """Return the edges of a whole table by the rules, and note the rows that are left out or merged."""
    rules = EdgeRules(ids)
    kept = rules.apply(edges)
    rules.report(log)
    low, high = np.minimum(kept.source, kept.target), np.maximum(kept.source, kept.target)
    keys, group, counts = np.unique(low * len(ids) + high, return_inverse=True, return_counts=True)
    pairs = np.stack([keys // len(ids), keys % len(ids)])
    repeated = [tuple(pair) for pair in pairs[:, counts > 1][:, :FIRST].T.tolist()]
    note_repeated(log, len(low) - len(keys), repeated, ids, weighted=kept.weight is not None)
    edge_index = torch.from_numpy(np.concatenate([pairs, pairs[::-1]], axis=1))
    if kept.weight is None:
        return EdgeList(edge_index, None)
    mean = np.bincount(group, kept.weight, minlength=len(keys)) / counts
    return EdgeList(edge_index, torch.from_numpy(np.concatenate([mean, mean]).astype(np.float32)))


def edge_columns(edges: pd.DataFrame) -> tuple[Any, Any, Any]:
    """Return the columns of both ends and of the weight, None where there is no weight."""
    lower = {str(name).strip().lower(): name for name in reversed(list(edges.columns))}
    return *_ends(edges, lower), next((lower[name] for name in WEIGHTS if name in lower), None)


def _ends(edges: pd.DataFrame, lower: dict[str, Any]) -> tuple[Any, Any]:
    for one, other in ENDS:
        if one in lower and other in lower:
            return lower[one], lower[other]
    if len(edges.columns) < 2:
        raise DataError(f"The table of edges needs two columns of ids: it has {quote_list(edges.columns)}.")
    return edges.columns[0], edges.columns[1]


def _weights(column: pd.Series) -> NDArray[np.float64]:
    """Return weights, NaN where a cell is no number or beyond the range of float32."""
    if column.dtype in (bool, object):
        # The type of true and false depends on the other cells of a chunk; here they are never numbers.
        column = column.astype(object).mask(column.map(lambda cell: isinstance(cell, bool | np.bool_)))
    weight: NDArray[np.float64] = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    return np.where(np.abs(weight) <= np.finfo(np.float32).max, weight, np.nan)
