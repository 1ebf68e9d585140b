"""Rules for a table of edges, the same for tables that are loaded and tables that are converted.

An edge to an unknown id, a self-loop, and an edge whose weight is no number or whose type is missing are left out. A
missing feature is 0. Of equal edges, in either direction, one is kept, with the mean of their weights and features.
Edges of different types are different.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highwaygraph.data.tables.edge_columns import EdgeColumns, describe_edge_columns
from highwaygraph.data.tables.edge_rows import (
    EdgeList,
    EdgeRows,
    Floats,
    Numbers,
    edge_features,
    edge_types,
    finite,
    merge,
    relation_names,
    sorted_names,
)
from highwaygraph.data.tables.node_index import NodeIndex
from highwaygraph.data.tables.read_log import FIRST, ReadLog, Tally
from highwaygraph.data.tables.schema import INFERRED, ColumnRoles
from highwaygraph.data.tables.tidy import tidy_frame
from highwaygraph.errors import DataError


class EdgeRules:
    """Applies the rules to a table of edges chunk by chunk and counts the rows that are left out.

    Args:
        ids: Ids of the nodes.
        columns: Roles of the columns.
        relations: Names of the edge types, in the order of their numbers.
        target_ids: Ids of the second ends, where they are nodes of another type; these are numbered after the others.
    """

    def __init__(
        self,
        ids: list[Any],
        columns: EdgeColumns,
        relations: Sequence[str] = (),
        target_ids: list[Any] | None = None,
    ) -> None:
        self.total = 0
        self._columns, self._relations = columns, relations
        self._sources, self._first = NodeIndex(ids), len(ids)
        self._targets = None if target_ids is None else NodeIndex(target_ids)
        self._not_numbers = Tally(f"edges whose {columns.weight or 'weight'} is no number")
        self._unknown = Tally("edges to ids that no node has")
        self._loops = Tally("edges from a node to itself")
        self._negative = Tally("edges with a negative weight")
        self._types = Tally(f"edges whose {columns.edge_type} is missing or unknown")
        self._features = {name: Tally(f"edges whose {name} is no number") for name in columns.edge_features}

    def apply(self, edges: pd.DataFrame) -> EdgeRows:
        """Return the edges of a chunk that are kept."""
        one, other = self._columns[:2]
        self.total += len(edges)
        source, target = self._sources.positions(edges[one]), self._target_positions(edges[other])
        unknown = (source < 0) | (target < 0)
        loops = (source == target) & ~unknown
        self._unknown.add(edges[[one, other]], unknown)
        self._loops.add(edges[[one, other]], loops)
        kept = ~unknown & ~loops
        values = (self._weight(edges, kept), self._attr(edges), self._type(edges, kept))
        return EdgeRows(source[kept], target[kept], *(None if value is None else value[kept] for value in values))

    def _target_positions(self, cells: pd.Series) -> Numbers:
        if self._targets is None:
            return self._sources.positions(cells)
        found = self._targets.positions(cells)
        return np.where(found < 0, found, found + self._first)

    def _weight(self, edges: pd.DataFrame, kept: NDArray[np.bool_]) -> Floats | None:
        """Return the weights; edges without one are no longer kept."""
        one, other, column = self._columns[:3]
        if not column:
            return None
        weight = finite(edges[column])
        self._not_numbers.add(edges[[column]], np.isnan(weight))
        kept &= ~np.isnan(weight)
        self._negative.add(edges[[one, other, column]], kept & (weight < 0))
        return weight

    def _type(self, edges: pd.DataFrame, kept: NDArray[np.bool_]) -> Numbers | None:
        """Return the types; edges without a known one are no longer kept."""
        column = self._columns.edge_type
        if not column:
            return None
        found = edge_types(edges[column], self._relations)
        self._types.add(edges[[column]], found < 0)
        kept &= found >= 0
        return found

    def _attr(self, edges: pd.DataFrame) -> Floats | None:
        """Return the features, 0 where a cell is no number."""
        if not self._features:
            return None
        table = edge_features(edges, list(self._features))
        for (name, tally), column in zip(self._features.items(), table.T, strict=True):
            tally.add(edges[[name]], np.isnan(column))
        return np.nan_to_num(table)

    def report(self, log: ReadLog) -> None:
        """Note the counts after the last chunk; refuse a table none of whose edges joins two nodes."""
        if self.total and self._unknown.count == self.total:
            one, other = self._columns[:2]
            raise DataError(
                f"None of the {self.total:,} edges joins two known nodes (first: {self._unknown.examples[0]}): check "
                f"the columns {one!r} and {other!r} of the edges, and name that of the nodes' ids with --id (id=...)."
            )
        self._refuse_most(
            self._not_numbers, "name another column with --weight, or leave the weights out with --weight none"
        )
        for tally in self._features.values():
            self._refuse_most(tally, "leave the column out of --edge-features, or name it with --edge-type")
        for tally in (self._not_numbers, self._types, self._unknown, self._loops):
            log.find(tally.what, tally.examples, tally.count, "left out")
        for tally in self._features.values():
            log.find(tally.what, tally.examples, tally.count, "the number 0 is used")
        negative = self._negative
        log.find(negative.what, negative.examples, negative.count, "kept, but no built-in network can normalise them")

    def _refuse_most(self, tally: Tally, remedy: str) -> None:
        """Refuse a column of which more than half of the cells are no numbers."""
        if tally.count > self.total / 2:
            raise DataError(
                f"{tally.count:,} of {self.total:,} {tally.what} (first: {tally.examples[0]}): write them like "
                f"1234.56, {remedy}."
            )


def note_repeated(
    log: ReadLog, count: int, pairs: Iterable[tuple[int, ...]], ids: Sequence[Any], *, weighted: bool
) -> None:
    """Note the edges that repeat an earlier one, with the first pairs of nodes in their order."""
    done = "each pair is kept once" + (", with the mean of its weights" if weighted else "")
    examples = (" - ".join(str(ids[node]) for node in pair) for pair in pairs)
    log.find("edges that came before, in this or the other direction", examples, count, done)


def read_edges(
    edges: pd.DataFrame,
    ids: list[Any],
    log: ReadLog,
    names: ColumnRoles = INFERRED,
    relations: Sequence[str] | None = None,
    *,
    target_ids: list[Any] | None = None,
) -> EdgeList:
    """Return the edges of a whole table by the rules, and note the rows that are left out or merged.

    Args:
        edges: The table.
        ids: Ids of the nodes.
        log: Takes the findings.
        names: Columns that the user named.
        relations: Names of the edge types of another graph, where this one is read by its schema.
        target_ids: Ids of the second ends, where they are nodes of another type; these are numbered after the others.
    """
    edges = tidy_frame(edges.rename(columns=str))
    columns = describe_edge_columns(list(edges.columns), names, ids, log)
    if columns.edge_type and relations is None:
        relations = sorted_names(relation_names(edges[columns.edge_type]))
    rules = EdgeRules(ids, columns, relations or (), target_ids)
    kept = rules.apply(edges)
    rules.report(log)
    everyone = [*ids, *(target_ids or ())]
    found = merge(kept, len(everyone))
    repeated = [tuple(pair) for pair in found.pairs[:, :FIRST].T.tolist()]
    note_repeated(log, found.repeated, repeated, everyone, weighted=kept.weight is not None)
    return found.edges._replace(relations=list(relations or ())) if columns.edge_type else found.edges
