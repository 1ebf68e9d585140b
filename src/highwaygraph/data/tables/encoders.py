"""Encoders of columns: one value per kind, inferred from one table and applied to others."""

import zlib
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pydantic import Field, TypeAdapter, field_validator

from highwaygraph.data.tables.cells import as_list, is_list, is_missing, is_numeric_array
from highwaygraph.data.tables.column_encoder import ColumnEncoder, Marked, Scaled, Table
from highwaygraph.data.tables.columns import Mask, days, factorize, is_text, numbers, texts, truths
from highwaygraph.data.tables.embedding import Embedding
from highwaygraph.data.tables.tokens import split_words, word_chunks

HASH_SIZE = 512


# Entries of lists that are converted at once.
CHUNK_ENTRIES = 2**20


class Number(Scaled):
    """Numbers; infinite ones count as missing."""

    unreadable: ClassVar[str] = "words in the column {name} of numbers"
    kind: Literal["number"] = "number"

    def write(self, column: pd.Series, table: Table) -> Mask:
        """Write one or two columns."""
        return self.write_scaled(numbers(column), column, table)

    def describe(self) -> str:
        """Return a description for the log."""
        how = "scaled to mean 0 and deviation 1" if self.mean else "divided by its largest, as most are 0"
        return how + (", missing ones marked" if self.missing else "")


class Date(Scaled):
    """Dates, as days."""

    unreadable: ClassVar[str] = "cells in the column {name} that are no dates"
    kind: Literal["date"] = "date"

    def write(self, column: pd.Series, table: Table) -> Mask:
        """Write one or two columns."""
        return self.write_scaled(days(column), column, table)

    def describe(self) -> str:
        """Return a description for the log."""
        return "dates as days, scaled" + (", missing ones marked" if self.missing else "")


class Flag(Marked):
    """True or false; yes, no, 1 and 0 are read as well."""

    unreadable: ClassVar[str] = "cells in the column {name} that are neither true nor false"
    kind: Literal["flag"] = "flag"

    def write(self, column: pd.Series, table: Table) -> Mask:
        """Write one or two columns."""
        return self.mark(truths(column), column, table)

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

    def write(self, column: pd.Series, table: Table) -> Mask:
        """Write a column per category."""
        codes, distinct = factorize(column)
        category = {value: i for i, value in enumerate(self.values)}
        # The last entry is that of the code -1, a missing cell.
        found = np.array([*(category.get(word, -1) for word in distinct), -1])[codes]
        known = np.flatnonzero(found >= 0)
        table[known, found[known]] = 1
        return (found < 0) & (codes >= 0)

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

    def write(self, column: pd.Series, table: Table) -> Mask:
        """Write a column per hash."""
        if is_text(column) and not self.listed:
            for found in word_chunks(texts(column)):
                table[found.rows, self._buckets(found.words)[found.codes]] = 1
        else:
            for row, value in enumerate(column):
                table[row, self._buckets(self._split(value))] = 1
        return np.zeros(len(column), dtype=bool)

    @property
    def width(self) -> int:
        """Number of features."""
        return self.size

    def describe(self) -> str:
        """Return a description for the log."""
        return f"{'lists of words' if self.listed else 'text'}, its words hashed into {self.size}"

    def words_by_bucket(self, cells: Iterable[Any]) -> dict[int, list[str]]:
        """Return the different words of some cells by their column, in order of appearance."""
        words = list(dict.fromkeys(word for cell in cells for word in self._split(cell)))
        found: dict[int, list[str]] = {}
        for word, bucket in zip(words, self._buckets(words).tolist(), strict=True):
            found.setdefault(bucket, []).append(word)
        return found

    def _buckets(self, words: list[str]) -> NDArray[np.int64]:
        return np.array([zlib.crc32(word.encode()) % self.size for word in words], dtype=np.int64)

    def _split(self, value: Any) -> list[str]:
        if is_missing(value):
            return []
        if self.listed:
            parts = as_list(value)
            return [str(part).lower() for part in parts] if is_list(parts) else []
        return split_words(str(value))


class Vector(ColumnEncoder):
    """Lists of `length` numbers; a list of another length counts as missing."""

    unreadable: ClassVar[str] = "cells in the column {name} that are no list of numbers of its length"
    kind: Literal["vector"] = "vector"
    length: int = Field(ge=1)
    scale: float

    def write(self, column: pd.Series, table: Table) -> Mask:
        """Write a column per entry."""
        arrays = [value if is_numeric_array(value) else _entries(as_list(value)) for value in column]
        fits = np.array([len(entries) == self.length for entries in arrays], dtype=bool)
        rows = np.flatnonzero(fits)
        for some in np.array_split(rows, max(len(rows) * self.length // CHUNK_ENTRIES, 1)):
            entries = np.array([arrays[row] for row in some], dtype=np.float64).reshape(-1, self.length)
            table[some] = np.where(np.isfinite(entries), entries / self.scale, 0)
        missing = np.array([is_missing(value) for value in column], dtype=bool)
        unreadable: Mask = ~(fits | missing)
        return unreadable

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

    def write(self, column: pd.Series, table: Table) -> Mask:
        """Write nothing."""
        assert table.shape[1] == 0
        return np.zeros(len(column), dtype=bool)

    @property
    def width(self) -> int:
        """Number of features: none."""
        return 0

    def describe(self) -> str:
        """Return the reason for the log."""
        return f"left out: {self.why}"


Encoder = Number | Date | Flag | Category | Text | Embedding | Vector | Ignored


ENCODERS: TypeAdapter[dict[str, Encoder]] = TypeAdapter(dict[str, Annotated[Encoder, Field(discriminator="kind")]])
"""Validates encoders by column that were read from JSON."""


def _entries(value: Any) -> NDArray[np.float64]:
    """Return the numbers of a list, none where the cell holds anything else."""
    try:
        entries = np.asarray(value if is_list(value) else [], dtype=np.float64)
    except (TypeError, ValueError):
        return np.empty(0)
    return entries if entries.ndim == 1 else np.empty(0)
