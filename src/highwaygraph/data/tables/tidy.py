"""Text in one form: without surrounding whitespace, empty cells missing, of one type wherever it comes from."""

from itertools import islice
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from highwaygraph.data.tables.cells import is_list, is_missing
from highwaygraph.data.tables.columns import NOTHING, cells, is_text
from highwaygraph.data.tables.read_log import quote_list
from highwaygraph.errors import DataError

# Kinds of `pandas.api.types.infer_dtype` that keep their type; other objects become text.
TYPED = ("integer", "floating", "mixed-integer-float", "boolean", "empty")


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
    columns = dict(frame.items())
    trimmed = _trim_all({name: cells(column) for name, column in columns.items() if is_text(column)})
    tidied = {
        name: _as_column(trimmed[name], column) if name in trimmed else tidy(column) for name, column in columns.items()
    }
    return pd.DataFrame(tidied, index=frame.index, copy=False)


def _trim_all(columns: dict[Any, pa.ChunkedArray]) -> dict[Any, pa.ChunkedArray]:
    """Return columns of text in one form; none where a text is not valid Unicode."""
    # One call for the chunks of all columns: in a wide table, the calls take longer than the cells.
    by_column = {name: [chunk for chunk in column.chunks if len(chunk)] for name, column in columns.items()}
    chunks = [chunk for some in by_column.values() for chunk in some]
    try:
        trimmed = _trim(pa.chunked_array(chunks, pa.large_string())).chunks
    except pa.ArrowInvalid:
        # The columns one by one give an error that names the column.
        return {}
    if [len(chunk) for chunk in trimmed] != [len(chunk) for chunk in chunks]:
        # Arrow does not promise to keep the chunks.
        return {}
    rest = iter(trimmed)
    return {
        name: pa.chunked_array(list(islice(rest, len(some))), pa.large_string()) for name, some in by_column.items()
    }


def _as_text(column: pd.Series, values: Any) -> pd.Series:
    try:
        texts = pa.array(values, from_pandas=True)
        if not isinstance(texts, pa.ChunkedArray):
            texts = pa.chunked_array([texts])
        known = _trim(texts.cast(pa.large_string()))
    except (UnicodeError, pa.ArrowInvalid) as error:
        raise DataError(f"The column {str(column.name)!r} holds text that is not valid Unicode: correct it.") from error
    return _as_column(known, column)


def _trim(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    trimmed = pc.utf8_trim_whitespace(texts)
    return pc.if_else(pc.equal(trimmed, ""), NOTHING, trimmed)


def _as_column(known: pa.ChunkedArray, column: pd.Series) -> pd.Series:
    return pd.Series(pd.arrays.ArrowExtensionArray(known), index=column.index, name=column.name, copy=False)
