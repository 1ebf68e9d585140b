"""A graph in a folder of plain arrays that are mapped, not read: opened at once, shared by all processes of a host."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, overload

import numpy as np
import torch
from numpy.typing import DTypeLike, NDArray
from torch import Tensor

from highwaygraph.errors import DataError
from highwaygraph.graph.csr import CSR
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import MASKS

FORMAT = "highwaygraph graph 1"


META = "graph.json"


# A graph of up to so many bytes is looked at as a whole when it is opened; a larger one by `highway verify`.
CHECKED = 2**28


TYPES = ("int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "bool")


class Array(NamedTuple):
    """What graph.json says of one file."""

    type: str
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """The size of its file."""
        return int(np.dtype(self.type).itemsize * np.prod(self.shape, dtype=np.int64))


def is_mapped_graph(path: Path) -> bool:
    """Tell whether the folder is such a graph."""
    return (path / META).is_file()


def create(folder: Path, name: str, type: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a new array in the folder, to be filled piece by piece."""
    if not np.prod(shape):
        _file(folder, name).touch()
        return np.empty(shape, dtype=type)
    array: NDArray[Any] = np.memmap(_file(folder, name), dtype=type, mode="w+", shape=shape)
    return array


def append(folder: Path, name: str) -> BinaryIO:
    """Return a new file of the folder, for an array whose length shows at its end."""
    return _file(folder, name).open("wb", buffering=2**20)


def reopen(folder: Path, name: str, type: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the array that such a file holds."""
    if not np.prod(shape):
        return np.empty(shape, dtype=type)
    array: NDArray[Any] = np.memmap(_file(folder, name), dtype=type, mode="r", shape=shape)
    return array


def remove(folder: Path, name: str) -> None:
    """Take a file of the folder away."""
    _file(folder, name).unlink()


def finish(folder: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write graph.json, by which the folder becomes a graph."""
    for array in arrays.values():
        if isinstance(array, np.memmap):
            array.flush()
    known = {name: [str(array.dtype), list(array.shape)] for name, array in arrays.items()}
    text = json.dumps({"format": FORMAT, "arrays": known, **facts}, indent=1) + "\n"
    (folder / META).write_text(text, encoding="utf-8")


def open_arrays(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    """Return the mapped arrays and the facts, after a look at the sizes of the files."""
    try:
        facts = json.loads((path / META).read_text(encoding="utf-8"))
        known = {name: _described(name, kind, shape) for name, (kind, shape) in facts["arrays"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{path / META} is damaged ({error}): convert the graph again.") from error
    if facts.get("format") != FORMAT:
        raise DataError(f"{path} was written by another version ({facts.get('format')}): convert the graph again.")
    return {name: _map(path, name, array) for name, array in known.items()}, facts


def _described(name: str, kind: Any, shape: Any) -> Array:
    """Return what graph.json says of a file, where it can be true and does not lead out of the folder."""
    if not name.isidentifier() or kind not in TYPES or not all(type(size) is int and size >= 0 for size in shape):
        raise ValueError(f"there is no array {name} of {kind} {shape}")
    return Array(kind, tuple(shape))


def _map(folder: Path, name: str, array: Array) -> Tensor:
    path = _file(folder, name)
    size = path.stat().st_size if path.is_file() else -1
    if size != array.bytes:
        raise DataError(f"{path} has {size:,} bytes, not {array.bytes:,}: convert the graph again.")
    if not array.bytes:
        return torch.empty(array.shape, dtype=torch.from_numpy(np.empty(0, array.type)).dtype)
    # Copy on write: pages are shared by all processes until somebody changes one, which then stays private.
    return torch.from_numpy(np.memmap(path, dtype=array.type, mode="c", shape=array.shape))


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.bin"


def verify_mapped_graph(path: Path) -> list[str]:
    """Return the names of the graph's arrays, after a look at all of them, or say that they have changed."""
    arrays, facts = open_arrays(path)
    _compare(path, arrays, facts)
    return sorted(arrays)


def _compare(path: Path, arrays: Mapping[str, Tensor], facts: Mapping[str, Any]) -> None:
    if digest({name: array.numpy() for name, array in arrays.items()}) != facts.get("digest"):
        raise DataError(f"{path} is not as it was written: convert the graph again.")


def digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return one sum of all arrays."""
    sums = (hashlib.sha256(np.ascontiguousarray(arrays[name]).data).digest() for name in sorted(arrays))
    return hashlib.sha256(b"".join(sums)).hexdigest()


def open_mapped_graph(path: Path) -> Graph:
    """Return the graph: features, labels and masks as usual, its edges by rows instead of a list."""
    arrays, facts = open_arrays(path)
    if sum(array.nbytes for array in arrays.values()) <= CHECKED:
        _compare(path, arrays, facts)
    part = arrays["part"]
    data = Graph(x=arrays["x"], y=arrays["y"].long(), num_nodes=len(arrays["x"]))
    data.csr = CSR(arrays["start"], arrays["neighbours"], arrays.get("weight"))
    if bool(part.any()):
        data.update({name: part == number for number, name in enumerate(MASKS, 1)})
    data.name, data.folder, data.digest = facts["name"], str(path.resolve()), facts["digest"]
    if "ids" in arrays or "ids_text" in arrays:
        data.ids = MappedIds(arrays)
    if facts["classes"] is not None:
        data.classes = facts["classes"]
    encoders = read_encoders(facts.get("encoders"))
    if encoders is not None:
        data.encoders = encoders
    return data


def read_encoders(records: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return how tables became features, where they did and pandas is here to do it again."""
    if records is None or find_spec("pandas") is None:
        return None
    from highwaygraph.data.tables.encoders import ENCODERS

    return {**ENCODERS.validate_python(records)}


class MappedIds(Sequence[Any]):
    """The ids of a mapped graph's nodes, decoded from its arrays when they are read."""

    def __init__(self, arrays: Mapping[str, Tensor]) -> None:
        self._arrays = arrays

    def __len__(self) -> int:
        return len(self._arrays["ids" if "ids" in self._arrays else "ids_end"])

    @overload
    def __getitem__(self, place: int) -> Any: ...

    @overload
    def __getitem__(self, place: slice) -> list[Any]: ...

    def __getitem__(self, place: int | slice) -> Any:
        if isinstance(place, slice):
            return list(self)[place]
        if "ids" in self._arrays:
            return self._arrays["ids"][place].item()
        index = range(len(self))[place]
        ends = self._arrays["ids_end"]
        start = int(ends[index - 1]) if index else 0
        return self._arrays["ids_text"][start : int(ends[index])].numpy().tobytes().decode()

    def __iter__(self) -> Iterator[Any]:
        if "ids" in self._arrays:
            return iter(self._arrays["ids"].tolist())
        text, ends = self._arrays["ids_text"].numpy().tobytes(), self._arrays["ids_end"].tolist()
        return (text[low:high].decode() for low, high in zip([0, *ends[:-1]], ends, strict=True))
