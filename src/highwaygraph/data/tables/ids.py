"""Rules for the ids of nodes, the same for tables that are loaded and tables that are converted."""

import re
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from highwaygraph.data.tables.columns import cast_all, encode_words, is_text, texts, words
from highwaygraph.data.tables.read_log import FIRST, ReadLog
from highwaygraph.data.tables.tidy import tidy
from highwaygraph.errors import DataError

WHOLE, POINT = r"(?:0|-?[1-9]\d{0,15})(?:\.0+)?", r"\.0+$"


# A whole number that WHOLE matches is smaller.
MAX_WHOLE = 10**16


Positions = NDArray[np.int64]


def clean_ids(column: pd.Series) -> pd.Series:
    """Return ids as integers where all are written as whole numbers, else as text, as they are written."""
    if pd.api.types.is_integer_dtype(column) and (not len(column) or column.max() < MAX_WHOLE):
        return column
    written = texts(tidy(column))
    numbers = _plain_numbers(written)
    if numbers is not None:
        return pd.Series(numbers, index=column.index)
    whole = whole_words(written)
    if whole is not None:
        return pd.Series(whole.cast(pa.int64()).to_numpy(), index=column.index)
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([written])), index=column.index)


def whole_words(written: pa.Array) -> pa.Array | None:
    """Return whole numbers without a decimal point; None where a word is none, or where two words would become one.

    Text such as 7.0 stands for 7 where a missing value made floats of a column; 007 is a word, and so is 7.0 beside 7.
    """
    if not is_whole(written).all():
        return None
    numbers = without_zeros(written)
    return numbers if pc.count_distinct(numbers) == pc.count_distinct(written) else None


def select_nodes(column: pd.Series, log: ReadLog) -> tuple[list[Any], NDArray[np.bool_]]:
    """Return the ids and the rows they stand in: rows without an id are left out, of equal ids the first is kept."""
    column = tidy(column)
    missing = column.isna().to_numpy(dtype=bool)
    rows = (f"row {i + 1}" for i in np.flatnonzero(missing))
    log.find("nodes without an id", rows, int(missing.sum()), "left out")
    ids = clean_ids(column[~missing] if missing.any() else column)
    repeated = _repeated(ids)
    log.find(
        "nodes with an id that came before",
        ids[repeated].head(FIRST),
        int(repeated.sum()),
        "only the first of each is kept",
    )
    if not len(ids):
        raise DataError("The table of nodes has no node in it: check the file.")
    kept = ~missing
    kept[kept] = ~repeated
    unique = ids[~repeated] if repeated.any() else ids
    return (words(unique) if is_text(unique) else unique).tolist(), kept


def without_point(word: str) -> str:
    """Return a whole number without its decimal point, any other word as it is."""
    return re.sub(POINT, "", word) if re.fullmatch(WHOLE, word) else word


def whole_numbers(cells: pd.Series) -> Positions:
    """Return cells as whole numbers; the smallest integer, which is no id, where a cell is not written as one."""
    if pd.api.types.is_integer_dtype(cells):
        given: Positions = cells.to_numpy(np.int64)
        return given
    written = texts(cells)
    plain = _plain_numbers(written)
    if plain is not None:
        return plain
    whole = is_whole(written)
    numbers = np.full(len(written), np.iinfo(np.int64).min)
    numbers[whole] = without_zeros(written.filter(pa.array(whole))).cast(pa.int64()).to_numpy()
    return numbers


def is_whole(written: pa.Array) -> NDArray[np.bool_]:
    """Return which words are whole numbers, with or without a decimal point; missing ones are not."""
    found = pc.fill_null(pc.match_substring_regex(written, f"^(?:{WHOLE})$"), False)
    return np.asarray(found.to_numpy(zero_copy_only=False), dtype=bool)


def without_zeros(written: pa.Array) -> pa.Array:
    """Return whole numbers without a decimal point."""
    return pc.replace_substring_regex(written, POINT, "")


def _plain_numbers(written: pa.Array) -> Positions | None:
    """Return words as whole numbers where all are written without leading zeros and a decimal point, else None."""
    numbers = cast_all(written, pa.int64())
    # Arrow also parses 007; only a word that a number is written as stands for it.
    if numbers is None or numbers.null_count or not numbers.cast(pa.large_string()).equals(written):
        return None
    values: Positions = numbers.to_numpy()
    return values if (np.abs(values) < MAX_WHOLE).all() else None


def _repeated(ids: pd.Series) -> NDArray[np.bool_]:
    """Return which ids came before."""
    if not is_text(ids):
        return np.asarray(ids.duplicated(), dtype=bool)
    codes, distinct = encode_words(texts(ids))
    if len(distinct) == len(codes):
        return np.zeros(len(codes), dtype=bool)
    # Words are numbered in the order of their first cell.
    return codes <= np.maximum.accumulate(np.concatenate([[-1], codes[:-1]]))
