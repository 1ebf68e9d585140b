"""Whole columns: text in one form, and its reading as numbers, dates, flags or words.

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
from highwaygraph.data.tables.read_log import quote_list
from highwaygraph.errors import DataError, shortened

TEXT = pd.ArrowDtype(pa.large_string())
"""The type of every column of text: without surrounding whitespace, empty cells missing."""


GAPS = ("na", "n/a", "nan", "none", "null", "<na>", "#n/a", "#na", "nat")
"""Words, in lower case, for a missing cell in a column of numbers, dates or flags; elsewhere they are words."""


TIME = r"[T ][0-2]\d:[0-5]\d(?::\d{2}(?:\.\d+)?)?\s?(?:Z|UTC|[+-]\d{2}:?\d{2})?"
DATE = rf"^\d{{4}}-\d{{2}}-\d{{2}}(?:{TIME})?$"
NUMBER = r"^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$"
CODE = r"^[+-]?0\d"


# Kinds of `pandas.api.types.infer_dtype` that keep their type; other objects become text.
TYPED = ("integer", "floating", "mixed-integer-float", "boolean", "empty")


TRUE, FALSE = ("true", "yes", "y", "t", "1", "1.0"), ("false", "no", "n", "f", "0", "0.0")


Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


def tidy(column: pd.Series) -> pd.Series:
    """Return a column of text as `TEXT`; columns of numbers, flags, times and lists as they are."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        column = column.astype(object)
    if isinstance(column.dtype, pd.SparseDtype):
        column = column.sparse.to_dense()
    if column.dtype == object:
        if pd.api.types.infer_dtype(column, skipna=True) in TYPED or column.map(is_list).any():
            return column
        return _as_text(column, [None if is_missing(value) else str(value) for value in column])
    return _as_text(column, column.array) if pd.api.types.is_string_dtype(column) else column


def tidy_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with text in one form in all of its columns, which must have different names."""
    if not frame.columns.is_unique:
        repeated = frame.columns[frame.columns.duplicated()].unique()
        raise DataError(f"Columns have the same name: {quote_list(repeated)}. Rename one of each.")
    return pd.DataFrame({name: tidy(frame[name]) for name in frame.columns}, index=frame.index)


def is_text(column: pd.Series) -> bool:
    """Return whether a column has the type that `tidy` gives to text."""
    return bool(column.dtype == TEXT)


def cells(column: pd.Series) -> pa.ChunkedArray:
    """Return a column of text as Arrow holds it."""
    return cast("pa.ChunkedArray", column.array.__arrow_array__())


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
        known = matches(column, DATE)
        return _since_epoch(column.astype(object).where(known, None), known)
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
    if is_text(column):
        found: NDArray[np.object_] = column.to_numpy(dtype=object, na_value=None)
        return found
    return np.array([None if is_missing(value) else _word(value) for value in column], dtype=object)


def shown_cells(column: pd.Series, length: int) -> list[str]:
    """Return the cells of a column of text for reports: missing ones empty, long ones cut to a length."""
    texts = pc.fill_null(cells(column), "").to_pylist()
    return [shortened(text, length) for text in texts]


def _word(value: Any) -> str:
    # A column of whole numbers with a gap is one of floats in pandas.
    return str(int(value)) if isinstance(value, float | np.floating) and value.is_integer() else str(value)


def _parsed(texts: pa.ChunkedArray) -> Floats:
    try:
        parsed = pc.cast(texts, pa.float64())
    except pa.ArrowInvalid:
        texts = pc.if_else(pc.match_substring_regex(texts, NUMBER), texts, pa.scalar(None, pa.large_string()))
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


def _as_text(column: pd.Series, values: Any) -> pd.Series:
    try:
        texts = pa.array(values, from_pandas=True)
        if not isinstance(texts, pa.ChunkedArray):
            texts = pa.chunked_array([texts])
        trimmed = pc.utf8_trim_whitespace(texts.cast(pa.large_string()))
    except (UnicodeError, pa.ArrowInvalid) as error:
        raise DataError(f"The column {str(column.name)!r} holds text that is not valid Unicode: correct it.") from error
    known = pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.large_string()), trimmed)
    return pd.Series(pd.arrays.ArrowExtensionArray(known), index=column.index, name=column.name)


def _mask(found: pa.ChunkedArray) -> Mask:
    return np.asarray(pc.fill_null(found, False).to_numpy(), dtype=bool)
