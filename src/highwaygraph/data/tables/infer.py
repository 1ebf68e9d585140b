"""Inference of the encoder of a column from its cells."""

from typing import Any

import numpy as np
import pandas as pd

from highwaygraph.data.tables.cells import is_list, is_numeric_array, parse_list
from highwaygraph.data.tables.columns import (
    CODE,
    DATE,
    Floats,
    days,
    encode_words,
    has_codes,
    has_missing,
    is_gap,
    is_text,
    matches,
    numbers,
    text_column,
    texts,
)
from highwaygraph.data.tables.encoders import Category, Date, Encoder, Flag, Ignored, Number, Text, Vector
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.tidy import tidy
from highwaygraph.data.tables.tokens import count_words

MOST_CATEGORIES = 50


# A column of counts or flags keeps its zeros: moving them would make a sparse table dense.
MOSTLY_ZERO = 0.5


LARGEST = np.finfo(np.float32).max


# Numbers with a decimal comma, separators of thousands, a currency, a unit or a percent sign.
LOCAL_NUMBER = r"^[$€£¥]?\s*[+-]?\d+(?:[.,'\s]\d+)*\s*(?:%|[$€£¥]|[A-Za-z]{1,3})?$"


# Share of numbers above which the other cells of a column are remarked on.
MOSTLY_NUMBERS = 0.5


def infer_encoder(column: pd.Series) -> Encoder:
    """Return the encoder of a column; `Ignored`, with the reason, where it carries no information."""
    column = column if is_text(column) else tidy(column)
    known = column.dropna() if has_missing(column) else column
    if not len(known):
        return Ignored(why="empty")
    if is_text(column):
        return _infer_text(known, len(column))
    # Only a column of objects can hold lists, or truth values beside missing ones.
    if known.dtype == object and known.map(is_list).any():
        return _infer_lists(known)
    if pd.api.types.is_bool_dtype(known) or (known.dtype == object and known.map(_is_truth).all()):
        return Flag(missing=len(known) < len(column))
    if pd.api.types.is_datetime64_any_dtype(known):
        return _infer_dates(days(known), len(column))
    return _infer_numbers(numbers(known), len(column))


def note_words(name: str, column: pd.Series, encoder: Encoder, log: ReadLog) -> None:
    """Note a column that is read as words although most of its cells are numbers, or look like numbers."""
    if not is_text(column) or not isinstance(encoder, Category | Text | Ignored):
        return
    # A word occurs often: every one is looked at once.
    codes, words = encode_words(texts(column))
    distinct = text_column(words)
    gaps = is_gap(distinct)
    is_number = np.zeros(len(gaps), dtype=bool)
    is_number[~gaps] = ~np.isnan(numbers(distinct[~gaps]))
    stated = ~np.append(gaps, True)[codes]
    known, codes = column[stated], codes[stated]
    plain, local = is_number[codes], (matches(distinct, LOCAL_NUMBER) & ~is_number)[codes]
    if not len(known) or (plain | local).mean() < MOSTLY_NUMBERS:
        return
    zeros = matches(known, CODE) & plain
    done = "the column is read as words"
    if plain.all():
        log.find(f"cells of {name!r} with leading zeros", known[zeros], int(zeros.sum()), done)
        return
    log.find(f"cells of {name!r} with separators, signs or units among numbers", known[local],
             int(local.sum()), f"{done}: write them like 1234.56")  # fmt: skip
    other = known[~plain & ~local]
    log.find(f"words in the column {name!r} among numbers", other, len(other), f"{done}: leave such cells empty")


def _infer_text(known: pd.Series, count: int) -> Encoder:
    """Return the encoder of the cells of a column of text that are not missing."""
    found = numbers(known)
    gaps = np.isnan(found)
    if gaps.any():
        gaps = is_gap(known)
    if not gaps.all():
        stated = known[~gaps] if gaps.any() else known
        if not np.isnan(found[~gaps]).any():
            return _infer_words(known) if has_codes(stated) else _infer_numbers(found[~gaps], count)
        # A word occurs often: every one is looked at once.
        distinct = text_column(encode_words(texts(stated))[1])
        if matches(distinct, "^(?i:true|false)$").all():
            return Flag(missing=len(stated) < count)
        if matches(distinct, DATE).all():
            return _infer_dates(days(stated), count)
        if matches(distinct, r"^\[[\s\S]*\]$").all():
            return _infer_lists(stated.map(parse_list).astype(object))
    return _infer_words(known)


def _infer_dates(when: Floats, count: int) -> Encoder:
    known = when[np.isfinite(when)]
    if len(known) < 2 or known.std() == 0:
        return Ignored(why="the same everywhere")
    return Date(mean=float(known.mean()), scale=float(known.std()), missing=len(known) < count)


def _infer_numbers(values: Floats, count: int) -> Encoder:
    finite = values[np.isfinite(values)]
    if not len(finite) or (finite == finite[0]).all():
        return Ignored(why="the same everywhere" if len(finite) else "no finite number in it")
    missing = len(finite) < count
    if np.abs(finite).max() > LARGEST:
        return Ignored(why="numbers beyond the range of float32")
    if (finite >= 0).all() and (finite == 0).mean() > MOSTLY_ZERO:
        return Number(mean=0, scale=float(finite.max()), missing=missing)
    return Number(mean=float(finite.mean()), scale=float(finite.std(ddof=0)), missing=missing)


def _infer_words(known: pd.Series) -> Encoder:
    distinct = encode_words(texts(known))[1]
    if len(distinct) == 1:
        return Ignored(why="the same everywhere")
    if len(distinct) <= MOST_CATEGORIES and len(distinct) <= max(2, len(known) / 2):
        return Category(values=sorted(distinct.to_pylist()))
    if len(distinct) == len(known) and count_words(texts(known)) < 2 * len(known):
        return Ignored(why="another word in every row, like a name")
    return Text(listed=False)


def _is_truth(value: object) -> bool:
    return isinstance(value, bool | np.bool_)


def _has_numbers(value: Any) -> bool:
    return is_numeric_array(value) or all(isinstance(entry, int | float | np.number) for entry in value)


def _infer_lists(known: pd.Series) -> Encoder:
    if not known.map(is_list).all():
        return Ignored(why="lists in some cells only")
    if not known.map(_has_numbers).all():
        return Text(listed=True)
    lengths = known.map(len)
    if lengths.nunique() > 1 or not lengths.iloc[0]:
        return Ignored(why="lists of numbers, not all of one length")
    table = np.stack([np.asarray(value, dtype=np.float64) for value in known])
    finite = table[np.isfinite(table)]
    return Vector(length=int(lengths.iloc[0]), scale=(float(finite.std()) if len(finite) else 0.0) or 1.0)
