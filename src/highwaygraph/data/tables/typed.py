"""A folder with a table per node type and a table per relation: nodes.paper.csv, edges.author.writes.paper.csv.

The tables are read by the rules of a graph with one node type. Edges are used in both directions: between two types,
the reverse is a relation of its own, named rev_RELATION as PyG does.
"""

from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import torch
from torch import Tensor

from highwaygraph.data.formats import table_stem
from highwaygraph.data.hetero_data import join_types, only_target
from highwaygraph.data.tables.build import MAX_ATTRIBUTES
from highwaygraph.data.tables.edge_columns import NO_WEIGHT, edge_columns
from highwaygraph.data.tables.edges import read_edges
from highwaygraph.data.tables.files import is_table, read_table
from highwaygraph.data.tables.nodes import (
    NodeKeys,
    describe_columns,
    encode_features,
    feature_columns,
    infer_encoders,
    read_keys,
)
from highwaygraph.data.tables.read_log import Column, Finding, ReadLog
from highwaygraph.data.tables.roles import find_roles
from highwaygraph.data.tables.schema import LABELS, ColumnRoles, Schema
from highwaygraph.data.tables.shown_cells import ShownCells
from highwaygraph.data.tables.text_models import Encode, TextModel, open_text_model
from highwaygraph.data.tables.tidy import tidy_frame
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.hetero import Relation

# Roles of columns that a user may name; the others are those of one table of edges.
NAMED = ("id", "label", "split")


class TypedTables(NamedTuple):
    """Paths by node type and by relation."""

    nodes: dict[str, Path]
    edges: dict[Relation, Path]


class _NodeTable(NamedTuple):
    """A table of nodes that was read."""

    table: pd.DataFrame
    roles: ColumnRoles
    keys: NodeKeys
    encoders: dict[str, Any]
    x: Tensor | None
    log: ReadLog


def find_typed_tables(folder: Path) -> TypedTables | None:
    """Return the tables of a folder by node type and by relation, None where no table is named after a type."""
    found = TypedTables({}, {})
    for path in sorted(path for path in folder.iterdir() if path.is_file() and is_table(path)):
        match table_stem(path).split("."):
            case ["nodes", kind]:
                _add(found.nodes, kind, path)
            case ["edges", source, name, target]:
                _add(found.edges, (source, name, target), path)
    if not found.nodes:
        return None
    for relation, path in found.edges.items():
        for kind in (relation[0], relation[2]):
            if kind not in found.nodes:
                raise DataError(f"{path.name} names the node type {kind!r}, which has no table: add nodes.{kind}.csv.")
    if not found.edges:
        raise DataError(f"{folder} has no edges: add a table such as edges.SOURCE.RELATION.TARGET.csv.")
    return found


def read_typed_tables(
    tables: TypedTables, target: str, names: ColumnRoles, text_encoder: str | Encode | None, schema: Schema | None
) -> Graph:
    """Return the graph of several node types, with the log of the reading in `data.read_log`.

    Args:
        tables: The paths.
        target: The type whose nodes are classified; the only one with a column of labels unless given.
        names: Columns that the user named: id in any table, label and split of the target type.
        text_encoder: Model of the columns of text, as for `open_text_model`.
        schema: Target, encoders and classes of another graph, by which this one is read.
    """
    nodes = {kind: tidy_frame(read_table(path).rename(columns=str)) for kind, path in tables.nodes.items()}
    links = {relation: tidy_frame(read_table(path).rename(columns=str)) for relation, path in tables.edges.items()}
    if schema is not None and schema.hetero is not None:
        target = target or schema.hetero.target
        if text_encoder is not None:
            raise DataError(
                "--text (text_encoder) is not supported for other tables of several node types: leave it out."
            )
    target = target or only_target(
        [kind for kind, table in nodes.items() if _has_labels(table, names.label)],
        f"no table has a column {names.label or 'called label, class, target or y'}: name it with --label (label=...)",
    )
    if target not in nodes:
        raise DataError(f"There is no node type {target!r}: the types are {', '.join(nodes)}.")
    text = None if text_encoder is None else open_text_model(text_encoder)
    read = {
        kind: _read_nodes(
            table, names, _ends(kind, links), text, _schema_of(kind, target, schema), is_target=kind == target
        )
        for kind, table in nodes.items()
    }
    logs = {kind: one.log for kind, one in read.items()}
    found: dict[Relation, Tensor] = {}
    for relation, table in links.items():
        found |= _read_relation(relation, table, read, logs)
    data = _graph(target, read, found, logs)
    data.name = next(iter(tables.nodes.values())).resolve().parent.name
    return data


def _add(found: dict[Any, Path], key: Any, path: Path) -> None:
    if key in found:
        raise DataError(f"{found[key].name} and {path.name} are tables of the same name: keep one.")
    found[key] = path


def refuse_unsupported(names: ColumnRoles, edges: Any, schema: Schema | None) -> None:
    """Refuse names of columns and tables of edges that several node types do not support, and other schemas."""
    given = [name for name, value in names._asdict().items() if value and name not in NAMED]
    if given or edges is not None:
        listed = ", ".join([*given, *(["edges"] if edges is not None else [])])
        raise DataError(f"{listed}: not supported for a folder with a table per node type: leave it out.")
    if schema is not None and schema.hetero is None:
        raise DataError("The folder has a table per node type, but the run's graph has one type: give two tables.")


def _has_labels(table: pd.DataFrame, label: str) -> bool:
    return label in table if label else any(name.strip().lower() in LABELS for name in table)


def _ends(kind: str, links: dict[Relation, pd.DataFrame]) -> pd.Series:
    """Return the ends of all edges that are nodes of a type."""
    ends = [
        table[column]
        for relation, table in links.items()
        for end, column in zip((relation[0], relation[2]), _end_columns(relation, table)[:2], strict=True)
        if end == kind
    ]
    return pd.concat([column.astype(object) for column in ends], ignore_index=True) if ends else pd.Series(dtype=object)


def _end_columns(relation: Relation, table: pd.DataFrame) -> tuple[str, str]:
    """Return the columns of both ends: those named after the types, else as in a graph with one node type."""
    source, _, target = relation
    if source != target and source in table and target in table:
        return source, target
    found = edge_columns(list(table.columns), ColumnRoles(weight=NO_WEIGHT))
    return found.source, found.target


def _schema_of(kind: str, target: str, schema: Schema | None) -> Schema | None:
    """Return the schema of one table; only that of the target type has classes and a column of labels."""
    if schema is None or kind == target:
        return schema
    encoders = {} if schema.hetero is None else schema.hetero.encoders.get(kind, {})
    return Schema(dict(encoders), [])


def _read_nodes(
    table: pd.DataFrame,
    names: ColumnRoles,
    ends: pd.Series,
    text: TextModel | None,
    schema: Schema | None,
    *,
    is_target: bool,
) -> _NodeTable:
    """Return a table of nodes by the rules of a graph with one node type; only the target type has labels."""
    log, node = ReadLog(), names.id if names.id in table else ""
    label = names.label or (schema.roles.label if schema and schema.roles.label in table else "")
    named = ColumnRoles(node, label, names.split) if is_target else ColumnRoles(node)
    roles = find_roles(list(table.columns), table.__getitem__, named, ends, log)
    roles = roles if is_target else ColumnRoles(roles.id)
    keys = read_keys(table, roles, schema, log)
    if keys.label_separator:
        raise DataError(
            "Lists of labels are not supported for a folder with a table per node type: write one class per node."
        )
    table = (table if keys.kept.all() else table[keys.kept]).reset_index(drop=True)
    encoders = infer_encoders(table, roles, log, text) if schema is None else schema.encoders
    describe_columns(list(table.columns), roles, encoders, keys, log)
    return _NodeTable(table, roles, keys, encoders, encode_features(table, encoders, log), log)


def _read_relation(
    relation: Relation, table: pd.DataFrame, read: dict[str, _NodeTable], logs: dict[str, ReadLog]
) -> dict[Relation, Tensor]:
    """Return the edges of a table, and those of the reverse relation between two types."""
    source, name, target = relation
    ends = _end_columns(relation, table)
    roles, log = ColumnRoles(weight=NO_WEIGHT, source=ends[0], target=ends[1]), ReadLog()
    ids, logs["-".join(relation)] = read[source].keys.ids, log
    if source == target:
        return {relation: read_edges(table, ids, log, roles).edge_index}
    both = read_edges(table, ids, log, roles, target_ids=read[target].keys.ids).edge_index
    # The first half leads from source to target, whose nodes are numbered after the others.
    forward = both[:, : both.size(1) // 2] - torch.tensor([[0], [len(ids)]])
    return {relation: forward, (target, f"rev_{name}", source): forward.flip(0)}


def _graph(target: str, read: dict[str, _NodeTable], edges: dict[Relation, Tensor], logs: dict[str, ReadLog]) -> Graph:
    """Return the graph with the log of all tables; the columns of the target type come first."""
    own = read[target]
    features = {kind: len(one.keys.ids) if one.x is None else one.x for kind, one in read.items()}
    attributes = {"y": own.keys.y, "ids": own.keys.ids, "classes": own.keys.classes, **own.keys.masks}
    encoders = {kind: one.encoders for kind, one in read.items() if kind != target}
    data = join_types(target, features, edges, attributes, encoders)
    data.encoders, data.column_roles = own.encoders, own.roles._asdict()
    shown = feature_columns(list(own.table.columns), own.roles)[:MAX_ATTRIBUTES]
    data.attributes = {name: ShownCells(own.table[name]) for name in shown}
    data.read_log = _joined(logs, [target, *(name for name in logs if name != target)])
    return data


def _joined(logs: dict[str, ReadLog], order: list[str]) -> ReadLog:
    """Return one log, with the name of the type or relation before every column and finding."""
    whole = ReadLog()
    for name in order:
        log = logs[name]
        whole.columns += [Column(f"{name}.{c.name}", c.role, c.note, c.features) for c in log.columns]
        whole.edge_columns += [Column(f"{name}.{c.name}", c.role, c.note) for c in log.edge_columns]
        whole.findings += [Finding(f"{one.what}, in {name}", one.count, one.examples, one.done) for one in log.findings]
    return whole
