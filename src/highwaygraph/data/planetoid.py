"""Planetoid datasets: Python 2 pickles of arrays, read without calling anything that a pickle names.

Every name that a Planetoid pickle may hold is mapped to a stand-in below, so that neither numpy's nor scipy's own
unpickling is reached; any other name is refused.
"""

import os
import pickle
import re
from collections import defaultdict
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch_geometric.utils import index_to_mask, to_undirected

from highwaygraph.data.download import FOLDERS, PARTS, read_verified
from highwaygraph.data.limits import check_dense, dense
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import validate


class _Kind:
    """Stands in for numpy.dtype, for plain numbers only."""

    def __init__(self, code: str, *_: object) -> None:
        if not re.fullmatch(r"[biuf][1248]", code):
            raise DataError(f"it holds values of type {code!r} where numbers were expected")
        self.dtype: np.dtype[Any] = np.dtype(code)

    def __setstate__(self, state: Sequence[Any]) -> None:
        self.dtype = self.dtype.newbyteorder(state[1])


class _Array:
    """Stands in for numpy.ndarray."""

    value: NDArray[Any]

    def __setstate__(self, state: Sequence[Any]) -> None:
        _, shape, kind, fortran, raw = state
        # Python 2 had no bytes: its strings arrive decoded as latin1.
        buffer = raw.encode("latin1") if isinstance(raw, str) else raw
        self.value = np.frombuffer(buffer, kind.dtype).reshape(shape, order="F" if fortran else "C").copy()


class _Csr:
    """Stands in for scipy's csr_matrix, whose state is a plain dictionary of attributes."""

    _shape: tuple[int, int]
    data: _Array
    indices: _Array
    indptr: _Array

    def dense(self, own: int) -> NDArray[Any]:
        return dense(self.data.value, self.indices.value, self.indptr.value, self._shape, own)


def _new_array(*_: object) -> _Array:
    return _Array()


_SAFE: dict[tuple[str, str], Any] = {
    ("__builtin__", "list"): list,
    ("builtins", "list"): list,
    ("collections", "defaultdict"): defaultdict,
    ("numpy", "dtype"): _Kind,
    ("numpy", "ndarray"): _Array,
    ("numpy.core.multiarray", "_reconstruct"): _new_array,
    ("numpy._core.multiarray", "_reconstruct"): _new_array,
    ("scipy.sparse.csr", "csr_matrix"): _Csr,
    ("scipy.sparse._csr", "csr_matrix"): _Csr,
    ("scipy.sparse._csr", "csr_array"): _Csr,
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        if (module, name) not in _SAFE:
            raise DataError(f"it refers to {module}.{name}, which no Planetoid file needs")
        return _SAFE[module, name]


def unpickle(content: bytes, file: str) -> Any:
    """Return the dense array or the dictionary in a Planetoid pickle, or refuse the file."""
    try:
        value = _Unpickler(BytesIO(content), encoding="latin1").load()
        if isinstance(value, _Csr):
            return value.dense(len(content))
        return value.value if isinstance(value, _Array) else value
    except Exception as error:
        # A crafted pickle can fail in any way; in every case the file is no Planetoid file.
        why = str(error) if isinstance(error, DataError) else "it is damaged"
        raise DataError(f"{file} is refused as a Planetoid file: {why}.") from error


# PubMed is left out on purpose: sources disagree on which of its classes 1 and 2 is diabetes type 1.
CLASSES = {
    "cora": (
        "Theory",
        "Reinforcement_Learning",
        "Genetic_Algorithms",
        "Neural_Networks",
        "Probabilistic_Methods",
        "Case_Based",
        "Rule_Learning",
    ),
    "citeseer": ("AI", "ML", "IR", "DB", "Agents", "HCI"),
}
"""Names of the classes of a public dataset, where they are certain."""


VALIDATION = 500


def read_planetoid(folder: str | os.PathLike[str], name: str) -> Graph:
    """Return the dataset in a raw Planetoid folder with its public split; nodes without a label get -1."""
    name = name.lower() if name.lower() in FOLDERS else name
    contents = read_verified(Path(folder), name)
    parts = {part: contents[f"ind.{name}.{part}"] for part in PARTS}
    test = _test_nodes(parts.pop("test.index"), name)
    graph = unpickle(parts.pop("graph"), f"ind.{name}.graph")
    arrays = {part: _table(content, f"ind.{name}.{part}") for part, content in parts.items()}
    own = sum(map(len, contents.values()))
    _check_lists(graph, own, name)
    _check_sizes(arrays, graph, test, name)
    _check_widths(arrays, len(graph), own, name)
    data = validate(_assemble(arrays, graph, test))
    data.edge_index = to_undirected(data.edge_index, num_nodes=data.num_nodes)
    classes = CLASSES.get(name, [f"class {number}" for number in range(arrays["y"].shape[1])])
    return data.update({"name": name, "classes": list(classes), "ids": list(range(data.num_nodes))})


def _assemble(arrays: dict[str, NDArray[Any]], graph: dict[int, list[int]], test: NDArray[np.int64]) -> Graph:
    count, train, known = len(graph), len(arrays["y"]), len(arrays["allx"])
    one_hot = _stack(arrays["ally"], arrays["ty"], test, count)
    return Graph(
        x=torch.from_numpy(_stack(arrays["allx"], arrays["tx"], test, count)),
        edge_index=_edges(graph),
        # CiteSeer has nodes that test.index leaves out: without features or label, they are rows of zeros.
        y=torch.from_numpy(np.where(one_hot.any(axis=1), one_hot.argmax(axis=1), -1)),
        train_mask=index_to_mask(torch.arange(train), count),
        val_mask=index_to_mask(torch.arange(train, min(train + VALIDATION, known)), count),
        test_mask=index_to_mask(torch.from_numpy(test), count),
    )


def _stack(head: NDArray[Any], tail: NDArray[Any], test: NDArray[np.int64], count: int) -> NDArray[np.float32]:
    whole = np.zeros((count, head.shape[1]), dtype=np.float32)
    whole[: len(head)] = head
    whole[test] = tail
    return whole


def _edges(graph: dict[int, list[int]]) -> Tensor:
    pairs = [(node, other) for node, others in graph.items() for other in others if node != other]
    return torch.tensor(pairs, dtype=torch.int64).reshape(-1, 2).T.contiguous()


def _test_nodes(content: bytes, name: str) -> NDArray[np.int64]:
    try:
        return np.array([int(word) for word in content.split()], dtype=np.int64)
    except (ValueError, OverflowError) as error:
        raise DataError(f"ind.{name}.test.index must hold one node number per line.") from error


def _table(content: bytes, file: str) -> NDArray[Any]:
    value = unpickle(content, file)
    if not isinstance(value, np.ndarray) or value.ndim != 2:
        raise DataError(f"{file} must hold a table of numbers, not {type(value).__name__}.")
    return value


def _check_sizes(arrays: dict[str, NDArray[Any]], graph: object, test: NDArray[np.int64], name: str) -> None:
    """Refuse files of different datasets, before their sizes are used."""
    if not isinstance(graph, dict) or not all(map(_is_entry, graph.items())):
        raise DataError(f"ind.{name}.graph must map every node number to the list of its neighbours.")
    rows = {part: len(array) for part, array in arrays.items()}
    if rows["x"] != rows["y"] or rows["allx"] != rows["ally"] or not rows["tx"] == rows["ty"] == len(test):
        raise DataError(f"The files of {name} disagree on their number of nodes: download them again together.")
    for family in (("x", "tx", "allx"), ("y", "ty", "ally")):
        if len({arrays[part].shape[1] for part in family}) != 1:
            raise DataError(f"The files of {name} disagree on the width of {', '.join(family)}.")
    if len(np.unique(test)) != len(test) or np.any(test < rows["allx"]) or np.any(test >= len(graph)):
        raise DataError(f"ind.{name}.test.index must name nodes {rows['allx']} to {len(graph) - 1}, each at most once.")
    if rows["allx"] > len(graph) or rows["y"] > rows["allx"]:
        raise DataError(f"ind.{name}.graph has fewer nodes than the other files: it needs one entry per node.")


def _check_lists(graph: object, own: int, name: str) -> None:
    """Refuse one long list as the neighbours of many nodes, which a pickle can hold once."""
    lists = graph.values() if isinstance(graph, dict) else ()
    if sum(len(others) for others in lists if isinstance(others, list)) > own:
        raise DataError(f"ind.{name}.graph lists more neighbours than it holds: give every node a list of its own.")


def _check_widths(arrays: dict[str, NDArray[Any]], nodes: int, own: int, name: str) -> None:
    """Refuse wide tables without rows, which would get a row per node."""
    try:
        for part in ("allx", "ally"):
            check_dense((nodes, arrays[part].shape[1]), 4, own)
    except ValueError as error:
        raise DataError(f"The files of {name} are refused: {error}.") from error


def _is_entry(entry: tuple[object, object]) -> bool:
    node, others = entry
    return isinstance(node, int) and isinstance(others, list) and all(isinstance(one, int) for one in others)
