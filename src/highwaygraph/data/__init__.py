"""Graphs from wherever they are, as checked PyG Data."""

import os
from pathlib import Path

from torch_geometric.data import Data

from highwaygraph.data.check import check
from highwaygraph.data.checksums import FOLDERS
from highwaygraph.data.embedded import CORA
from highwaygraph.data.find import find
from highwaygraph.data.npz import read_npz
from highwaygraph.data.planetoid import read_planetoid
from highwaygraph.errors import DataError, did_you_mean

__all__ = ["load"]


def load(source: str | os.PathLike[str] | Data, *, labels: bool = True) -> Data:
    """Return a public dataset by name, the graph in an npz file or Planetoid folder, or a Data, checked."""
    if isinstance(source, Data):
        return check(source)
    if not isinstance(source, str | os.PathLike):
        raise DataError(f"load takes a name, a path or a PyG Data, not {type(source).__name__}.")
    name = str(source).lower()
    if name == "cora":
        return read_npz(CORA)
    return read_planetoid(find(name), name) if name in FOLDERS else _read(Path(source).expanduser(), labels)


def _read(path: Path, labels: bool) -> Data:
    if path.is_dir():
        return read_planetoid(*_planetoid(path))
    if path.suffix.lower() == ".npz":
        return read_npz(path, labels=labels)
    if path.exists():
        raise DataError(f"{path} is of an unsupported type: load reads .npz files and Planetoid folders.")
    if len(path.parts) > 1 or path.suffix:
        raise DataError(f"There is no file or folder {path}: check the path.")
    raise DataError(f"There is no dataset and no file {str(path)!r}.{did_you_mean(str(path), FOLDERS)}")


def _planetoid(path: Path) -> tuple[Path, str]:
    """Return the raw folder at or right below a path, and the one dataset in it."""
    graphs = sorted(path.glob("ind.*.graph")) or sorted(path.glob("raw/ind.*.graph"))
    names = [graph.name.removeprefix("ind.").removesuffix(".graph") for graph in graphs]
    if not names:
        raise DataError(f"{path} holds no Planetoid dataset: an ind.<name>.graph file is expected in it.")
    if len(names) > 1:
        raise DataError(f"{path} holds several datasets ({', '.join(names)}): keep one per folder.")
    return graphs[0].parent, names[0]
