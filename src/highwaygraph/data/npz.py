"""The npz format of the embedded Cora, which users may write themselves.

edge_index (2, E); x (n, f), or in CSR parts x_indptr, x_indices, x_shape and optionally x_data (else ones);
y (n,) with -1 for unknown; optionally train_mask, val_mask, test_mask (n,) or, for several splits, (n, k) or (k, n),
edge_weight (E,), edge_attr (E, d), edge_type (E,) of integers, ids (n,) of integers or strings, classes (C,) and
relations (R,) of strings, graph_id (n,) of integers, and a scalar undirected: true when every edge is stored once.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor
from torch_geometric.utils import to_undirected

from highwaygraph.data.limits import COSTS, SPARSE, check_decompressed, check_members, dense
from highwaygraph.errors import DataError
from highwaygraph.graph.edge_values import values_by_name
from highwaygraph.graph.graph import EDGE_VALUES, Graph
from highwaygraph.graph.validate import MASKS, validate
from highwaygraph.runtime.atomic import staged_file

Arrays = Mapping[str, NDArray[Any]]


def read_npz(path: str | os.PathLike[str], *, labels: bool = True) -> Graph:
    """Return the validated graph in an npz file, which is never unpickled; without `labels`, y may be missing."""
    path = Path(path)
    arrays = _arrays(path)
    try:
        x = _features(arrays, path.stat().st_size)
        if not labels and "y" not in arrays and "edge_index" in arrays:
            # A table without columns may declare any number of rows.
            check_decompressed(path, COSTS["y"] * len(x), SPARSE)
            arrays["y"] = np.full(len(x), -1)
        data = _data(x, arrays)
    except KeyError as error:
        held = ", ".join(arrays) or "nothing"
        raise DataError(f"{path.name} has no {error.args[0]!r} (it holds {held}): add that array.") from None
    data = _undirected(validate(data)) if _flag(arrays) else validate(data)
    data.name = path.stem
    return data


def write_npz(data: Graph, path: Path, **more: NDArray[Any]) -> Path:
    """Write a graph, and more arrays if given, so that `read_npz` and numpy read it without unpickling."""
    names = ("edge_index", "y", *MASKS, *EDGE_VALUES, "graph_id")
    arrays = {name: data[name].numpy() for name in names if data.get(name) is not None}
    for name in ("ids", "classes", "relations"):
        if getattr(data, name, None):
            arrays[name] = np.array(data[name])
    matrix = csr_array(data.x.numpy())
    if 2 * matrix.nnz < data.x.numel():
        parts = {"indptr": matrix.indptr, "indices": matrix.indices, "data": matrix.data}
        arrays |= {f"x_{part}": array for part, array in parts.items()} | {"x_shape": np.array(matrix.shape)}
    else:
        arrays["x"] = data.x.numpy()
    everything: dict[str, Any] = {**arrays, **more}
    with staged_file(path) as staged, staged.open("wb") as file:
        np.savez_compressed(file, **everything)
    return path


def _data(x: Tensor, arrays: Arrays) -> Graph:
    data = Graph(x=x, edge_index=_tensor(arrays, "edge_index"), y=_tensor(arrays, "y"))
    data.update({name: _tensor(arrays, name) for name in (*EDGE_VALUES, "graph_id") if name in arrays})
    for name in MASKS:
        if name in arrays:
            data[name] = _splits_by_node(_tensor(arrays, name), len(x))
    if "ids" in arrays:
        data.ids = _list(arrays, "ids", "iuU")
    for name in ("classes", "relations"):
        if name in arrays:
            data[name] = _list(arrays, name, "U")
    return data


def _splits_by_node(mask: Tensor, nodes: int) -> Tensor:
    """Return masks of several splits with a row per node; some files have a row per split."""
    by_split = mask.dim() == 2 and mask.size(1) == nodes != mask.size(0)
    return mask.T.contiguous() if by_split else mask


def _arrays(path: Path) -> dict[str, NDArray[Any]]:
    if not path.is_file():
        raise DataError(f"There is no file {path}: check the path.")
    try:
        # np.load leaves a file open that it opened itself and could not read.
        with path.open("rb") as file, ZipFile(file) as archive:
            check_members(path, archive)
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return {key: arrays[key] for key in arrays.files}
    except DataError:
        raise
    except Exception as error:
        # A corrupted file fails in any way inside the libraries.
        if "Object arrays" in str(error):
            raise DataError(
                f"{path.name} holds arrays of Python objects, which could run code when read: "
                "save numbers and strings only (for strings, np.array(names, dtype=str))."
            ) from error
        raise DataError(f"{path.name} is not a readable npz file: write it with numpy.savez.") from error


def _features(arrays: Arrays, own: int) -> Tensor:
    if "x" in arrays:
        # A number too large for a feature becomes infinite, which `validate` reports.
        with np.errstate(over="ignore"):
            return torch.from_numpy(_numbers(arrays, "x").astype(np.float32, copy=False))
    if "x_indptr" not in arrays:
        raise KeyError("x")
    return torch.from_numpy(_dense(arrays, own)).float()


def _dense(arrays: Arrays, own: int) -> NDArray[Any]:
    indices, indptr, shape = (_integers(arrays, f"x_{part}") for part in ("indices", "indptr", "shape"))
    values = _tensor(arrays, "x_data").numpy() if "x_data" in arrays else np.ones(len(indices), np.float32)
    try:
        return dense(values, indices, indptr, tuple(shape.tolist()), own)
    except (ValueError, TypeError, IndexError) as error:
        raise DataError(f"x_indptr, x_indices, x_data and x_shape form no CSR matrix: {error}.") from error


def _integers(arrays: Arrays, key: str) -> NDArray[np.int64]:
    array = arrays[key]
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise DataError(f"{key} must be a row of integers, not {array.dtype} of shape {array.shape}.")
    return array.astype(np.int64)


def _numbers(arrays: Arrays, key: str) -> NDArray[Any]:
    if arrays[key].dtype.kind not in "biuf":
        raise DataError(f"{key} must hold numbers, not {arrays[key].dtype}.")
    return arrays[key]


def _tensor(arrays: Arrays, key: str) -> Tensor:
    array = _numbers(arrays, key)
    # torch takes no foreign byte orders, no extended floats, and few unsigned operations.
    small = array.dtype.itemsize <= 4
    wide = {"b": np.bool_, "i": np.int64, "u": np.int64, "f": np.float32 if small else np.float64}
    return torch.from_numpy(array.astype(wide[array.dtype.kind], copy=False))


def _list(arrays: Arrays, key: str, kinds: str) -> list[Any]:
    array = arrays[key]
    if array.dtype.kind not in kinds or array.ndim != 1:
        raise DataError(f"{key} must be a row of {'strings or integers' if 'i' in kinds else 'strings'}.")
    values: list[Any] = array.tolist()
    return values


def _flag(arrays: Arrays) -> bool:
    flag = arrays.get("undirected", np.array(False))
    if flag.dtype.kind != "b" or flag.ndim:
        raise DataError("undirected must be a single true or false.")
    return bool(flag)


def _undirected(data: Graph) -> Graph:
    values = values_by_name(data)
    if "edge_attr" in values or "edge_type" in values:
        return _with_reverses(data, values)
    weight = values.get("edge_weight")
    if weight is None:
        data.edge_index = to_undirected(data.edge_index, num_nodes=data.num_nodes)
    else:
        # The mean keeps the weight of a self-loop, which is its own reverse.
        both = to_undirected(data.edge_index, weight, data.num_nodes, reduce="mean")
        data.edge_index, data.edge_weight = both
    return data


def _with_reverses(data: Graph, values: dict[str, Tensor]) -> Graph:
    """Return the graph with the reverse of every edge and the same values; edges of several types stay apart."""
    reverse = data.edge_index[0] != data.edge_index[1]
    data.edge_index = torch.cat([data.edge_index, data.edge_index[:, reverse].flip(0)], dim=1)
    data.update({name: torch.cat([value, value[reverse]]) for name, value in values.items()})
    return data
