"""Inference of the schema of a table: the role and the encoder of every column."""

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from highwaygraph.data.tables.cells import is_list
from highwaygraph.data.tables.encoders import (
    TOKEN,
    Category,
    Date,
    Encoder,
    Flag,
    Ignored,
    Number,
    Text,
    Vector,
    days,
)
from highwaygraph.data.tables.labels import is_split
from highwaygraph.data.tables.read_log import quote_list
from highwaygraph.data.tables.schema import IDS, LABELS, SPLITS, ColumnRoles
from highwaygraph.errors import DataError

MOST_CATEGORIES = 50


# A column of counts or flags keeps its zeros: moving them would make a sparse table dense.
MOSTLY_ZERO = 0.5


DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}|$)")


def infer_encoder(column: pd.Series) -> Encoder:
    """Return the encoder of a column; `Ignored`, with the reason, where it carries no information."""
    known = column.dropna()
    if not len(known):
        return Ignored(why="empty")
    if known.map(is_list).all():
        return _infer_lists(known)
    if pd.api.types.is_bool_dtype(known) or known.map(lambda v: isinstance(v, bool | np.bool_)).all():
        return Flag(missing=len(known) < len(column))
    if pd.api.types.is_datetime64_any_dtype(known) or known.map(lambda v: bool(DATE.match(str(v)))).all():
        return _infer_dates(column)
    if pd.api.types.is_numeric_dtype(known):
        return _infer_numbers(known.astype(float), len(column))
    return _infer_words(known.astype(str))


def _infer_dates(column: pd.Series) -> Encoder:
    when = days(column)
    known = when[np.isfinite(when)]
    if len(known) < 2 or known.std() == 0:
        return Ignored(why="the same everywhere")
    return Date(mean=float(known.mean()), scale=float(known.std()), missing=len(known) < len(column))


def _infer_numbers(known: pd.Series, count: int) -> Encoder:
    finite = known[np.isfinite(known)]
    if finite.nunique() < 2:
        return Ignored(why="the same everywhere" if len(finite) else "no finite number in it")
    missing = len(finite) < count
    if (finite >= 0).all() and (finite == 0).mean() > MOSTLY_ZERO:
        return Number(mean=0, scale=float(finite.max()), missing=missing)
    return Number(mean=float(finite.mean()), scale=float(finite.std(ddof=0)), missing=missing)


def _infer_words(known: pd.Series) -> Encoder:
    distinct = known.nunique()
    if distinct == 1:
        return Ignored(why="the same everywhere")
    if distinct <= MOST_CATEGORIES and distinct <= max(2, len(known) / 2):
        return Category(values=sorted(known.unique()))
    if distinct == len(known) and known.map(lambda text: len(TOKEN.findall(text))).mean() < 2:
        return Ignored(why="another word in every row, like a name")
    return Text(listed=False)


def _infer_lists(known: pd.Series) -> Encoder:
    numbers = known.map(lambda value: all(isinstance(e, int | float | np.number) for e in value)).all()
    if not numbers:
        return Text(listed=True)
    lengths = known.map(len)
    if lengths.nunique() > 1 or not lengths.iloc[0]:
        return Ignored(why="lists of numbers, not all of one length")
    table = np.stack([np.asarray(value, dtype=np.float64) for value in known])
    finite = table[np.isfinite(table)]
    return Vector(length=int(lengths.iloc[0]), scale=(float(finite.std()) if len(finite) else 0.0) or 1.0)


def find_roles(columns: Sequence[str], nodes: pd.DataFrame, names: ColumnRoles) -> ColumnRoles:
    """Return the columns of id, label and split, as named or as inferred.

    Args:
        columns: All columns of the table.
        nodes: All rows of the columns that `role_candidates` returns, at least.
        names: Columns that the user named.
    """
    label, split = _named(columns, names.label, LABELS, "label"), _named(columns, names.split, SPLITS, "split")
    if split and not names.split and not is_split(nodes[split]):
        split = ""
    id_column = _named(columns, names.id, IDS, "id")
    if not id_column:
        id_column = next((name for name in columns if name not in (label, split)), "")
        if not id_column or not nodes[id_column].is_unique:
            raise DataError("No column of the nodes looks like an id: name it with --id (id=...).")
    return ColumnRoles(id_column, label, split)


def role_candidates(columns: Sequence[str], names: ColumnRoles) -> list[str]:
    """Return the columns that `find_roles` has to read."""
    label, split = _named(columns, names.label, LABELS, "label"), _named(columns, names.split, SPLITS, "split")
    id_column = _named(columns, names.id, IDS, "id")
    # Without a usual name the first column is the id; the split's where that holds no split after all.
    others = [name for name in columns if name != label][:2]
    wanted = {label, split, *([id_column] if id_column else others)}
    return [name for name in columns if name in wanted]


def _named(columns: Sequence[str], wanted: str, usual: tuple[str, ...], what: str) -> str:
    """Return the column that the user named, else the first with a usual name."""
    if wanted and wanted not in columns:
        raise DataError(f"The nodes have no column {wanted!r} for the {what}: there are {quote_list(columns)}.")
    lower = {name.strip().lower(): name for name in reversed(list(columns))}
    return wanted or next((lower[name] for name in usual if name in lower), "")
