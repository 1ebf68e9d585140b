"""Requests for predictions: ids of the run's nodes, or new nodes and their edges as tables."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from highwaygraph.data.tables.columns import TEXT
from highwaygraph.data.tables.read_log import quote_list
from highwaygraph.service.body import Written
from highwaygraph.service.refusal import RefusedError

Rows = list[dict[str, str | None]]


class RunColumns(NamedTuple):
    """The columns of the tables that a run was trained on; a request may always write id, source and target."""

    id: str = "id"
    features: tuple[str, ...] = ()
    source: str = "source"
    target: str = "target"
    edge_values: tuple[str, ...] = ()
    """Columns of the edges' type and features, which every edge has."""
    weights: tuple[str, ...] = ()
    """Columns, in lower case or as the user named one, that hold the edges' weight where an edge has one."""


@dataclass(frozen=True)
class NewNodes:
    """Tables of new nodes and of their edges, and the columns that only the request or only the run has."""

    nodes: pd.DataFrame
    edges: pd.DataFrame
    unused: tuple[str, ...]
    missing: tuple[str, ...] = ()
    """Columns of the run that no node of the request has."""


NEW = {"nodes", "edges"}


def read_request(document: Any, columns: RunColumns, max_nodes: int) -> list[str] | NewNodes:
    """Return the ids of a request, or its new nodes; refuse anything else.

    Args:
        document: A JSON document with its numbers as text.
        columns: The columns of the run.
        max_nodes: Most nodes.

    Returns:
        Ids as text, or two tables of text.

    Example:
        >>> read_request({"ids": ["7", "a"]}, RunColumns(), 10)
        ['7', 'a']
    """
    if not isinstance(document, dict) or not ({"ids"} == set(document) or {"nodes"} <= set(document) <= NEW):
        raise RefusedError(422, 'The body has to be {"ids": [...]}, or {"nodes": [...], "edges": [...]} for new nodes.')
    if "ids" in document:
        ids = _listed(document, "ids", max_nodes)
        return [_id(node, f"ids[{place}]") for place, node in enumerate(ids)]
    return _new_nodes(_listed(document, "nodes", max_nodes), _listed(document, "edges"), columns)


def _listed(document: dict[str, Any], name: str, most: int | None = None) -> list[Any]:
    """Return a list of the document; that of edges may be empty or missing, and has no limit but the body's."""
    values = document.get(name, [])
    if not isinstance(values, list) or (most is not None and not values):
        raise RefusedError(422, f"{name} has to be a list{' that is not empty' if most is not None else ''}.")
    if most is not None and len(values) > most:
        raise RefusedError(413, f"A request has at most {most:,} nodes, not {len(values):,}: send fewer at once.")
    return values


def _new_nodes(nodes: list[Any], edges: list[Any], columns: RunColumns) -> NewNodes:
    node_keys = {"id": columns.id} if "id" not in columns.features else {}
    edge_keys = {"source": columns.source, "target": columns.target}
    rows = _rows(nodes, "nodes", node_keys, (columns.id,))
    ends = _rows(edges, "edges", edge_keys, (columns.source, columns.target))
    for place, end in enumerate(ends):
        if lacking := [name for name in columns.edge_values if name not in end]:
            raise RefusedError(422, f"edges[{place}] has no {_shown(lacking[0])}, a column of the run's edges: add it.")
    given = {name for row in rows for name in row}
    kept = [columns.id, *columns.features]
    edge_given = {name: None for end in ends for name in end}
    weights = [name for name in edge_given if name in columns.weights or name.strip().lower() in columns.weights]
    edge_names = list(dict.fromkeys([columns.source, columns.target, *columns.edge_values, *weights]))
    unused = given - set(kept) | edge_given.keys() - set(edge_names)
    missing = tuple(name for name in columns.features if name not in given)
    return NewNodes(_table(rows, kept), _table(ends, edge_names), tuple(sorted(unused)), missing)


def _rows(objects: list[Any], name: str, renamed: dict[str, str], keys: tuple[str, ...]) -> Rows:
    """Return objects as rows of text under the names of the run's columns; each has an id under all keys."""
    rows: Rows = []
    for place, one in enumerate(objects):
        where = f"{name}[{place}]"
        if not isinstance(one, dict):
            raise RefusedError(422, f"{where} has to be an object with {quote_list(renamed or keys)}.")
        row: dict[str, str | None] = {}
        for key, value in one.items():
            # The run's own name of a column is used before the usual one.
            column = key if renamed.get(key) in one else renamed.get(key) or key
            row[_text(column, where)] = (_id if column in keys else _cell)(value, f"{where}.{key}")
        if missing := [key for key in keys if key not in row]:
            written = next((old for old, new in renamed.items() if new == missing[0]), missing[0])
            raise RefusedError(422, f"{where} has no {_shown(written)}: add it.")
        rows.append(row)
    return rows


def _table(rows: Rows, columns: list[str]) -> pd.DataFrame:
    """Return a table of text, as a CSV file is read."""
    return pd.DataFrame({name: pd.Series([row.get(name) for row in rows], dtype=TEXT) for name in columns})


def _id(value: Any, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise RefusedError(422, f"{_shown(where)} has to be an id: a number or a text that is not empty.")
    # Surrounding whitespace is no part of a cell.
    return _text(value, where).strip()


def _cell(value: Any, where: str) -> str | None:
    """Return a cell as a CSV file writes it: a list in square brackets, true and false as words, None for null."""
    if isinstance(value, list) and all(one is None or isinstance(one, bool | str) for one in value):
        return _text("[" + ", ".join(_written(one) for one in value) + "]", where)
    if value is None or isinstance(value, str):
        return None if value is None else _text(value, where)
    if isinstance(value, bool):
        return _written(value)
    raise RefusedError(422, f"{_shown(where)} has to be a number, a text, true, false, null or a list of these.")


def _written(value: str | bool | None) -> str:
    return value if isinstance(value, Written) else json.dumps(value, ensure_ascii=False)


def _text(text: str, where: str) -> str:
    """Return a text that can be stored; half of a surrogate pair cannot."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise RefusedError(422, f"{_shown(where)} has a character that is no valid Unicode: remove it.") from error
    return text


def _shown(where: str) -> str:
    return where if len(where) <= 80 else where[:79] + "…"
