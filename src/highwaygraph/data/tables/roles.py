"""The roles of the columns of a table of nodes: id, label and split.

The id is the column whose cells are the ends of edges; names of columns only decide which one is tried first.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pandas as pd

from highwaygraph.data.tables.columns import is_text, numbers, tidy, words
from highwaygraph.data.tables.edges import NO_WEIGHT
from highwaygraph.data.tables.ids import NodeIndex, clean_ids
from highwaygraph.data.tables.labels import PARTS, is_split
from highwaygraph.data.tables.read_log import ReadLog, quote_list
from highwaygraph.data.tables.schema import IDS, LABELS, SPLITS, ColumnRoles
from highwaygraph.errors import DataError

# Ends of edges that are looked up, and the share of them that a column of ids holds at least.
ENDS_TRIED, FOUND = 10_000, 0.9


# Columns that are tried besides those whose name suggests an id.
COLUMNS_TRIED = 100


Reader = Callable[[str], pd.Series]
"""Returns all cells of a column."""


def find_roles(
    columns: Sequence[str], read: Reader, names: ColumnRoles, ends: pd.Series, log: ReadLog | None = None
) -> ColumnRoles:
    """Return the columns of id, label and split, as named or as inferred.

    Args:
        columns: All columns of the table.
        read: Returns a column of the table.
        names: Columns that the user named.
        ends: Some ends of edges.
        log: Takes a column that looks like a split but is none.
    """
    label = _named(columns, names.label, LABELS, "label")
    split = _named(columns, names.split, SPLITS, "split")
    if split and not names.split and not is_split(read(split)):
        _note_no_split(split, read(split), log)
        split = ""
    node = names.id and _named(columns, names.id, (), "id")
    node = node or _find_id([name for name in columns if name not in (label, split)], read, ends)
    return names._replace(id=node, label=label, split=split)


def remembered(
    names: ColumnRoles, before: ColumnRoles, columns: Sequence[str], edge_columns: Sequence[str]
) -> ColumnRoles:
    """Return the columns that the user named, else those of an earlier table that these ones have too."""
    have = {"weight": [*edge_columns, NO_WEIGHT]}
    kept = {role: name for role, name in before._asdict().items() if name in have.get(role, columns)}
    return ColumnRoles(**(kept | {role: name for role, name in names._asdict().items() if name}))


def _find_id(columns: Sequence[str], read: Reader, ends: pd.Series) -> str:
    """Return the first column that holds nearly all ends of edges, else the one that holds the most of them."""
    tried = tidy(ends).dropna().drop_duplicates().head(ENDS_TRIED)
    best, best_share = "", 0.0
    for name in _by_preference(columns) if len(tried) else ():
        share = _share_found(read(name), tried)
        if share > best_share:
            best, best_share = name, share
        if share >= FOUND:
            break
    if best_share:
        _refuse_missing_header(best, tried)
    return best or _usual_id(columns, read)


def _share_found(column: pd.Series, ends: pd.Series) -> float:
    """Return the share of ends that are cells of a column, compared as ids are."""
    column = tidy(column)
    if not (is_text(column) or pd.api.types.is_integer_dtype(column) or _is_whole(column)):
        return 0.0
    # A table may have millions of nodes; only cells that could be one of the ends are made into ids.
    forms = {form for end in words(ends) for form in (str(end), str(end).removesuffix(".0"), f"{end}.0")}
    likely = column[pd.Series(words(column), index=column.index, dtype=object).isin(forms)]
    return float((NodeIndex(clean_ids(likely).tolist()).positions(ends) >= 0).mean()) if len(likely) else 0.0


def _is_whole(column: pd.Series) -> bool:
    """Return whether a column of floats or of objects holds whole numbers: those of a column with gaps."""
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        return False
    known = numbers(column)[column.notna().to_numpy(dtype=bool)]
    return bool(len(known)) and bool((known % 1 == 0).all())


def _by_preference(columns: Sequence[str]) -> Iterator[str]:
    """Yield columns: those with a usual name, those that end in id, the first, and the others."""
    lower = {name: name.strip().lower() for name in columns}
    usual = [name for wanted in IDS for name in columns if lower[name] == wanted]
    ending = [name for name in columns if lower[name].endswith("id")]
    yield from dict.fromkeys([*usual, *ending, *columns[:COLUMNS_TRIED]])


def _usual_id(columns: Sequence[str], read: Reader) -> str:
    """Return the column with a usual name, else the first if it has no cell twice."""
    lower = {name.strip().lower(): name for name in reversed(list(columns))}
    usual = next((lower[name] for name in IDS if name in lower), "")
    if usual or (columns and read(columns[0]).is_unique):
        return usual or columns[0]
    raise DataError("No column of the nodes looks like an id: name it with --id (id=...).")


def _refuse_missing_header(name: str, ends: pd.Series) -> None:
    if name.strip().lower() not in IDS and bool(np.isin(name, words(ends).astype(str))):
        raise DataError(
            f"The table of nodes has no header: its first line holds {name!r}, which is an end of an edge. "
            "Add a line with the names of its columns."
        )


def _note_no_split(name: str, column: pd.Series, log: ReadLog | None) -> None:
    found = {str(word).strip().lower() for word in words(tidy(column)) if word is not None}
    if log is not None and found & set(PARTS):
        other = sorted(found - set(PARTS))
        log.find(f"words in the column {name!r} other than train, val and test", other, len(other),
                 f"it is read as a feature: name it with --split-by {name}, if it is the split")  # fmt: skip


def _named(columns: Sequence[str], wanted: str, usual: tuple[str, ...], what: str) -> str:
    """Return the column that the user named, else the first with a usual name."""
    if wanted and wanted not in columns:
        raise DataError(f"The nodes have no column {wanted!r} for the {what}: there are {quote_list(columns)}.")
    lower = {name.strip().lower(): name for name in reversed(list(columns))}
    return wanted or next((lower[name] for name in usual if name in lower), "")
