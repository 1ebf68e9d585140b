"""Whole columns: the reading of text as numbers, dates, flags or words.

A column of text is read by one grammar wherever it comes from, and its type never depends on other columns or chunks.
"""

from datetime import date
from typing import Any, cast

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from highwaygraph.data.tables.cells import is_list, is_missing

TEXT = pd.ArrowDtype(pa.large_string())
"""The type of every column of text: without surrounding whitespace, empty cells missing."""


NOTHING = pa.scalar(None, pa.large_string())
"""A missing cell of text."""


GAPS = ("na", "n/a", "nan", "none", "null", "<na>", "#n/a", "#na", "nat")
"""Words, in lower case, for a missing cell in a column of numbers, dates or flags; elsewhere they are words."""


TIME = r"[T ][0-2]\d:[0-5]\d(?::\d{2}(?:\.\d+)?)?\s?(?:Z|UTC|[+-]\d{2}:?\d{2})?"
DATE = rf"^\d{{4}}-\d{{2}}-\d{{2}}(?:{TIME})?$"
NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"
CODE = r"^[+-]?0\d"


TRUE, FALSE = ("true", "yes", "y", "t", "1", "1.0"), ("false", "no", "n", "f", "0", "0.0")


# Cells that are cast before all of them are.
TRIED = 16


Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Codes = NDArray[np.int64]


def is_text(column: pd.Series) -> bool:
    """Return whether a column has the type that `tidy` gives to text."""
    return bool(column.dtype == TEXT)


def cells(column: pd.Series) -> pa.ChunkedArray:
    """Return a column of text as Arrow holds it."""
    return cast("pa.ChunkedArray", column.array.__arrow_array__())


def has_missing(column: pd.Series) -> bool:
    """Return whether a cell is missing; Arrow has counted those of a column of text."""
    return cells(column).null_count > 0 if is_text(column) else bool(column.hasnans)


def matches(column: pd.Series, pattern: str) -> Mask:
    """Return which cells of a column of text match a pattern; missing ones do not."""
    return _mask(pc.match_substring_regex(cells(column), pattern))


def is_gap(column: pd.Series) -> Mask:
    """Return which cells are missing, or a word that stands for it."""
    missing: Mask = column.isna().to_numpy(dtype=bool)
    if not is_text(column):
        return missing
    return missing | _mask(pc.is_in(pc.utf8_lower(cells(column)), pa.array(GAPS, pa.large_string())))


def numbers(column: pd.Series) -> Floats:
    """Return a column as numbers, NaN where a cell is none; true and false are no numbers."""
    if is_text(column):
        return _parsed(cells(column))
    if pd.api.types.is_datetime64_any_dtype(column):
        return np.full(len(column), np.nan)
    if column.dtype in (bool, object):
        column = column.astype(object).mask(column.map(lambda cell: isinstance(cell, bool | np.bool_) or is_list(cell)))
    values: Floats = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    return values


def has_codes(column: pd.Series) -> bool:
    """Return whether a cell of a column of text is a whole number with leading zeros: 007 is not 7."""
    return bool(pc.any(pc.match_substring_regex(cells(column), CODE)).as_py())


def days(column: pd.Series) -> Floats:
    """Return dates as days since 1970, NaN where there is none."""
    if pd.api.types.is_numeric_dtype(column):
        return np.full(len(column), np.nan)
    if is_text(column):
        # A day occurs often: every one is parsed once.
        codes, distinct = factorize(column)
        dates = pd.Series([*distinct, None], dtype=TEXT)
        known = matches(dates, DATE)
        return _since_epoch(dates.astype(object).where(known, None), known)[codes]
    return _since_epoch(column, column.notna().to_numpy(dtype=bool))


def truths(column: pd.Series) -> Floats:
    """Return 1 for true, 0 for false, NaN where a cell is neither."""
    if is_text(column):
        words = pc.utf8_lower(cells(column))
        found = [_mask(pc.is_in(words, pa.array(some, pa.large_string()))) for some in (TRUE, FALSE)]
        return np.select(found, [1.0, 0.0], np.nan)
    values = np.array([np.nan if is_missing(v) or is_list(v) else float(v) for v in column], dtype=np.float64)
    return np.where((values == 0) | (values == 1), values, np.nan)


def words(column: pd.Series) -> NDArray[np.object_]:
    """Return cells as text, None where they are missing; whole floats as integers."""
    written = _written(column)
    if written is not None:
        found: NDArray[np.object_] = written.to_numpy(zero_copy_only=False)
        return found
    return np.array([None if is_missing(value) else as_word(value) for value in column], dtype=object)


def texts(column: pd.Series) -> pa.Array:
    """Return `words` as Arrow holds them, in one array."""
    written = _written(column)
    return pa.array(words(column), pa.large_string()) if written is None else written


def factorize(column: pd.Series) -> tuple[Codes, list[str]]:
    """Return the number of every cell's word, -1 where it is missing, and the different words in their order."""
    codes, distinct = encode_words(texts(column))
    return codes, distinct.to_pylist()


def encode_words(written: pa.Array) -> tuple[Codes, pa.Array]:
    """Return the number of every word, -1 where it is missing, and the different words in their order."""
    encoded = written.dictionary_encode()
    codes = pc.fill_null(encoded.indices, -1).to_numpy(zero_copy_only=False)
    return codes.astype(np.int64), encoded.dictionary


def text_column(written: pa.Array) -> pd.Series:
    """Return an Arrow array of text as a column."""
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([written])))


def _written(column: pd.Series) -> pa.Array | None:
    """Return text and whole numbers as text without a look at every single cell, None for columns of other types."""
    if is_text(column):
        return _flat(cells(column))
    if not isinstance(column.dtype, np.dtype) or column.dtype.kind not in "iuf":
        return None
    values = pa.array(column, from_pandas=True)
    if column.dtype.kind == "f":
        # Floats that are no integers of 64 bits are written as Python writes them.
        known = column.to_numpy()[column.notna().to_numpy()]
        if not ((np.abs(known) < 2**63) & (np.trunc(known) == known)).all():
            return None
        values = values.cast(pa.int64())
    return values.cast(pa.large_string())


def _flat(chunks: pa.ChunkedArray) -> pa.Array:
    """Return the chunks of a column of text as one array."""
    empty = pa.array([], pa.large_string())
    return chunks.chunk(0) if chunks.num_chunks == 1 else pa.concat_arrays([empty, *chunks.chunks])


def as_word(value: Any) -> str:
    """Return a cell as text; a whole float as an integer."""
    # A column of whole numbers with a gap is one of floats in pandas.
    return str(int(value)) if isinstance(value, float | np.floating) and value.is_integer() else str(value)


def cast_all(texts: Any, kind: pa.DataType) -> Any:
    """Return text as numbers, None where a cell is none."""
    try:
        # Arrow composes an error for every single word, so that a column of words takes long to fail.
        pc.cast(texts.slice(0, TRIED), kind)
        return pc.cast(texts, kind)
    except pa.ArrowInvalid:
        return None


def _parsed(texts: pa.ChunkedArray) -> Floats:
    parsed = cast_all(texts, pa.float64())
    if parsed is None:
        texts = pc.if_else(pc.match_substring_regex(texts, NUMBER), texts, NOTHING)
        parsed = pc.cast(texts, pa.float64())
    return np.asarray(parsed.to_numpy(), dtype=np.float64)


def _since_epoch(column: pd.Series, known: Mask) -> Floats:
    dates = pd.to_datetime(column, errors="coerce", utc=True, format="ISO8601").dt.tz_localize(None)
    found: Floats = dates.to_numpy(dtype="datetime64[us]").astype("int64") / 86_400e6
    found[dates.isna().to_numpy(dtype=bool)] = np.nan
    # Older versions of pandas have no dates after 2262.
    for i in np.flatnonzero(known & np.isnan(found)):
        found[i] = _far_day(str(column.iloc[i]))
    return found


def _far_day(text: str) -> float:
    try:
        return float(date.fromisoformat(text[:10]).toordinal() - date(1970, 1, 1).toordinal())
    except ValueError:
        return np.nan


def _mask(found: pa.ChunkedArray) -> Mask:
    return np.asarray(pc.fill_null(found, False).to_numpy(), dtype=bool)
