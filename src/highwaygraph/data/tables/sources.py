"""Sources that become a graph through two tables: files, folders, databases, data frames and NetworkX graphs."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import pandas as pd

from highwaygraph.data.databases.address import Database
from highwaygraph.data.databases.read import read_database
from highwaygraph.data.formats import table_stem
from highwaygraph.data.networkx_io import READERS, read_network, to_tables
from highwaygraph.data.tables.attach import attach
from highwaygraph.data.tables.build import from_tables
from highwaygraph.data.tables.embedding import with_text_model
from highwaygraph.data.tables.files import edges_beside, find_tables, is_table, read_table
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.data.tables.text_models import Encode, open_text_model
from highwaygraph.data.tables.typed import find_typed_tables, read_typed_tables, refuse_unsupported
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph

KINDS = "a name, a path, a database, a PyG Data or dataset, a NetworkX graph or a pandas table"


def read_source(
    source: Any,
    edges: Any,
    columns: ColumnRoles,
    schema: Schema | None,
    text_encoder: str | Encode | None = None,
    *,
    target: str = "",
) -> Graph:
    """Return the graph, named after its file or folder.

    Args:
        source: A path, a database, a NetworkX graph or a pandas table.
        edges: Table of edges, where it is not beside the source.
        columns: Columns where they are not to be inferred.
        schema: Encoders and classes of another graph, by which this one is read.
        text_encoder: Model of the columns of text, as for `open_text_model`.
        target: Node type whose nodes are classified, for a folder with a table per type.
    """
    if isinstance(source, Path) and source.is_dir() and (typed := find_typed_tables(source)) is not None:
        refuse_unsupported(columns, edges, schema)
        return read_typed_tables(typed, target, columns, text_encoder, schema)
    if target:
        raise DataError("target names one of several node types, and these tables have one: leave it out.")
    build = _builder(columns, schema, text_encoder)
    if isinstance(source, Path):
        data = build(*_from_disk(source, edges))
        data.name = source.resolve().parent.name if table_stem(source).lower() == "nodes" else table_stem(source)
        return data
    if isinstance(source, Database):
        data = build(*read_database(source))
        data.name = source.address.name
        return data
    if isinstance(source, nx.Graph):
        return build(*to_tables(source))
    if not isinstance(source, pd.DataFrame):
        raise DataError(f"load takes {KINDS}, not {type(source).__name__}.")
    if edges is None:
        raise DataError("A table of nodes needs one of edges: load(nodes, edges).")
    return build(_with_index(source), _edge_table(edges))


def _builder(
    names: ColumnRoles, schema: Schema | None, text_encoder: str | Encode | None
) -> Callable[[pd.DataFrame, pd.DataFrame], Graph]:
    """Return the function from two tables to a graph."""
    if schema is None:
        text = None if text_encoder is None else open_text_model(text_encoder)
        return lambda nodes, edges: from_tables(nodes, edges, names, text=text)
    if text_encoder is not None:
        schema = schema._replace(encoders=with_text_model(schema.encoders, text_encoder))
    beside = schema.beside
    if beside is None:
        return lambda nodes, edges: from_tables(nodes, edges, names, schema)
    return lambda nodes, edges: attach(beside, nodes, edges, names, schema)


def _from_disk(path: Path, edges: Any) -> tuple[pd.DataFrame, pd.DataFrame]:
    if path.suffix.lower() in READERS:
        return to_tables(read_network(path))
    if path.is_dir():
        found = find_tables(path)
        if found is None:
            raise DataError(f"{path} holds no graph: nodes.csv and edges.csv (or such) are expected in it.")
        path, edges = found[0], edges or found[1]
    if not is_table(path):
        raise DataError(f"{path.name} is no table: use csv, tsv, csv.gz or parquet.")
    return read_table(path), _edge_table(edges_beside(path) if edges is None else edges)


def _with_index(nodes: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose index, where it has a name or holds text, is a column."""
    if isinstance(nodes.columns, pd.MultiIndex):
        raise DataError("The columns of the nodes have several levels: give each one name.")
    named = any(name is not None for name in nodes.index.names) or pd.api.types.is_string_dtype(nodes.index)
    return nodes.reset_index() if named else nodes


def _edge_table(edges: Any) -> pd.DataFrame:
    if isinstance(edges, pd.DataFrame):
        return edges
    if not isinstance(edges, str | os.PathLike):
        raise DataError(f"The edges are a path or a pandas table with two columns of ids, not {type(edges).__name__}.")
    return read_table(Path(edges))
