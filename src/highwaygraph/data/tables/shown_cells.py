"""Cells of a column as a run folder and a report show them, made when they are read."""

import math
from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import pandas as pd
import pyarrow.compute as pc

from highwaygraph.data.tables.cells import is_missing
from highwaygraph.data.tables.columns import cells, is_text
from highwaygraph.errors import shortened

# Characters of a cell: enough to classify a text by, and fewer where a run folder would hold them of very many nodes.
MAX_LENGTH, MAX_LENGTH_OF_MANY, MANY_NODES = 600, 80, 20_000


Shown = str | int | float


class ShownCells(Sequence[Shown]):
    """The cells of a column: missing ones empty, long ones cut, numbers rounded.

    Only a report and a run folder read them, and a report reads few: a list of them would take longer to make than the
    table takes to read.

    Args:
        column: The column.
        length: Most characters of a cell; fewer for columns of many cells, unless given.
    """

    def __init__(self, column: pd.Series, length: int | None = None) -> None:
        self._column = column
        self._length = length or (MAX_LENGTH if len(column) <= MANY_NODES else MAX_LENGTH_OF_MANY)

    def __len__(self) -> int:
        return len(self._column)

    @overload
    def __getitem__(self, place: int) -> Shown: ...
    @overload
    def __getitem__(self, place: slice) -> list[Shown]: ...
    def __getitem__(self, place: int | slice) -> Shown | list[Shown]:
        if isinstance(place, slice):
            return list(ShownCells(self._column.iloc[place], self._length))
        return _as_shown(self._column.iloc[place], self._length)

    def __iter__(self) -> Iterator[Shown]:
        if is_text(self._column):
            return (shortened(text, self._length) for text in pc.fill_null(cells(self._column), "").to_pylist())
        return (_as_shown(value, self._length) for value in self._column)

    def whole(self, place: int) -> Shown:
        """Return one cell, a text in its full length."""
        value = self._column.iloc[place]
        return value if isinstance(value, str) else _as_shown(value, self._length)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and list(self) == list(other)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self[:3])}, {len(self):,} in all)"


def _as_shown(value: Any, length: int) -> Shown:
    """Return a cell as JSON can hold it and a report can show it."""
    if is_missing(value):
        return ""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(f"{value:.4g}") if math.isfinite(value) else str(value)
    return shortened(str(value), length)
