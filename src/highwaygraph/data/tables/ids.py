"""Rules for the ids of nodes, the same for tables that are loaded and tables that are converted."""

import re
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highwaygraph.data.tables.columns import is_text, tidy, words
from highwaygraph.data.tables.read_log import FIRST, ReadLog
from highwaygraph.errors import DataError

WHOLE, POINT = r"(?:0|-?[1-9]\d{0,15})(?:\.0+)?", r"\.0+$"


# A whole number that WHOLE matches is smaller.
MAX_WHOLE = 10**16


Positions = NDArray[np.int64]


def clean_ids(column: pd.Series) -> pd.Series:
    """Return ids as integers where all are written as whole numbers, else as text, as they are written."""
    if pd.api.types.is_integer_dtype(column) and (not len(column) or column.max() < MAX_WHOLE):
        return column.astype(object)
    written = pd.Series(words(tidy(column)), index=column.index, dtype=object)
    numbers = whole_words(written)
    return written if numbers is None else numbers.astype("int64").astype(object)


def whole_words(written: pd.Series) -> pd.Series | None:
    """Return whole numbers without a decimal point; None where a word is none, or where two words would become one.

    Text such as 7.0 stands for 7 where a missing value made floats of a column; 007 is a word, and so is 7.0 beside 7.
    """
    if not written.str.fullmatch(WHOLE).all():
        return None
    numbers = _without_zeros(written)
    return numbers if numbers.nunique() == written.nunique() else None


def select_nodes(column: pd.Series, log: ReadLog) -> tuple[list[Any], NDArray[np.bool_]]:
    """Return the ids and the rows they stand in: rows without an id are left out, of equal ids the first is kept."""
    column = tidy(column)
    missing = column.isna().to_numpy(dtype=bool)
    rows = (f"row {i + 1}" for i in np.flatnonzero(missing))
    log.find("nodes without an id", rows, int(missing.sum()), "left out")
    ids = clean_ids(column[~missing])
    repeated = ids.duplicated()
    log.find(
        "nodes with an id that came before",
        ids[repeated].head(FIRST),
        int(repeated.sum()),
        "only the first of each is kept",
    )
    if not len(ids):
        raise DataError("The table of nodes has no node in it: check the file.")
    kept = ~missing
    kept[kept] = ~repeated.to_numpy()
    return ids[~repeated].tolist(), kept


class NodeIndex:
    """Positions of nodes by id; 7.0 in a table of edges is node 7 where no node is called 7.0."""

    def __init__(self, ids: list[Any]) -> None:
        self._is_number = all(type(node) is int and abs(node) < MAX_WHOLE for node in ids)
        self._is_range = self._is_number and bool((np.asarray(ids, dtype=np.int64) == np.arange(len(ids))).all())
        self._count = len(ids)
        index = pd.Index(np.asarray(ids, dtype=np.int64) if self._is_number else [str(node) for node in ids])
        # Ids of a PyG Data need not be unique; the last of equal ones counts.
        self._rows = None if index.is_unique else np.flatnonzero(~index.duplicated(keep="last"))
        self._index = index if self._rows is None else index[self._rows]

    def positions(self, column: pd.Series) -> Positions:
        """Return the position of the node that each cell names, -1 where there is none."""
        column = tidy(column)
        found = np.full(len(column), -1, dtype=np.int64)
        present = column.notna().to_numpy(dtype=bool)
        cells = column[present]
        found[present] = self._of_numbers(cells) if self._is_number else self._of_words(cells)
        return found

    def _of_numbers(self, cells: pd.Series) -> Positions:
        numbers = _whole_numbers(cells)
        if self._is_range:
            return np.where((numbers >= 0) & (numbers < self._count), numbers, -1)
        return self._look_up(numbers)

    def _of_words(self, cells: pd.Series) -> Positions:
        written = pd.Series(words(cells), dtype=object)
        found = self._look_up(written)
        unknown = found < 0
        left = written[unknown]
        whole = left.str.fullmatch(WHOLE).to_numpy(bool)
        found[np.flatnonzero(unknown)[whole]] = self._look_up(_without_zeros(left[whole]))
        return found

    def _look_up(self, cells: Any) -> Positions:
        found: Positions = self._index.get_indexer(cells).astype(np.int64)
        return found if self._rows is None else np.where(found < 0, -1, self._rows[found])


def without_point(word: str) -> str:
    """Return a whole number without its decimal point, any other word as it is."""
    return re.sub(POINT, "", word) if re.fullmatch(WHOLE, word) else word


def _whole_numbers(cells: pd.Series) -> Positions:
    """Return cells as whole numbers; the smallest integer, which is no id, where a cell is not written as one."""
    if pd.api.types.is_integer_dtype(cells):
        given: Positions = cells.to_numpy(np.int64)
        return given
    written = pd.Series(words(cells), dtype=object) if not is_text(cells) else cells
    whole = written.str.fullmatch(WHOLE).to_numpy(dtype=bool)
    numbers = np.full(len(written), np.iinfo(np.int64).min)
    numbers[whole] = _without_zeros(written[whole]).astype(np.int64)
    return numbers


def _without_zeros(words: pd.Series) -> pd.Series:
    return words.str.replace(POINT, "", regex=True)
