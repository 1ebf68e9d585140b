"""How a column becomes features: one value per kind, learned from one table and good for others."""

import re
import zlib
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from highwaygraph.options import Options

Table = NDArray[np.float32]


WORDS = 512


TOKEN = re.compile(r"\w+")


class Scaled(Options):
    """Values on a line, moved and scaled; missing ones are 0 and, if there were any, marked in their own column."""

    mean: float
    scale: float
    missing: bool

    def scaled(self, values: NDArray[np.float64]) -> Table:
        """Return one or two columns."""
        return _marked((values - self.mean) / self.scale, marked=self.missing)


class Number(Scaled):
    """Numbers; what is not finite counts as missing."""

    kind: Literal["number"] = "number"

    def encode(self, column: pd.Series) -> Table:
        """Return one or two columns."""
        values = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
        return self.scaled(np.where(np.isfinite(values), values, np.nan))

    def describe(self) -> str:
        """Say what is done."""
        how = "scaled to mean 0 and deviation 1" if self.mean else "divided by its largest, as most are 0"
        return how + (", missing ones marked" if self.missing else "")


class Date(Scaled):
    """Dates, as days."""

    kind: Literal["date"] = "date"

    def encode(self, column: pd.Series) -> Table:
        """Return one or two columns."""
        return self.scaled(days(column))

    def describe(self) -> str:
        """Say what is done."""
        return "dates as days, scaled" + (", missing ones marked" if self.missing else "")


class Flag(Options):
    """True or false."""

    kind: Literal["flag"] = "flag"
    missing: bool

    def encode(self, column: pd.Series) -> Table:
        """Return one or two columns."""
        values = np.array([np.nan if is_missing(v) else float(bool(v)) for v in column])
        return _marked(values, marked=self.missing)

    def describe(self) -> str:
        """Say what is done."""
        return "true or false" + (", missing ones marked" if self.missing else "")


class Category(Options):
    """One of a few words: a column each; others and missing ones are in none."""

    kind: Literal["category"] = "category"
    values: list[str]

    def encode(self, column: pd.Series) -> Table:
        """Return a column per category."""
        place = {value: i for i, value in enumerate(self.values)}
        return _places(([place[word]] if (word := str(v)) in place else [] for v in column), len(place))

    def describe(self) -> str:
        """Say what is done."""
        return f"{len(self.values)} categories"


class Words(Options):
    """Text, or lists of words: which of them occur, hashed alike on every machine."""

    kind: Literal["words"] = "words"
    listed: bool
    size: int = WORDS

    def encode(self, column: pd.Series) -> Table:
        """Return a column per hash."""
        return _places(([zlib.crc32(w.encode()) % self.size for w in self._split(v)] for v in column), self.size)

    def describe(self) -> str:
        """Say what is done."""
        return f"{'lists of words' if self.listed else 'text'}, its words hashed into {self.size}"

    def _split(self, value: Any) -> list[str]:
        if is_missing(value):
            return []
        return [str(part).lower() for part in value] if self.listed else TOKEN.findall(str(value).lower())


class Vector(Options):
    """Lists of so many numbers each; a list of another length counts as missing."""

    kind: Literal["vector"] = "vector"
    length: int
    scale: float

    def encode(self, column: pd.Series) -> Table:
        """Return a column per entry."""
        table = np.zeros((len(column), self.length), dtype=np.float32)
        for row, value in enumerate(column):
            if is_list(value) and len(value) == self.length:
                numbers = np.asarray(value, dtype=np.float64) / self.scale
                table[row] = np.where(np.isfinite(numbers), numbers, 0)
        return table

    def describe(self) -> str:
        """Say what is done."""
        return f"lists of {self.length} numbers"


class Nothing(Options):
    """A column that says nothing, and why."""

    kind: Literal["nothing"] = "nothing"
    why: str

    def encode(self, column: pd.Series) -> Table:
        """Return no column."""
        return np.zeros((len(column), 0), dtype=np.float32)

    def describe(self) -> str:
        """Say why it is left out."""
        return f"left out: {self.why}"


Encoder = Number | Date | Flag | Category | Words | Vector | Nothing


ENCODERS: TypeAdapter[dict[str, Encoder]] = TypeAdapter(dict[str, Annotated[Encoder, Field(discriminator="kind")]])
"""Reads encoders by column back from JSON."""


def days(column: pd.Series) -> NDArray[np.float64]:
    """Return dates as days since 1970, NaN where there is none."""
    dates = pd.to_datetime(column, errors="coerce", utc=True, format="ISO8601")
    since: NDArray[np.float64] = ((dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64)
    return since


def is_missing(value: Any) -> bool:
    """Tell whether a cell is empty."""
    return value is None or (not is_list(value) and bool(pd.isna(value)))


def is_list(value: Any) -> bool:
    """Tell whether a cell holds several values."""
    return isinstance(value, list | tuple | np.ndarray)


def _marked(values: NDArray[np.float64], *, marked: bool) -> Table:
    gone = np.isnan(values)
    filled = np.where(gone, 0.0, values)
    return np.stack([filled, gone] if marked else [filled], axis=1).astype(np.float32)


def _places(rows: Iterable[list[int]], width: int) -> Table:
    """Return a table with 1 at the given places of each row."""
    listed = list(rows)
    table = np.zeros((len(listed), width), dtype=np.float32)
    for row, places in enumerate(listed):
        table[row, places] = 1
    return table
