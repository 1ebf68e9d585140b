"""Paths of graphs: which of them hold tables, and the reader of the others."""

import os
from pathlib import Path

from highwaygraph.data.download import FOLDERS
from highwaygraph.data.formats import NETWORKS, refuse_archive, table_suffix
from highwaygraph.data.mapped.store import is_mapped_graph, open_mapped_graph
from highwaygraph.data.npz import read_npz
from highwaygraph.data.planetoid import read_planetoid
from highwaygraph.data.safetensors_io import read_tensors
from highwaygraph.errors import DataError, did_you_mean, shortened
from highwaygraph.graph.graph import Graph


def existing_path(source: str | os.PathLike[str]) -> Path:
    """Return the path; refuse one that no file can have."""
    try:
        path = Path(source).expanduser()
        path.exists()
    except (OSError, ValueError, RuntimeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"{shortened(str(source))} is no path of a file or folder: {reason}.") from error
    return path


def is_for_tables(path: Path) -> bool:
    """Return whether a path is read through two tables."""
    if path.is_dir():
        return not _has_raw(path) and not is_mapped_graph(path)
    return path.suffix.lower() in NETWORKS or table_suffix(path) != ""


def _has_raw(path: Path) -> bool:
    return any(path.glob("ind.*.graph")) or any(path.glob("raw/ind.*.graph"))


def read_path(path: Path, *, labels: bool) -> Graph:
    """Return the graph of a file or folder that is not read through tables.

    Args:
        path: A converted graph, a folder of Planetoid files, or an npz or safetensors file.
        labels: Whether the file must have labels.
    """
    if is_mapped_graph(path):
        return open_mapped_graph(path)
    if path.is_dir():
        return read_planetoid(*_planetoid(path))
    if path.suffix.lower() == ".npz":
        return read_npz(path, labels=labels)
    if path.suffix.lower() == ".safetensors" and path.is_file():
        return read_tensors(path, labels=labels)
    if path.exists():
        refuse_archive(path)
        raise DataError(
            f"{path} is of an unsupported type: csv, tsv, csv.gz, parquet, npz, safetensors, graphml, gexf and gml are "
            "read."
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
