"""A graph in a folder of memory-mapped arrays: opened at once, shared by all processes of a host."""

import errno
import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, overload

import numpy as np
import torch
from numpy.typing import DTypeLike, NDArray
from torch import Tensor

from highwaygraph.data.mapped.validate import SHAPE, GraphFacts, check_edges, check_nodes, read_facts
from highwaygraph.data.tables.stored_encoders import read_encoders
from highwaygraph.errors import DataError
from highwaygraph.graph.csr import CSR
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import MASKS, validate
from highwaygraph.runtime.parsing import checked, parse_json

FORMAT = "highwaygraph graph 1"


META = "graph.json"


# The checksum of a graph of up to so many bytes is verified when it is opened; that of a larger one by
# `highway verify`.
MAX_VERIFIED = 2**28


# Bytes of zeros that are written at once.
CHUNK = 2**20


TYPES = ("int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64", "bool")


class Array(NamedTuple):
    """Type and shape of one file, as declared in graph.json."""

    type: str
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """Size of the file."""
        return np.dtype(self.type).itemsize * math.prod(self.shape)


def is_mapped_graph(path: Path) -> bool:
    """Return whether the folder is a memory-mapped graph."""
    # os.path returns False for names that no file can have, where pathlib raises an error.
    return os.path.isfile(path / META)


def create(folder: Path, name: str, type: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return a new array in the folder, to be filled chunk by chunk."""
    if not np.prod(shape):
        _file(folder, name).touch()
        return np.empty(shape, dtype=type)
    _reserve(_file(folder, name), Array(np.dtype(type).str, shape).bytes)
    array: NDArray[Any] = np.memmap(_file(folder, name), dtype=type, mode="r+", shape=shape)
    return array


def _reserve(path: Path, size: int) -> None:
    """Make a file of zeros whose space is on the disk: a page without space would end the process with SIGBUS."""
    with path.open("wb") as file:
        try:
            os.posix_fallocate(file.fileno(), 0, size)
        except (AttributeError, OSError) as error:
            # Not every system or disk reserves space; zeros are written there.
            if getattr(error, "errno", errno.ENOTSUP) not in (errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL):
                raise
            for start in range(0, size, CHUNK):
                file.write(bytes(min(CHUNK, size - start)))


def append(folder: Path, name: str) -> BinaryIO:
    """Return a new file in the folder, for an array whose length is not known yet."""
    return _file(folder, name).open("wb", buffering=2**20)


def reopen(folder: Path, name: str, type: DTypeLike, shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the array in such a file."""
    if not np.prod(shape):
        return np.empty(shape, dtype=type)
    array: NDArray[Any] = np.memmap(_file(folder, name), dtype=type, mode="r", shape=shape)
    return array


def remove(folder: Path, name: str) -> None:
    """Delete a file of the folder."""
    _file(folder, name).unlink()


def finish(folder: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, Any]) -> None:
    """Write graph.json, which completes the folder."""
    for array in arrays.values():
        if isinstance(array, np.memmap):
            array.flush()
    described = {name: [str(array.dtype), list(array.shape)] for name, array in arrays.items()}
    text = json.dumps({"format": FORMAT, "arrays": described, **facts}, indent=1) + "\n"
    (folder / META).write_text(text, encoding="utf-8")


def open_arrays(path: Path) -> tuple[dict[str, Tensor], GraphFacts]:
    """Return the mapped arrays and the metadata, after a check of the files' sizes and of all entries per node."""
    try:
        facts = read_facts(parse_json((path / META).read_text(encoding="utf-8")))
        if facts.format != FORMAT:
            raise DataError(f"{path} was written by another version ({facts.format}): convert the graph again.")
        described = {name: _described(name, *kind) for name, kind in facts.arrays.items()}
    except (OSError, ValueError, TypeError) as error:
        raise DataError(f"{path / META} is damaged ({error}): convert the graph again.") from error
    arrays = {name: _map(path, name, array) for name, array in described.items()}
    with _explained(path):
        check_nodes(arrays)
    return arrays, facts


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise DataError(f"{path} is damaged ({error}): convert the graph again.") from error


def _described(name: str, kind: Any, shape: Any) -> Array:
    """Return the declared type and shape of a file; refuse one that is invalid or outside the folder."""
    if not name.isidentifier() or kind not in TYPES:
        raise ValueError(f"there is no array {name} of {kind} {shape}")
    return Array(kind, tuple(checked(SHAPE, shape, f"there is no array {name}: shape")))


def _map(folder: Path, name: str, array: Array) -> Tensor:
    path = _file(folder, name)
    size = path.stat().st_size if path.is_file() else -1
    if size != array.bytes:
        raise DataError(f"{path} has {size:,} bytes, not {array.bytes:,}: convert the graph again.")
    if not array.bytes:
        return torch.empty(array.shape, dtype=torch.from_numpy(np.empty(0, array.type)).dtype)
    # Copy on write: pages are shared by all processes; a page that is changed becomes private.
    return torch.from_numpy(np.memmap(path, dtype=array.type, mode="c", shape=array.shape))


def _file(folder: Path, name: str) -> Path:
    return folder / f"{name}.bin"


def verify_mapped_graph(path: Path) -> list[str]:
    """Return the names of the graph's arrays; raise a DataError where their checksum or an entry is invalid."""
    arrays, facts = open_arrays(path)
    _verify(path, arrays, facts)
    return sorted(arrays)


def _verify(path: Path, arrays: Mapping[str, Tensor], facts: GraphFacts) -> None:
    if digest({name: array.numpy() for name, array in arrays.items()}) != facts.digest:
        raise DataError(f"{path} is not as it was written: convert the graph again.")
    # A checksum shows that nothing has changed, not that it was valid.
    with _explained(path):
        check_edges(arrays)
        types = arrays.get("edge_type")
        if (
            types is not None
            and facts.relations is not None
            and len(types)
            and int(types.max()) >= len(facts.relations)
        ):
            raise ValueError("edge_type has an entry without a name")


def digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    """Return one checksum of all arrays."""
    sums = (hashlib.sha256(np.ascontiguousarray(arrays[name]).data).digest() for name in sorted(arrays))
    return hashlib.sha256(b"".join(sums)).hexdigest()


def open_mapped_graph(path: Path) -> Graph:
    """Return the graph: features, labels and masks as usual, with a CSR adjacency in place of an edge_index."""
    arrays, facts = open_arrays(path)
    if sum(array.nbytes for array in arrays.values()) <= MAX_VERIFIED:
        _verify(path, arrays, facts)
    part = arrays["part"]
    data = Graph(x=arrays["x"], y=arrays["y"].long(), num_nodes=len(arrays["x"]))
    values = (arrays.get(name) for name in ("weight", "edge_attr", "edge_type"))
    data.csr = CSR(arrays["start"], arrays["neighbours"], *values)
    if bool(part.any()):
        data.update({name: part == number for number, name in enumerate(MASKS, 1)})
    data.name, data.folder, data.digest = facts.name, str(path.resolve()), facts.digest
    if "ids" in arrays or "ids_text" in arrays:
        data.ids = MappedIds(arrays)
    if facts.classes is not None:
        data.classes = facts.classes
    with _explained(path):
        encoders = read_encoders(facts.encoders, data.x.size(1))
    if encoders is not None:
        data.encoders = encoders
    if facts.relations is not None:
        data.relations = facts.relations
    if facts.column_roles is not None:
        data.column_roles = facts.column_roles
    return validate(data)


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
