"""A graph from a table of nodes and a table of edges, with the roles of the columns inferred or given."""

import pandas as pd

from highwaygraph.data.tables.edge_columns import edge_columns
from highwaygraph.data.tables.edges import read_edges
from highwaygraph.data.tables.ids import select_nodes
from highwaygraph.data.tables.nodes import (
    describe_columns,
    encode_features,
    feature_columns,
    infer_encoders,
    read_keys,
)
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.roles import ENDS_TRIED, Reader, find_ends, find_roles, remembered
from highwaygraph.data.tables.schema import INFERRED, ColumnRoles, Schema
from highwaygraph.data.tables.shown_cells import ShownCells
from highwaygraph.data.tables.text_models import TextModel
from highwaygraph.data.tables.tidy import tidy_frame
from highwaygraph.graph.csr import from_edge_index
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.many_graphs import refuse_joining_edges
from highwaygraph.graph.structural import structural_features
from highwaygraph.graph.validate import validate

# Number of a node's own columns that are kept for reports.
MAX_ATTRIBUTES = 8


def from_tables(
    nodes: pd.DataFrame,
    edges: pd.DataFrame,
    names: ColumnRoles | None = None,
    schema: Schema | None = None,
    text: TextModel | None = None,
) -> Graph:
    """Return the graph of a table of nodes and one of edges, with the log of the reading in `data.read_log`.

    Args:
        nodes: A row per node.
        edges: A row per edge.
        names: Columns where they are not to be inferred.
        schema: Encoders and classes of another graph, by which this one is read.
        text: Model of the columns of text, without a schema; their words are hashed unless given.
    """
    log = ReadLog()
    nodes, roles = tidy_nodes(nodes, edges, names or INFERRED, schema, log)
    keys = read_keys(nodes, roles, schema, log)
    nodes = (nodes if keys.kept.all() else nodes[keys.kept]).reset_index(drop=True)
    # In the order of `stream`, so that the log is the same.
    encoders = schema.encoders if schema else infer_encoders(nodes, roles, log, text)
    describe_columns(list(nodes.columns), roles, encoders, keys, log)
    x = encode_features(nodes, encoders, log)
    found = read_edges(edges, keys.ids, log, roles, schema.relations if schema else None)
    if x is None:
        x = structural_features(from_edge_index(found.edge_index, len(keys.ids)))
    data = Graph(x=x, edge_index=found.edge_index, y=keys.y, **keys.masks, **found.values)
    data.ids, data.classes = keys.ids, keys.classes
    if found.relations is not None:
        data.relations = found.relations
    if keys.graph_id is not None:
        data.graph_id = keys.graph_id
        refuse_joining_edges(data)
    data = validate(data)
    data.encoders, data.read_log = encoders, log
    data.column_roles = roles._replace(label_separator=keys.label_separator)._asdict()
    shown = feature_columns(list(nodes.columns), roles)[:MAX_ATTRIBUTES]
    data.attributes = {name: ShownCells(nodes[name]) for name in shown}
    return data


def tidy_nodes(
    nodes: pd.DataFrame, edges: pd.DataFrame, names: ColumnRoles, schema: Schema | None, log: ReadLog
) -> tuple[pd.DataFrame, ColumnRoles]:
    """Return a table of nodes, its text in one form, and the roles of its columns."""
    nodes = tidy_frame(nodes.rename(columns=str))
    columns = list(nodes.columns)
    if schema is not None:
        names = remembered(names, schema.roles, columns, [str(name) for name in edges.columns])
    return nodes, infer_roles(columns, nodes.__getitem__, edges, names, log)


def infer_roles(columns: list[str], read: Reader, edges: pd.DataFrame, names: ColumnRoles, log: ReadLog) -> ColumnRoles:
    """Return the roles of the columns of nodes and edges, by the first edges."""
    edges = tidy_frame(edges.head(ENDS_TRIED).rename(columns=str))
    names = find_ends(edges, names, columns, read)
    source, target, *_ = edge_columns(list(edges.columns), names)
    return find_roles(columns, read, names, pd.concat([edges[source], edges[target]], ignore_index=True), log)


def read_nodes(
    nodes: pd.DataFrame, edges: pd.DataFrame, names: ColumnRoles, schema: Schema, log: ReadLog
) -> tuple[pd.DataFrame, ColumnRoles]:
    """Return the nodes that are kept, their ids cleaned, and the roles of the columns."""
    nodes, roles = tidy_nodes(nodes, edges, names, schema, log)
    ids, kept = select_nodes(nodes[roles.id], log)
    nodes = nodes[kept].reset_index(drop=True)
    nodes[roles.id] = pd.Series(ids, dtype=object)
    return nodes, roles
