"""Rules for a table of edges, the same for tables that are loaded and tables that are converted.

An edge to an unknown id, a self-loop and an edge whose weight is no number are left out. Of equal edges, in either
direction, one is kept, with the mean of their weights.
"""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from highwaygraph.data.tables.columns import numbers, tidy_frame
from highwaygraph.data.tables.ids import WHOLE
from highwaygraph.data.tables.node_index import NodeIndex
from highwaygraph.data.tables.read_log import FIRST, Column, ReadLog, Tally, quote_list
from highwaygraph.data.tables.schema import INFERRED, ColumnRoles
from highwaygraph.errors import DataError

ENDS = (
    ("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"), ("node1", "node2"), ("head", "tail"),
    ("source_id", "target_id"), ("from_id", "to_id"), ("src_id", "dst_id"), ("source", "destination"),
)  # fmt: skip


WEIGHTS = ("weight", "w", "edge_weight")


NO_WEIGHT = "none"
"""Name that a user gives in place of a column for edges without weights."""


UNDIRECTED = "each edge is used in both directions"


Numbers = NDArray[np.int64]


class EdgeColumns(NamedTuple):
    """The columns of both ends, and that of the weight; empty where there is none."""

    source: str
    target: str
    weight: str


class EdgeList(NamedTuple):
    """Edges in both directions, once each, with their weights where the table has such a column."""

    edge_index: Tensor
    weight: Tensor | None


class EdgeRows(NamedTuple):
    """Edges of a table between known nodes, in the table's order, not yet merged."""

    source: Numbers
    target: Numbers
    weight: NDArray[np.float64] | None


class EdgeRules:
    """Applies the rules to a table of edges chunk by chunk and counts the rows that are left out."""

    def __init__(self, ids: list[Any], columns: EdgeColumns) -> None:
        self.total = 0
        self._columns = columns
        self._index = NodeIndex(ids)
        self._not_numbers = Tally("edges whose weight is no number")
        self._unknown = Tally("edges to ids that no node has")
        self._loops = Tally("edges from a node to itself")
        self._negative = Tally("edges with a negative weight")

    def apply(self, edges: pd.DataFrame) -> EdgeRows:
        """Return the edges of a chunk that are kept."""
        one, other, column = self._columns
        self.total += len(edges)
        source, target = (self._index.positions(edges[end]) for end in (one, other))
        unknown = (source < 0) | (target < 0)
        loops = (source == target) & ~unknown
        self._unknown.add(edges[[one, other]], unknown)
        self._loops.add(edges[[one, other]], loops)
        kept = ~unknown & ~loops
        if not column:
            return EdgeRows(source[kept], target[kept], None)
        weight = _weights(edges[column])
        self._not_numbers.what = f"edges whose {column} is no number"
        self._not_numbers.add(edges[[column]], np.isnan(weight))
        kept &= ~np.isnan(weight)
        self._negative.add(edges[[one, other, column]], kept & (weight < 0))
        return EdgeRows(source[kept], target[kept], weight[kept])

    def report(self, log: ReadLog) -> None:
        """Note the counts after the last chunk; refuse a table none of whose edges joins two nodes."""
        if self.total and self._unknown.count == self.total:
            one, other, _ = self._columns
            raise DataError(
                f"None of the {self.total:,} edges joins two known nodes (first: {self._unknown.examples[0]}): check "
                f"the columns {one!r} and {other!r} of the edges, and name that of the nodes' ids with --id (id=...)."
            )
        if self._not_numbers.count > self.total / 2:
            raise DataError(
                f"{self._not_numbers.count:,} of {self.total:,} {self._not_numbers.what} "
                f"(first: {self._not_numbers.examples[0]}): write them like 1234.56, name another column with "
                "--weight, or leave the weights out with --weight none."
            )
        for tally in (self._not_numbers, self._unknown, self._loops):
            log.find(tally.what, tally.examples, tally.count, "left out")
        negative = self._negative
        log.find(negative.what, negative.examples, negative.count, "kept, but no built-in network can normalise them")


def note_repeated(
    log: ReadLog, count: int, pairs: Iterable[tuple[int, ...]], ids: Sequence[Any], *, weighted: bool
) -> None:
    """Note the edges that repeat an earlier one, with the first pairs of nodes in their order."""
    done = "each pair is kept once" + (", with the mean of its weights" if weighted else "")
    examples = (" - ".join(str(ids[node]) for node in pair) for pair in pairs)
    log.find("edges that came before, in this or the other direction", examples, count, done)


def read_edges(edges: pd.DataFrame, ids: list[Any], log: ReadLog, names: ColumnRoles = INFERRED) -> EdgeList:
    """Return the edges of a whole table by the rules, and note the rows that are left out or merged."""
    edges = tidy_frame(edges.rename(columns=str))
    rules = EdgeRules(ids, describe_edge_columns(list(edges.columns), names, ids, log))
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


def describe_edge_columns(columns: list[str], names: ColumnRoles, ids: list[Any], log: ReadLog) -> EdgeColumns:
    """Return the columns of both ends and of the weight, and note the role of every column."""
    found = edge_columns(columns, names)
    if not has_usual_ends(columns):
        _refuse_missing_header(found, ids)
    roles = {found.source: ("end", UNDIRECTED), found.target: ("end", UNDIRECTED), found.weight: ("weight", "")}
    ignored = ("ignored", "left out: no network uses it")
    log.edge_columns = [Column(name, *roles.get(name, ignored)) for name in columns]
    return found


def edge_columns(columns: Sequence[str], names: ColumnRoles = INFERRED) -> EdgeColumns:
    """Return the columns of both ends and of the weight: those named, those with usual names, else the first two.

    Args:
        columns: Names of all columns.
        names: The columns of the weight and of the ends where the user named them; the weight `none` for no weights.
    """
    weight = _weight_column(columns, names.weight)
    ends = _named_ends(columns, names) or _usual_ends(columns) or [name for name in columns if name != weight][:2]
    if len(ends) < 2:
        raise DataError(f"The table of edges needs two columns of ids: it has {quote_list(columns)}.")
    if weight in ends:
        raise DataError(f"{weight!r} cannot be both an end of the edges and their weight: name others.")
    return EdgeColumns(ends[0], ends[1], weight)


def has_usual_ends(columns: Sequence[str]) -> bool:
    """Return whether two columns have usual names for the ends of edges."""
    return bool(_usual_ends(columns))


def _usual_ends(columns: Sequence[str]) -> list[str]:
    lower = {name.strip().lower(): name for name in reversed(list(columns))}
    return next(([lower[one], lower[other]] for one, other in ENDS if one in lower and other in lower), [])


def _named_ends(columns: Sequence[str], names: ColumnRoles) -> list[str]:
    named = [name for name in (names.source, names.target) if name]
    if named and (len(set(named)) < 2 or not set(named) <= set(columns)):
        shown = quote_list(columns)
        raise DataError(f"The ends of the edges are two of their columns ({shown}), not {quote_list(named)}.")
    return named


def _weight_column(columns: Sequence[str], weight: str) -> str:
    if weight == NO_WEIGHT and weight not in columns:
        return ""
    if weight and weight not in columns:
        raise DataError(f"The edges have no column {weight!r} for the weight: there are {quote_list(columns)}.")
    lower = {name.strip().lower(): name for name in reversed(list(columns))}
    return weight or next((lower[name] for name in WEIGHTS if name in lower), "")


def _refuse_missing_header(columns: EdgeColumns, ids: list[Any]) -> None:
    """Refuse a first line that holds an edge: two ids of nodes, or two whole numbers."""
    ends = pd.Series([columns.source, columns.target])
    if bool((NodeIndex(ids).positions(ends) >= 0).all()) or bool(ends.str.fullmatch(WHOLE).all()):
        raise DataError(
            f"The table of edges has no header: its first line is the edge {columns.source} - {columns.target}. "
            "Add a line such as source,target."
        )


def _weights(column: pd.Series) -> NDArray[np.float64]:
    """Return weights, NaN where a cell is no number or beyond the range of float32."""
    weight = numbers(column)
    return np.where(np.abs(weight) <= np.finfo(np.float32).max, weight, np.nan)
