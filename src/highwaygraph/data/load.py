"""Graphs from wherever they are, as checked PyG Data."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from torch_geometric.data import Data

from highwaygraph.data.download import CORA, FOLDERS, find
from highwaygraph.data.formats import NETWORKS, TABLES
from highwaygraph.data.mapped.external_sort import Piece
from highwaygraph.data.mapped.store import is_mapped_graph, open_mapped_graph
from highwaygraph.data.mapped.writer import Nodes, from_data, write_store
from highwaygraph.data.npz import read_npz
from highwaygraph.data.planetoid import read_planetoid
from highwaygraph.data.pyg_datasets import from_dataset, is_dataset
from highwaygraph.data.safetensors_io import read_tensors
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.schema import Schema
from highwaygraph.errors import DataError, did_you_mean, warn_renamed
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import validate

__all__ = ["convert", "load"]


def load(
    source: Any,
    edges: Any = None,
    *,
    id: str = "",
    label: str = "",
    split: str = "",
    labels: bool = True,
    schema: Schema | None = None,
    known: Schema | None = None,
) -> Graph:
    """Return a graph, checked, from wherever it is.

    A public dataset by name; a file of tables (with the table of edges, or that beside it), npz, safetensors, GraphML,
    GEXF, GML or an edge list; a folder of tables or of Planetoid files; a PyG Data or dataset, an OGB one, a NetworkX
    graph, or two pandas tables. `id`, `label` and `split` name columns of the nodes where they are not found out;
    `data.read_log` tells how tables were read. With `schema=result.schema()` another graph is read like a run's own.
    """
    if known is not None:
        warn_renamed("known", "schema")
        schema = known
    if isinstance(source, Data):
        return validate(source)
    if isinstance(source, str | os.PathLike):
        name = str(source).lower()
        if name == "cora":
            return read_npz(CORA)
        if name in FOLDERS:
            return read_planetoid(find(name), name)
        path = Path(source).expanduser()
        if not _is_for_tables(path):
            return _read(path, labels)
        source = path
    elif is_dataset(source):
        return validate(from_dataset(source))
    return _from_tables(source, edges, (id, label, split), schema)


def convert(
    source: Any,
    folder: str | os.PathLike[str],
    edges: Any = None,
    *,
    id: str = "",
    label: str = "",
    split: str = "",
    say: Callable[[str], object] = lambda _: None,
) -> Graph:
    """Write a graph into a new folder of arrays that are mapped instead of read, and return it from there.

    Tables are streamed, so that edges and features may be larger than memory; anything else goes through `load`.
    """
    path, reading = Path(source).expanduser() if isinstance(source, str | os.PathLike) else None, ReadLog()
    if path is not None and is_mapped_graph(path):
        raise DataError(f"{path} is such a folder already: copy it, if that is what you want.")
    if path is not None and _can_stream(path, edges):
        nodes, pieces = _streams(path, edges, (id, label, split), reading)
    else:
        read = load(source, edges, id=id, label=label, split=split)
        nodes, pieces = from_data(read)
        reading = read.read_log or reading
    data = open_mapped_graph(write_store(Path(folder), nodes, pieces, say))
    data.read_log = reading
    return data


def _can_stream(path: Path, edges: Any) -> bool:
    on_disk = edges is None or isinstance(edges, str | os.PathLike)
    return on_disk and _is_for_tables(path) and path.suffix.lower() not in NETWORKS


def _streams(path: Path, edges: Any, names: tuple[str, str, str], reading: ReadLog) -> tuple[Nodes, Iterable[Piece]]:
    try:
        from highwaygraph.data.tables.stream import stream_tables
    except ImportError as error:
        raise DataError(f"Reading this needs {error.name}: pip install 'highwaygraph[tables]'.") from error
    return stream_tables(path, None if edges is None else Path(edges), names, reading)


def _from_tables(source: Any, edges: Any, names: tuple[str, str, str], known: Schema | None) -> Graph:
    try:
        from highwaygraph.data.tables.sources import read_source
    except ImportError as error:
        raise DataError(f"Reading this needs {error.name}: pip install 'highwaygraph[tables]'.") from error
    return read_source(source, edges, names, known)


def _is_for_tables(path: Path) -> bool:
    if path.is_dir():
        return not _has_raw(path) and not is_mapped_graph(path)
    return path.suffix.lower() in (*NETWORKS, *TABLES)


def _has_raw(path: Path) -> bool:
    return any(path.glob("ind.*.graph")) or any(path.glob("raw/ind.*.graph"))


def _read(path: Path, labels: bool) -> Graph:
    if is_mapped_graph(path):
        return open_mapped_graph(path)
    if path.is_dir():
        return read_planetoid(*_planetoid(path))
    if path.suffix.lower() == ".npz":
        return read_npz(path, labels=labels)
    if path.suffix.lower() == ".safetensors" and path.is_file():
        return read_tensors(path, labels=labels)
    if path.exists():
        raise DataError(
            f"{path} is of an unsupported type: csv, tsv, parquet, npz, safetensors, graphml, gexf and gml are read."
        )
    if len(path.parts) > 1 or path.suffix:
        raise DataError(f"There is no file or folder {path}: check the path.")
    raise DataError(f"There is no dataset and no file {str(path)!r}.{did_you_mean(str(path), FOLDERS)}")


def _planetoid(path: Path) -> tuple[Path, str]:
    """Return the raw folder at or right below a path, and the one dataset in it."""
    graphs = sorted(path.glob("ind.*.graph")) or sorted(path.glob("raw/ind.*.graph"))
    names = [graph.name.removeprefix("ind.").removesuffix(".graph") for graph in graphs]
    if len(names) > 1:
        raise DataError(f"{path} holds several datasets ({', '.join(names)}): keep one per folder.")
    return graphs[0].parent, names[0]
