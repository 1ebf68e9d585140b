"""Encoders of columns: one value per kind, inferred from one table and applied to others."""

import re
import zlib
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter

from highwaygraph.data.tables.cells import as_list, is_list, is_missing
from highwaygraph.options import Options

Table = NDArray[np.float32]


HASH_SIZE = 512


TOKEN = re.compile(r"\w+")


class Scaled(Options):
    """Values shifted and scaled; missing ones become 0 and, if there were any, are marked in a second column."""

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
        """Return a description for the log."""
        how = "scaled to mean 0 and deviation 1" if self.mean else "divided by its largest, as most are 0"
        return how + (", missing ones marked" if self.missing else "")


class Date(Scaled):
    """Dates, as days."""

    kind: Literal["date"] = "date"

    def encode(self, column: pd.Series) -> Table:
        """Return one or two columns."""
        return self.scaled(days(column))

    def describe(self) -> str:
        """Return a description for the log."""
        return "dates as days, scaled" + (", missing ones marked" if self.missing else "")


class Flag(Options):
    """True or false; text counts as missing unless it is one of these words."""

    kind: Literal["flag"] = "flag"
    missing: bool

    def encode(self, column: pd.Series) -> Table:
        """Return one or two columns."""
        values = np.array([_truth(value) for value in column], dtype=np.float64)
        return _marked(values, marked=self.missing)

    def describe(self) -> str:
        """Return a description for the log."""
        return "true or false" + (", missing ones marked" if self.missing else "")


class Category(Options):
    """One of a few words, one-hot; other words and missing cells become zeros."""

    kind: Literal["category"] = "category"
    values: list[str]

    def encode(self, column: pd.Series) -> Table:
        """Return a column per category."""
        position = {value: i for i, value in enumerate(self.values)}
        return _multi_hot(([position[word]] if (word := str(v)) in position else [] for v in column), len(position))

    def describe(self) -> str:
        """Return a description for the log."""
        return f"{len(self.values)} categories"


class Text(Options):
    """Text, or lists of words, as a hashed bag of words that is the same on every machine."""

    kind: Literal["words"] = "words"
    listed: bool
    size: int = HASH_SIZE

    def encode(self, column: pd.Series) -> Table:
        """Return a column per hash."""
        return _multi_hot(([zlib.crc32(w.encode()) % self.size for w in self._split(v)] for v in column), self.size)

    def describe(self) -> str:
        """Return a description for the log."""
        return f"{'lists of words' if self.listed else 'text'}, its words hashed into {self.size}"

    def _split(self, value: Any) -> list[str]:
        if self.listed:
            parts = as_list(value)
            return [str(part).lower() for part in parts] if is_list(parts) else []
        return [] if is_missing(value) else TOKEN.findall(str(value).lower())


class Vector(Options):
    """Lists of `length` numbers; a list of another length counts as missing."""

    kind: Literal["vector"] = "vector"
    length: int
    scale: float

    def encode(self, column: pd.Series) -> Table:
        """Return a column per entry."""
        table = np.zeros((len(column), self.length), dtype=np.float32)
        for row, value in enumerate(column):
            numbers = _numbers(as_list(value))
            if len(numbers) == self.length:
                table[row] = np.where(np.isfinite(numbers), numbers / self.scale, 0)
        return table

    def describe(self) -> str:
        """Return a description for the log."""
        return f"lists of {self.length} numbers"


class Ignored(Options):
    """A column that does not become features, and why."""

    kind: Literal["nothing"] = "nothing"
    why: str

    def encode(self, column: pd.Series) -> Table:
        """Return a table without columns."""
        return np.zeros((len(column), 0), dtype=np.float32)

    def describe(self) -> str:
        """Return the reason for the log."""
        return f"left out: {self.why}"


Encoder = Number | Date | Flag | Category | Text | Vector | Ignored


ENCODERS: TypeAdapter[dict[str, Encoder]] = TypeAdapter(dict[str, Annotated[Encoder, Field(discriminator="kind")]])
"""Validates encoders by column that were read from JSON."""


def days(column: pd.Series) -> NDArray[np.float64]:
    """Return dates as days since 1970, NaN where there is none."""
    dates = pd.to_datetime(column, errors="coerce", utc=True, format="ISO8601")
    since: NDArray[np.float64] = ((dates - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(days=1)).to_numpy(dtype=np.float64)
    return since


def _marked(values: NDArray[np.float64], *, marked: bool) -> Table:
    missing = np.isnan(values)
    filled = np.where(missing, 0.0, values)
    # A number beyond float32 becomes infinite, and is refused with the features.
    with np.errstate(over="ignore"):
        return np.stack([filled, missing] if marked else [filled], axis=1).astype(np.float32)


def _multi_hot(rows: Iterable[list[int]], width: int) -> Table:
    """Return a table with 1 in the given columns of each row."""
    listed = list(rows)
    table = np.zeros((len(listed), width), dtype=np.float32)
    for row, columns in enumerate(listed):
        table[row, columns] = 1
    return table


def _truth(value: Any) -> float:
    """Return 1 or 0, NaN where a cell is neither true nor false."""
    if isinstance(value, str):
        return {"true": 1.0, "false": 0.0}.get(value.strip().lower(), np.nan)
    return np.nan if is_missing(value) else float(bool(value))


def _numbers(value: Any) -> NDArray[np.float64]:
    """Return the numbers of a list, none where the cell holds anything else."""
    try:
        return np.asarray(value if is_list(value) else [], dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)
