"""`load` and `convert`: validated graphs from any supported source."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from torch_geometric.data import Data, HeteroData

from highwaygraph.data.databases.address import Database, is_database, parse_database
from highwaygraph.data.download import CORA, FOLDERS, find
from highwaygraph.data.formats import NETWORKS
from highwaygraph.data.hetero_data import from_hetero_data
from highwaygraph.data.mapped.store import is_mapped_graph, open_mapped_graph
from highwaygraph.data.mapped.writer import Notify, refuse_existing, write_mapped_graph
from highwaygraph.data.mapped.writer import from_data as to_streams
from highwaygraph.data.npz import read_npz
from highwaygraph.data.paths import existing_path, is_for_tables, read_path
from highwaygraph.data.planetoid import read_planetoid
from highwaygraph.data.pyg_datasets import from_data, from_dataset, is_dataset, refuse_hetero_list
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.errors import DataError, warn_renamed
from highwaygraph.graph.graph import Graph

__all__ = ["convert", "load"]


class _TableOptions(NamedTuple):
    """How tables are read: their columns by role, the encoder of texts, and the target type."""

    roles: ColumnRoles
    text_encoder: Any = None
    target: str = ""
    """Node type whose nodes are classified, where there are several."""


def load(
    source: Any,
    edges: Any = None,
    *,
    nodes: str = "",
    id: str = "",
    label: str = "",
    split: str = "",
    weight: str = "",
    ends: str = "",
    edge_type: str = "",
    edge_features: str = "",
    label_separator: str = "",
    graph: str = "",
    target: str = "",
    text_encoder: Any = None,
    labels: bool = True,
    schema: Schema | None = None,
    known: Schema | None = None,
) -> Graph:
    """Return a validated graph from a name, a file, a folder or an object.

    Args:
        source: Dataset name; path of a table, npz, safetensors, GraphML, GEXF, GML or edge-list file, or of a folder;
            Data, HeteroData with its `target` type, list of Data; NetworkX graph; DataFrame; database as `sqlite:FILE`.
        edges: Table of edges, if it is not beside that of the nodes; with `nodes`, a table or query of a database.
        id: Column of ids; so are `label` (`label_separator` for several), `split`, `weight`, `graph`; `ends` is "a,b".
        text_encoder: `model2vec:PATH`, `sentence-transformers:NAME`, or a function from texts to an array of rows.
        schema: Encoders and classes of another graph (`result.schema`) for tables; `labels=False` requires no labels.

    Returns:
        The graph; for tables, `read_log` holds the role of every column and the rows that were left out or merged.

    Example:
        >>> load("cora").num_nodes
        2708
    """
    roles = ColumnRoles(id, label, split, weight, *_two(ends), edge_type, edge_features, label_separator, graph)
    source, schema = _with_database(source, nodes, edges), schema or _renamed(known, "known", "schema")
    return _load(source, edges, _TableOptions(roles, text_encoder or None, target), labels, schema)


def convert(
    source: Any,
    folder: str | os.PathLike[str],
    edges: Any = None,
    *,
    nodes: str = "",
    id: str = "",
    label: str = "",
    split: str = "",
    weight: str = "",
    ends: str = "",
    edge_type: str = "",
    edge_features: str = "",
    label_separator: str = "",
    text_encoder: Any = None,
    notify: Callable[[str], object] = lambda _: None,
    say: Any = None,
) -> Graph:
    """Write a graph into a new folder of memory-mapped arrays; tables on disk may be larger than memory.

    Args:
        source: As for `load`, and so are `edges`, `nodes`, the columns and `text_encoder`.
        folder: The new folder; it appears when it is complete.
        edges: Table of edges; `nodes` and this are tables or queries of a database.
        id: Column of node ids, as the other columns for `load`; several labels per node are not supported.
        notify: Takes a sentence on each step; earlier `say`.

    Returns:
        The graph with mapped arrays, and the log of the reading in `read_log`.

    Example:
        >>> import tempfile
        >>> import highwaygraph as hg
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     hg.convert("cora", f"{folder}/cora").is_mapped
        True
    """
    roles = ColumnRoles(id, label, split, weight, *_two(ends), edge_type, edge_features, label_separator)
    source, tables = _with_database(source, nodes, edges), _TableOptions(roles, text_encoder or None)
    return _convert(source, Path(folder), edges, tables, _renamed(say, "say", "notify") or notify)


def _with_database(source: Any, nodes: str, edges: Any) -> Any:
    """Return the database where the source is the address of one, else the source."""
    if is_database(source):
        return parse_database(source, nodes, edges)
    if is_database(edges):
        raise DataError("edges is an address: give that of the database first, and the table of the edges as edges.")
    if nodes:
        raise DataError("nodes names a table or a query of a database, and this is none: leave it out.")
    return source


def _renamed(value: Any, old: str, new: str) -> Any:
    """Return the value of a renamed argument, with a warning where it is given."""
    if value is not None:
        warn_renamed(old, new, stacklevel=4)
    return value


def _two(ends: str) -> tuple[str, str]:
    """Return the two columns that a text such as "a,b" names, two empty ones for an empty text."""
    one, separator, other = (part.strip() for part in ends.partition(","))
    if ends and not (one and separator and other):
        raise DataError(f"The ends of the edges are two columns, as in a,b, not {ends!r}.")
    return one, other


def _load(source: Any, edges: Any, tables: _TableOptions, labels: bool, schema: Schema | None) -> Graph:
    """Read the source with the reader of its kind."""
    refuse_hetero_list(source)
    if not _is_tabular(source):
        _refuse_names(tables._replace(target="") if isinstance(source, HeteroData) else tables, edges)
    if isinstance(source, Data | HeteroData):
        return from_data(source) if isinstance(source, Data) else from_hetero_data(source, tables.target, labels=labels)
    if isinstance(source, str | os.PathLike):
        name = str(source).lower()
        if name == "cora":
            return read_npz(CORA)
        if name in FOLDERS:
            return read_planetoid(find(name), name)
        path = existing_path(source)
        if not is_for_tables(path):
            return read_path(path, labels=labels)
        source = path
    elif is_dataset(source):
        return from_dataset(source)
    return _from_tables(source, edges, tables, schema)


def _is_tabular(source: Any) -> bool:
    """Return whether the source is read through two tables."""
    if isinstance(source, Data | HeteroData) or is_dataset(source):
        return False
    if not isinstance(source, str | os.PathLike):
        return True
    return str(source).lower() not in ("cora", *FOLDERS) and is_for_tables(existing_path(source))


def _refuse_names(tables: _TableOptions, edges: Any) -> None:
    others = {"edges": edges is not None, "text_encoder": tables.text_encoder is not None, "target": tables.target}
    named = tables.roles._asdict() | others
    given = [name for name, value in named.items() if value]
    if given:
        raise DataError(
            f"{', '.join(given)}: this graph is not read from tables, so that no column can be named. Leave it out; a "
            "converted graph has to be converted again with it."
        )


def _convert(source: Any, folder: Path, edges: Any, tables: _TableOptions, notify: Notify) -> Graph:
    """Stream tables to the folder, or write a graph that is loaded first."""
    path = existing_path(source) if isinstance(source, str | os.PathLike) else None
    if path is not None and is_mapped_graph(path):
        raise DataError(f"{path} is such a folder already: copy it, if that is what you want.")
    if isinstance(source, Database):
        return _convert_database(source, folder, tables, notify)
    if path is not None and _can_stream(path, edges):
        return _convert_tables(path, folder, edges, tables, notify)
    read = _load(source, edges, tables, labels=True, schema=None)
    graph = open_mapped_graph(write_mapped_graph(folder, *to_streams(read), notify))
    graph.read_log = read.read_log or ReadLog()
    return graph


def _can_stream(path: Path, edges: Any) -> bool:
    on_disk = edges is None or isinstance(edges, str | os.PathLike)
    return on_disk and is_for_tables(path) and path.suffix.lower() not in NETWORKS


def _convert_database(source: Database, folder: Path, tables: _TableOptions, notify: Notify) -> Graph:
    """Stream a database to the folder, through temporary files."""
    try:
        from highwaygraph.data.databases.read import spooled
    except ImportError as error:
        raise _missing(error, is_database=True) from error
    refuse_existing(folder)
    notify(f"Rows of {source.address} ...")
    with spooled(source, folder) as (nodes, edges):
        return _convert_tables(nodes, folder, edges, tables, notify)


def _convert_tables(path: Path, folder: Path, edges: Any, tables: _TableOptions, notify: Notify) -> Graph:
    try:
        from highwaygraph.data.tables.stream import stream_tables
        from highwaygraph.data.tables.text_models import open_text_model
    except ImportError as error:
        raise _missing(error, is_database=False) from error
    log = ReadLog()
    model = None if tables.text_encoder is None else open_text_model(tables.text_encoder)
    stream = stream_tables(path, None if edges is None else Path(edges), tables.roles, log, model)
    graph = open_mapped_graph(write_mapped_graph(folder, stream.nodes, stream.edges, notify, stream.on_repeated))
    graph.read_log = log
    return graph


def _from_tables(source: Any, edges: Any, tables: _TableOptions, schema: Schema | None) -> Graph:
    try:
        from highwaygraph.data.tables.sources import read_source
    except ImportError as error:
        raise _missing(error, is_database=isinstance(source, Database)) from error
    return read_source(source, edges, tables.roles, schema, tables.text_encoder, target=tables.target)


def _missing(error: ImportError, *, is_database: bool) -> DataError:
    """Return the error of a package that is not installed, with the extra that has it."""
    what, extra = ("a database", "sql") if is_database else ("tables", "tables")
    return DataError(f"Reading {what} needs {error.name}: pip install 'highwaygraph[{extra}]'.")
