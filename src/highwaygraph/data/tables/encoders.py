"""Encoders of columns: one value per kind, inferred from one table and applied to others."""

import re
import zlib
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter, field_validator

from highwaygraph.data.tables.cells import as_list, is_list, is_missing
from highwaygraph.data.tables.column_encoder import ColumnEncoder, Encoded, Marked, Scaled, Table
from highwaygraph.data.tables.columns import days, numbers, truths, words

HASH_SIZE = 512


TOKEN = re.compile(r"\w+")


class Number(Scaled):
    """Numbers; infinite ones count as missing."""

    unreadable: ClassVar[str] = "words in the column {name} of numbers"
    kind: Literal["number"] = "number"

    def read(self, column: pd.Series) -> Encoded:
        """Return one or two columns."""
        return self.scaled(numbers(column), column)

    def describe(self) -> str:
        """Return a description for the log."""
        how = "scaled to mean 0 and deviation 1" if self.mean else "divided by its largest, as most are 0"
        return how + (", missing ones marked" if self.missing else "")


class Date(Scaled):
    """Dates, as days."""

    unreadable: ClassVar[str] = "cells in the column {name} that are no dates"
    kind: Literal["date"] = "date"

    def read(self, column: pd.Series) -> Encoded:
        """Return one or two columns."""
        return self.scaled(days(column), column)

    def describe(self) -> str:
        """Return a description for the log."""
        return "dates as days, scaled" + (", missing ones marked" if self.missing else "")


class Flag(Marked):
    """True or false; yes, no, 1 and 0 are read as well."""

    unreadable: ClassVar[str] = "cells in the column {name} that are neither true nor false"
    kind: Literal["flag"] = "flag"

    def read(self, column: pd.Series) -> Encoded:
        """Return one or two columns."""
        return self.marked(truths(column), column)

    def describe(self) -> str:
        """Return a description for the log."""
        return "true or false" + (", missing ones marked" if self.missing else "")


class Category(ColumnEncoder):
    """One of a few words, one-hot; other words and missing cells become zeros."""

    unreadable: ClassVar[str] = "cells in the column {name} that are in none of its categories"
    kind: Literal["category"] = "category"
    values: list[str]

    @field_validator("values")
    @classmethod
    def _distinct(cls, values: list[str]) -> list[str]:
        if len(set(values)) < len(values):
            raise ValueError("a category is listed twice")
        return values

    def read(self, column: pd.Series) -> Encoded:
        """Return a column per category."""
        codes = pd.Index(self.values, dtype=object).get_indexer(words(column))
        table = np.zeros((len(codes), len(self.values)), dtype=np.float32)
        known = np.flatnonzero(codes >= 0)
        table[known, codes[known]] = 1
        return Encoded(table, (codes < 0) & column.notna().to_numpy(dtype=bool))

    @property
    def width(self) -> int:
        """Number of features."""
        return len(self.values)

    def describe(self) -> str:
        """Return a description for the log."""
        return f"{len(self.values)} categories"


class Text(ColumnEncoder):
    """Text, or lists of words, as a hashed bag of words that is the same on every machine."""

    kind: Literal["words"] = "words"
    listed: bool
    size: int = Field(HASH_SIZE, ge=1)

    def read(self, column: pd.Series) -> Encoded:
        """Return a column per hash."""
        table = _multi_hot(([zlib.crc32(w.encode()) % self.size for w in self._split(v)] for v in column), self.size)
        return Encoded(table, np.zeros(len(column), dtype=bool))

    @property
    def width(self) -> int:
        """Number of features."""
        return self.size

    def describe(self) -> str:
        """Return a description for the log."""
        return f"{'lists of words' if self.listed else 'text'}, its words hashed into {self.size}"

    def _split(self, value: Any) -> list[str]:
        if is_missing(value):
            return []
        if self.listed:
            parts = as_list(value)
            return [str(part).lower() for part in parts] if is_list(parts) else []
        return TOKEN.findall(str(value).lower())


class Vector(ColumnEncoder):
    """Lists of `length` numbers; a list of another length counts as missing."""

    unreadable: ClassVar[str] = "cells in the column {name} that are no list of numbers of its length"
    kind: Literal["vector"] = "vector"
    length: int = Field(ge=1)
    scale: float

    def read(self, column: pd.Series) -> Encoded:
        """Return a column per entry."""
        table = np.zeros((len(column), self.length), dtype=np.float32)
        unreadable = np.zeros(len(column), dtype=bool)
        for row, value in enumerate(column):
            entries = _entries(as_list(value))
            if len(entries) == self.length:
                table[row] = np.where(np.isfinite(entries), entries / self.scale, 0)
            else:
                unreadable[row] = not is_missing(value)
        return Encoded(table, unreadable)

    @property
    def width(self) -> int:
        """Number of features."""
        return self.length

    def describe(self) -> str:
        """Return a description for the log."""
        return f"lists of {self.length} numbers"


class Ignored(ColumnEncoder):
    """A column that does not become features, and why."""

    kind: Literal["nothing"] = "nothing"
    why: str

    def read(self, column: pd.Series) -> Encoded:
        """Return a table without columns."""
        return Encoded(np.zeros((len(column), 0), dtype=np.float32), np.zeros(len(column), dtype=bool))

    @property
    def width(self) -> int:
        """Number of features: none."""
        return 0

    def describe(self) -> str:
        """Return the reason for the log."""
        return f"left out: {self.why}"


Encoder = Number | Date | Flag | Category | Text | Vector | Ignored


ENCODERS: TypeAdapter[dict[str, Encoder]] = TypeAdapter(dict[str, Annotated[Encoder, Field(discriminator="kind")]])
"""Validates encoders by column that were read from JSON."""


def _multi_hot(rows: Iterable[list[int]], width: int) -> Table:
    """Return a table with 1 in the given columns of each row."""
    listed = list(rows)
    table = np.zeros((len(listed), width), dtype=np.float32)
    for row, columns in enumerate(listed):
        table[row, columns] = 1
    return table


def _entries(value: Any) -> NDArray[np.float64]:
    """Return the numbers of a list, none where the cell holds anything else."""
    try:
        entries = np.asarray(value if is_list(value) else [], dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)
    return entries if entries.ndim == 1 else np.empty(0)
