"""The roles of the columns of a table of nodes: id, label and split.

The id is the column whose cells are the ends of edges; names of columns only decide which one is tried first.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from highwaygraph.data.formats import RUN_PREFIX
from highwaygraph.data.tables.columns import is_text, numbers, texts, words
from highwaygraph.data.tables.edge_columns import NO_WEIGHT, edge_columns, has_usual_ends, listed
from highwaygraph.data.tables.ids import clean_ids
from highwaygraph.data.tables.labels import PARTS, is_split
from highwaygraph.data.tables.node_index import NodeIndex
from highwaygraph.data.tables.read_log import ReadLog, quote_list
from highwaygraph.data.tables.schema import IDS, LABELS, SPLITS, ColumnRoles
from highwaygraph.data.tables.tidy import tidy
from highwaygraph.errors import DataError

# Ends of edges that are looked up, and the share of them that a column of ids holds at least.
ENDS_TRIED, FOUND = 10_000, 0.9


# Share below which a column is no id, whatever the others hold.
LEAST = 0.5


# Columns that are tried besides those whose name suggests an id, and columns that the ends are compared with.
COLUMNS_TRIED, IDS_TRIED = 100, 20


# Roles of columns of the edges, and the separator of labels, which is no column.
NOT_OF_NODES = ("weight", "source", "target", "edge_type", "edge_features", "label_separator")


Reader = Callable[[str], pd.Series]
"""Returns all cells of a column."""


def find_roles(columns: Sequence[str], read: Reader, names: ColumnRoles, ends: pd.Series, log: ReadLog) -> ColumnRoles:
    """Return the columns of id, label and split, as named or as inferred.

    Args:
        columns: All columns of the table.
        read: Returns a column of the table.
        names: Columns that the user named.
        ends: Some ends of edges.
        log: Takes a column that looks like a split but is none, and an id that has another name than usual.
    """
    label = _named(columns, names.label, LABELS, "label")
    split = _named(columns, names.split, SPLITS, "split")
    if split and not names.split and not is_split(read(split)):
        _note_no_split(split, read(split), log)
        split = ""
    node, graph = (
        name and _named(columns, name, (), what) for name, what in ((names.id, "id"), (names.graph, "graph"))
    )
    others = [name for name in columns if name not in (label, split, graph)]
    node = node or _find_id(others, read, ends, log)
    return names._replace(id=node, label=label, split=split)


def find_ends(edges: pd.DataFrame, names: ColumnRoles, columns: Sequence[str], read: Reader) -> ColumnRoles:
    """Return the names with the two columns of the edges that hold ids of nodes.

    Args:
        edges: Some rows of the edges.
        names: Columns that the user named.
        columns: All columns of the nodes.
        read: Returns a column of the nodes.
    """
    found = edge_columns(list(edges.columns), names)
    taken = (found.weight, found.edge_type, *found.edge_features)
    others = [name for name in edges.columns if name not in taken and not name.startswith(RUN_PREFIX)]
    if names.source or has_usual_ends(list(edges.columns)) or len(others) == 2 or not len(edges):
        return names._replace(source=found.source, target=found.target)
    shares = _end_shares(edges[others], columns, read)
    second = sorted(shares.values())[-2]
    ends = [name for name in others if shares[name] >= second]
    if second < LEAST or len(ends) > 2:
        raise DataError(
            f"Which two columns of the edges hold the ids of nodes ({quote_list(others)})? Name them with --ends "
            f"(ends=...), as in --ends {others[0]},{others[1]}."
        )
    return names._replace(source=ends[0], target=ends[1])


def _end_shares(edges: pd.DataFrame, columns: Sequence[str], read: Reader) -> dict[str, float]:
    """Return the share of every column of the edges that one column of the nodes holds: that which holds two best.

    Both ends are ids, cells of the same column of the nodes; a date or a category may be a cell of another column.
    """
    best: list[float] = [0.0] * edges.shape[1]
    for name in islice(_by_preference(columns), IDS_TRIED):
        column = read(name)
        shares = [_end_share(edges[end], column) for end in edges]
        if sorted(shares)[-2:] > sorted(best)[-2:]:
            best = shares
        if sorted(best)[-2] >= FOUND and name in _usual(columns):
            break
    return dict(zip(edges, best, strict=True))


def _end_share(cells: pd.Series, column: pd.Series) -> float:
    """Return the share of an edge column's cells that a column of the nodes holds; missing ones are not held."""
    present = tidy(cells).dropna()
    tried = present.drop_duplicates().head(ENDS_TRIED)
    return _share_found(column, tried) * len(present) / len(cells) if len(tried) else 0.0


def remembered(
    names: ColumnRoles, before: ColumnRoles, columns: Sequence[str], edge_columns: Sequence[str]
) -> ColumnRoles:
    """Return the columns that the user named, else those of an earlier table that these ones have too."""
    kept = {role: name for role, name in before._asdict().items() if name in columns and role not in NOT_OF_NODES}
    if "label" in kept:
        kept["label_separator"] = before.label_separator
    if before.weight in (*edge_columns, NO_WEIGHT):
        kept["weight"] = before.weight
    if before.edge_type in edge_columns:
        kept["edge_type"] = before.edge_type
    if set(listed(before.edge_features)) <= set(edge_columns):
        kept["edge_features"] = before.edge_features
    if {before.source, before.target} <= set(edge_columns):
        kept |= {"source": before.source, "target": before.target}
    return ColumnRoles(**(kept | {role: name for role, name in names._asdict().items() if name}))


def _find_id(columns: Sequence[str], read: Reader, ends: pd.Series, log: ReadLog) -> str:
    """Return a column with a usual name that holds nearly all ends, else the one that holds the most of them."""
    tried = tidy(ends).dropna().drop_duplicates().head(ENDS_TRIED)
    usual = _usual(columns)
    shares: dict[str, float] = {}
    for name in _by_preference(columns) if len(tried) else ():
        shares[name] = _share_found(read(name), tried)
        if name in usual and shares[name] >= FOUND:
            break
    best = max(shares, key=shares.__getitem__, default="")
    if not best or shares[best] < LEAST:
        return _usual_id(columns, read)
    if not (best in usual and shares[best] >= FOUND):
        best = _unambiguous([name for name in shares if shares[name] == shares[best]], read)
    _refuse_missing_header(best, tried)
    if usual and best not in usual:
        log.find(f"ends of edges tried, of which the column {usual[0]!r} holds {shares[usual[0]]:.0%}", (), len(tried),
                 f"ids are read from {best!r}, which holds {shares[best]:.0%}; name another one with --id")  # fmt: skip
    return best


def _unambiguous(columns: list[str], read: Reader) -> str:
    """Return the one of several columns that hold as many ends, in which no cell is repeated."""
    unique = [name for name in columns if read(name).dropna().is_unique] or columns
    if len(unique) > 1:
        raise DataError(
            f"Several columns of the nodes may be the id ({quote_list(unique)}): name it with --id (id=...)."
        )
    return unique[0]


def _share_found(column: pd.Series, ends: pd.Series) -> float:
    """Return the share of ends that are cells of a column, compared as ids are."""
    column = tidy(column)
    if not (is_text(column) or pd.api.types.is_integer_dtype(column) or _is_whole(column)):
        return 0.0
    # A table may have millions of nodes; only cells that could be one of the ends are made into ids.
    forms = {form for end in words(ends) for form in (str(end), str(end).removesuffix(".0"), f"{end}.0")}
    likely = column[pc.is_in(texts(column), pa.array(sorted(forms), pa.large_string())).to_numpy(zero_copy_only=False)]
    return float((NodeIndex(clean_ids(likely).tolist()).positions(ends) >= 0).mean()) if len(likely) else 0.0


def _is_whole(column: pd.Series) -> bool:
    """Return whether a column of floats or of objects holds whole numbers: those of a column with gaps."""
    if pd.api.types.is_bool_dtype(column) or pd.api.types.is_datetime64_any_dtype(column):
        return False
    known = numbers(column)[column.notna().to_numpy(dtype=bool)]
    return bool(len(known)) and bool((known % 1 == 0).all())


def _by_preference(columns: Sequence[str]) -> Iterator[str]:
    """Yield columns: those with a usual name, those that end in id, and the others."""
    ending = [name for name in columns if name.strip().lower().endswith("id")]
    yield from dict.fromkeys([*_usual(columns), *ending, *columns[:COLUMNS_TRIED]])


def _usual(columns: Sequence[str]) -> list[str]:
    return [name for wanted in IDS for name in columns if name.strip().lower() == wanted]


def _usual_id(columns: Sequence[str], read: Reader) -> str:
    """Return the column with a usual name, else the first if it has no cell twice."""
    usual = _usual(columns)
    if usual or (columns and read(columns[0]).is_unique):
        return usual[0] if usual else columns[0]
    raise DataError("No column of the nodes looks like an id: name it with --id (id=...).")


def _refuse_missing_header(name: str, ends: pd.Series) -> None:
    if name.strip().lower() not in IDS and bool(np.isin(name, words(ends).astype(str))):
        raise DataError(
            f"The table of nodes has no header: its first line holds {name!r}, which is an end of an edge. "
            "Add a line with the names of its columns."
        )


def _note_no_split(name: str, column: pd.Series, log: ReadLog) -> None:
    found = {str(word).strip().lower() for word in words(tidy(column)) if word is not None}
    if found & set(PARTS):
        other = sorted(found - set(PARTS))
        log.find(f"words in the column {name!r} other than train, val and test", other, len(other),
                 f"it is read as a feature: name it with --split-by {name}, if it is the split")  # fmt: skip


def _named(columns: Sequence[str], wanted: str, usual: tuple[str, ...], what: str) -> str:
    """Return the column that the user named, else the first with a usual name."""
    if wanted and wanted not in columns:
        raise DataError(f"The nodes have no column {wanted!r} for the {what}: there are {quote_list(columns)}.")
    lower = {name.strip().lower(): name for name in reversed(list(columns))}
    return wanted or next((lower[name] for name in usual if name in lower), "")
