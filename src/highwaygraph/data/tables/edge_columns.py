"""The roles of the columns of a table of edges: both ends, the weight, the type and the features."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pandas as pd

from highwaygraph.data.tables.ids import WHOLE
from highwaygraph.data.tables.node_index import NodeIndex
from highwaygraph.data.tables.read_log import Column, ReadLog, quote_list
from highwaygraph.data.tables.schema import INFERRED, ColumnRoles
from highwaygraph.errors import DataError

ENDS = (
    ("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"), ("node1", "node2"), ("head", "tail"),
    ("source_id", "target_id"), ("from_id", "to_id"), ("src_id", "dst_id"), ("source", "destination"),
)  # fmt: skip


WEIGHTS = ("weight", "w", "edge_weight")


NO_WEIGHT = "none"
"""Name that a user gives in place of a column for edges without weights."""


UNDIRECTED = "each edge is used in both directions"


USED = "for modules that take it"


class EdgeColumns(NamedTuple):
    """The columns of both ends, and those of their values; empty where there is none."""

    source: str
    target: str
    weight: str = ""
    edge_type: str = ""
    edge_features: tuple[str, ...] = ()


def describe_edge_columns(columns: list[str], names: ColumnRoles, ids: list[Any], log: ReadLog) -> EdgeColumns:
    """Return the columns of both ends and of the weight, and note the role of every column."""
    found = edge_columns(columns, names)
    if not has_usual_ends(columns):
        _refuse_missing_header(found, ids)
    roles = {found.source: ("end", UNDIRECTED), found.target: ("end", UNDIRECTED), found.weight: ("weight", "")}
    roles |= {found.edge_type: ("edge type", USED)} | dict.fromkeys(found.edge_features, ("edge feature", USED))
    ignored = ("ignored", "left out: name it with --edge-features or --edge-type for a module of your own")
    log.edge_columns = [Column(name, *roles.get(name, ignored)) for name in columns]
    return found


def edge_columns(columns: Sequence[str], names: ColumnRoles = INFERRED) -> EdgeColumns:
    """Return the columns of both ends and of their values: those named, those with usual names, else the first two.

    Args:
        columns: Names of all columns.
        names: The columns that the user named; the weight `none` for no weights. Types and features are never inferred.
    """
    weight, values = _weight_column(columns, names), _named_values(columns, names)
    others = [name for name in columns if name not in (weight, *values)]
    ends = _named_ends(columns, names) or _usual_ends(columns) or others[:2]
    if len(ends) < 2:
        raise DataError(f"The table of edges needs two columns of ids: it has {quote_list(columns)}.")
    if weight in ends:
        raise DataError(f"{weight!r} cannot be both an end of the edges and their weight: name others.")
    if set(values) & set(ends):
        raise DataError(f"{quote_list(set(values) & set(ends))} cannot be both an end of the edges and their type or "
                        "feature: name others.")  # fmt: skip
    return EdgeColumns(ends[0], ends[1], weight, names.edge_type, listed(names.edge_features))


def listed(names: str) -> tuple[str, ...]:
    """Return the columns that a text such as "a,b" names."""
    return tuple(dict.fromkeys(name for part in names.split(",") if (name := part.strip())))


def has_usual_ends(columns: Sequence[str]) -> bool:
    """Return whether two columns have usual names for the ends of edges."""
    return bool(_usual_ends(columns))


def _usual_ends(columns: Sequence[str]) -> list[str]:
    lower = {name.strip().lower(): name for name in reversed(list(columns))}
    return next(([lower[one], lower[other]] for one, other in ENDS if one in lower and other in lower), [])


def _named_ends(columns: Sequence[str], names: ColumnRoles) -> list[str]:
    named = [name for name in (names.source, names.target) if name]
    if named and (len(set(named)) < 2 or not set(named) <= set(columns)):
        shown = quote_list(columns)
        raise DataError(f"The ends of the edges are two of their columns ({shown}), not {quote_list(named)}.")
    return named


def _named_values(columns: Sequence[str], names: ColumnRoles) -> tuple[str, ...]:
    """Return the columns of the edges' type and features; refuse those that the table has not."""
    kind, features = names.edge_type, listed(names.edge_features)
    for what, found in (("type", (kind,) if kind else ()), ("features", features)):
        for name in found:
            if name not in columns:
                raise DataError(f"The edges have no column {name!r} for the {what}: there are {quote_list(columns)}.")
    return (kind, *features) if kind else features


def _weight_column(columns: Sequence[str], names: ColumnRoles) -> str:
    weight = names.weight
    if weight == NO_WEIGHT and weight not in columns:
        return ""
    if weight and weight not in columns:
        raise DataError(f"The edges have no column {weight!r} for the weight: there are {quote_list(columns)}.")
    taken = (names.edge_type, *listed(names.edge_features))
    lower = {name.strip().lower(): name for name in reversed(list(columns)) if name not in taken}
    return weight or next((lower[name] for name in WEIGHTS if name in lower), "")


def _refuse_missing_header(columns: EdgeColumns, ids: list[Any]) -> None:
    """Refuse a first line that holds an edge: two ids of nodes, or two whole numbers."""
    ends = pd.Series([columns.source, columns.target])
    if bool((NodeIndex(ids).positions(ends) >= 0).all()) or bool(ends.str.fullmatch(WHOLE).all()):
        raise DataError(
            f"The table of edges has no header: its first line is the edge {columns.source} - {columns.target}. "
            "Add a line such as source,target."
        )
