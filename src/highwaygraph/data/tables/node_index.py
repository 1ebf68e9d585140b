"""Look-up of nodes by the ids in a table of edges."""

from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from highwaygraph.data.tables.columns import texts
from highwaygraph.data.tables.ids import MAX_WHOLE, Positions, is_whole, whole_numbers, without_zeros
from highwaygraph.data.tables.tidy import tidy

# Arrow hashes all ids in every look-up; beyond so many ids per cell, an index that is built once is faster.
MOST_IDS_PER_CELL = 4


class NodeIndex:
    """Positions of nodes by id; 7.0 in a table of edges is node 7 where no node is called 7.0."""

    def __init__(self, ids: list[Any]) -> None:
        numbers = _as_integers(ids)
        self._numbers = numbers
        self._is_range = numbers is not None and bool((numbers == np.arange(len(ids))).all())
        self._words = None if numbers is not None else [str(node) for node in ids]
        self._count = len(ids)

    def positions(self, column: pd.Series) -> Positions:
        """Return the position of the node that each cell names, -1 where there is none."""
        column = tidy(column)
        present = column.notna().to_numpy(dtype=bool)
        if present.all():
            return self._positions(column)
        found = np.full(len(column), -1, dtype=np.int64)
        found[present] = self._positions(column[present])
        return found

    def _positions(self, cells: pd.Series) -> Positions:
        return self._of_words(texts(cells)) if self._numbers is None else self._of_numbers(whole_numbers(cells))

    def _of_numbers(self, numbers: Positions) -> Positions:
        if self._is_range:
            return np.where((numbers >= 0) & (numbers < self._count), numbers, -1)
        return self._in_index(numbers)

    def _of_words(self, written: pa.Array) -> Positions:
        found = self._look_up(written)
        unknown = np.flatnonzero(found < 0)
        if len(unknown):
            left = written.take(pa.array(unknown))
            whole = is_whole(left)
            found[unknown[whole]] = self._look_up(without_zeros(left.filter(pa.array(whole))))
        return found

    def _look_up(self, written: pa.Array) -> Positions:
        if self._hashable is None or self._count > MOST_IDS_PER_CELL * len(written):
            return self._in_index(written.to_numpy(zero_copy_only=False))
        found = pc.fill_null(pc.index_in(written, value_set=self._hashable), -1)
        return np.asarray(found.to_numpy(zero_copy_only=False), dtype=np.int64)

    def _in_index(self, cells: Any) -> Positions:
        index, rows = self._index
        found: Positions = index.get_indexer(cells).astype(np.int64)
        return found if rows is None else np.where(found < 0, -1, rows[found])

    @cached_property
    def _hashable(self) -> pa.Array | None:
        """The ids as Arrow holds them; None where one is repeated or no valid Unicode."""
        try:
            ids = pa.array(self._words, pa.large_string())
        except UnicodeEncodeError:
            return None
        return ids if pc.count_distinct(ids).as_py() == len(ids) else None

    @cached_property
    def _index(self) -> tuple[pd.Index, Positions | None]:
        """The different ids, and their positions where one is repeated."""
        index = pd.Index(self._numbers) if self._words is None else pd.Index(self._words, dtype=object)
        if index.is_unique:
            return index, None
        # Ids of a PyG Data need not be unique; the last of equal ones counts.
        rows = np.flatnonzero(~index.duplicated(keep="last"))
        return index[rows], rows


def _as_integers(ids: list[Any]) -> Positions | None:
    """Return ids as integers where all are, and small enough to be written in a table, else None."""
    if not set(map(type, ids)) <= {int}:
        return None
    try:
        numbers = np.array(ids, dtype=np.int64)
    except OverflowError:
        return None
    return numbers if (np.abs(numbers) < MAX_WHOLE).all() else None
