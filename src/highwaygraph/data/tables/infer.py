"""What a column of a table is, found out from its values."""

import re

import numpy as np
import pandas as pd

from highwaygraph.data.tables.encoders import (
    TOKEN,
    Category,
    Date,
    Encoder,
    Flag,
    Nothing,
    Number,
    Vector,
    Words,
    days,
    is_list,
)
from highwaygraph.data.tables.labels import is_split
from highwaygraph.data.tables.read_log import quote_list
from highwaygraph.data.tables.schema import IDS, LABELS, SPLITS, ColumnRoles
from highwaygraph.errors import DataError

MOST_CATEGORIES = 50


# A column of counts or flags keeps its zeros: moving them would make a sparse table dense.
MOSTLY_ZERO = 0.5


DATE = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}|$)")


def learn(column: pd.Series) -> Encoder:
    """Return how a column becomes features, or why it says nothing."""
    known = column.dropna()
    if not len(known):
        return Nothing(why="empty")
    if known.map(is_list).all():
        return _learn_lists(known)
    if pd.api.types.is_bool_dtype(known) or known.map(lambda v: isinstance(v, bool | np.bool_)).all():
        return Flag(missing=len(known) < len(column))
    if pd.api.types.is_datetime64_any_dtype(known) or known.map(lambda v: bool(DATE.match(str(v)))).all():
        return _learn_dates(column)
    if pd.api.types.is_numeric_dtype(known):
        return _learn_numbers(known.astype(float), len(column))
    return _learn_words(known.astype(str))


def _learn_dates(column: pd.Series) -> Encoder:
    when = days(column)
    known = when[np.isfinite(when)]
    if len(known) < 2 or known.std() == 0:
        return Nothing(why="the same everywhere")
    return Date(mean=float(known.mean()), scale=float(known.std()), missing=len(known) < len(column))


def _learn_numbers(known: pd.Series, count: int) -> Encoder:
    finite = known[np.isfinite(known)]
    if finite.nunique() < 2:
        return Nothing(why="the same everywhere" if len(finite) else "no finite number in it")
    missing = len(finite) < count
    if (finite >= 0).all() and (finite == 0).mean() > MOSTLY_ZERO:
        return Number(mean=0, scale=float(finite.max()), missing=missing)
    return Number(mean=float(finite.mean()), scale=float(finite.std(ddof=0)), missing=missing)


def _learn_words(known: pd.Series) -> Encoder:
    distinct = known.nunique()
    if distinct == 1:
        return Nothing(why="the same everywhere")
    if distinct <= MOST_CATEGORIES and distinct <= max(2, len(known) / 2):
        return Category(values=sorted(known.unique()))
    if distinct == len(known) and known.map(lambda text: len(TOKEN.findall(text))).mean() < 2:
        return Nothing(why="another word in every row, like a name")
    return Words(listed=False)


def _learn_lists(known: pd.Series) -> Encoder:
    numbers = known.map(lambda value: all(isinstance(e, int | float | np.number) for e in value)).all()
    if not numbers:
        return Words(listed=True)
    lengths = known.map(len)
    if lengths.nunique() > 1 or not lengths.iloc[0]:
        return Nothing(why="lists of numbers, not all of one length")
    table = np.stack([np.asarray(value, dtype=np.float64) for value in known])
    finite = table[np.isfinite(table)]
    return Vector(length=int(lengths.iloc[0]), scale=(float(finite.std()) if len(finite) else 0.0) or 1.0)


def find_roles(nodes: pd.DataFrame, names: ColumnRoles) -> ColumnRoles:
    """Return the columns that hold id, label and split, named or found out."""
    label, split = _named(nodes, names.label, LABELS, "label"), _named(nodes, names.split, SPLITS, "split")
    if split and not names.split and not is_split(nodes[split]):
        split = ""
    id_column = _named(nodes, names.id, IDS, "id")
    if not id_column:
        id_column = next((n for n in nodes.columns if n not in (label, split)), "")
        if not id_column or not nodes[id_column].is_unique:
            raise DataError("No column of the nodes looks like an id: say which one is, with --id (id=...).")
    return ColumnRoles(id_column, label, split)


def _named(nodes: pd.DataFrame, wanted: str, usual: tuple[str, ...], what: str) -> str:
    """Return the column that was asked for, else the first that is called as such columns usually are."""
    if wanted and wanted not in nodes.columns:
        raise DataError(f"The nodes have no column {wanted!r} for the {what}: there are {quote_list(nodes.columns)}.")
    lower = {name.strip().lower(): name for name in reversed(list(nodes.columns))}
    return wanted or next((lower[name] for name in usual if name in lower), "")
