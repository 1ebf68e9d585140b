"""Edges of a table with their weights, features and types: read from its cells, and merged where they are equal."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from highwaygraph.data.tables.columns import numbers, words
from highwaygraph.data.tables.ids import without_point
from highwaygraph.data.tables.labels import by_size
from highwaygraph.data.tables.tidy import tidy

Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]


class EdgeRows(NamedTuple):
    """Edges of a table between known nodes, in the table's order, not yet merged."""

    source: Numbers
    target: Numbers
    weight: Floats | None = None
    edge_attr: Floats | None = None
    """A row of features per edge."""
    edge_type: Numbers | None = None


class EdgeList(NamedTuple):
    """Edges in both directions, once each, with their values where the table has such columns."""

    edge_index: Tensor
    weight: Tensor | None = None
    edge_attr: Tensor | None = None
    edge_type: Tensor | None = None
    relations: list[str] | None = None
    """Names of the types."""

    @property
    def values(self) -> dict[str, Tensor]:
        """Values per edge by the names of a graph's edge values, for those that there are."""
        named = {"edge_weight": self.weight, "edge_attr": self.edge_attr, "edge_type": self.edge_type}
        return {name: value for name, value in named.items() if value is not None}

    def select(self, kept: Tensor) -> "EdgeList":
        """Return the edges of a mask."""
        weight, attr, types = (
            None if one is None else one[kept] for one in (self.weight, self.edge_attr, self.edge_type)
        )
        return EdgeList(self.edge_index[:, kept], weight, attr, types, self.relations)


class Merged(NamedTuple):
    """Each pair of nodes, or pair and type, once."""

    edges: EdgeList
    repeated: int
    """Number of edges that came before."""
    pairs: NDArray[np.int64]
    """Pairs of nodes that are repeated, in their order."""


def merge(rows: EdgeRows, nodes: int) -> Merged:
    """Return every edge once in both directions, of equal edges one with the mean of their values.

    Args:
        rows: The edges; those of different types are different.
        nodes: Number of nodes.
    """
    low, high = np.minimum(rows.source, rows.target), np.maximum(rows.source, rows.target)
    types = 1 if rows.edge_type is None else int(rows.edge_type.max(initial=0)) + 1
    every: Numbers = low * nodes + high
    if rows.edge_type is not None:
        every = every * types + rows.edge_type
    keys, group, counts = np.unique(every, return_inverse=True, return_counts=True)
    pair, kind = keys // types, keys % types
    pairs = np.stack([pair // nodes, pair % nodes])
    found = EdgeList(
        torch.from_numpy(np.concatenate([pairs, pairs[::-1]], axis=1)),
        None if rows.weight is None else _both(means(rows.weight[:, None], group, counts)[:, 0]),
        None if rows.edge_attr is None else _both(means(rows.edge_attr, group, counts)),
        None if rows.edge_type is None else _both(kind),
    )
    return Merged(found, len(low) - len(keys), pairs[:, counts > 1])


def means(values: Floats, group: Numbers, counts: Numbers) -> NDArray[np.float32]:
    """Return the mean rows of groups, summed in double precision."""
    columns = [np.bincount(group, column, minlength=len(counts)) / counts for column in values.T]
    return np.stack(columns, axis=1).astype(np.float32)


def edge_features(edges: pd.DataFrame, columns: Sequence[str]) -> Floats:
    """Return the columns as numbers, NaN where a cell is none or beyond the range of float32."""
    return np.stack([finite(edges[name]) for name in columns], axis=1)


def finite(column: pd.Series) -> Floats:
    """Return numbers, NaN where a cell is none or beyond the range of float32."""
    values = numbers(column)
    return np.where(np.abs(values) <= np.finfo(np.float32).max, values, np.nan)


def edge_types(column: pd.Series, relations: Sequence[str]) -> Numbers:
    """Return the numbers of the relations, -1 where a cell is missing or another word."""
    number = {name: place for place, name in enumerate(relations)}
    codes, distinct = pd.factorize(words(tidy(column)))
    # The last entry is that of the code -1, a missing cell.
    known = [number.get(str(word), number.get(without_point(str(word)), -1)) for word in distinct]
    found: Numbers = np.array([*known, -1], dtype=np.int64)[codes]
    return found


def relation_names(column: pd.Series) -> set[str]:
    """Return the different words of a column of edge types."""
    return {without_point(str(word)) for word in pd.unique(words(tidy(column))) if word is not None}


def sorted_names(names: set[str]) -> list[str]:
    """Return names of relations in the order of their numbers: by alphabet, numbers by size."""
    return sorted(names, key=by_size)


def _both(values: NDArray[np.float32] | Numbers) -> Tensor:
    return torch.from_numpy(np.concatenate([values, values]))
