"""A graph as named tensors and back, as runs store it: features are sparse where most are zero."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from highwaygraph.data.limits import COSTS, check_decompressed, check_dense
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import EDGE_VALUES, Graph
from highwaygraph.graph.validate import validate
from highwaygraph.runtime.atomic import staged_file
from highwaygraph.runtime.parsing import parse_json

# Below this fraction of non-zeros, indices and values take less space than the dense table.
SPARSE_BELOW = 0.3


PLAIN = ("edge_index", *EDGE_VALUES, "y", "train_mask", "val_mask", "test_mask", "graph_id")


def pack(data: Graph) -> dict[str, Tensor]:
    """Return the tensors that make up the graph."""
    tensors = {name: data[name] for name in PLAIN if data.get(name) is not None}
    if data.x.count_nonzero() > SPARSE_BELOW * data.x.numel():
        return tensors | {"x": data.x}
    place = data.x.nonzero()
    shape = torch.tensor(data.x.shape)
    return tensors | {"x_place": place.to(torch.int32), "x_values": data.x[tuple(place.T)], "x_shape": shape}


def unpack(tensors: Mapping[str, Tensor], **named: Any) -> Graph:
    """Return the graph that these tensors make up, with named attributes such as ids and classes."""
    x = tensors["x"] if "x" in tensors else _dense(tensors)
    plain = {name: tensors[name] for name in PLAIN if name in tensors}
    return Graph(x=x, num_nodes=len(x), **plain, **named)


def _dense(tensors: Mapping[str, Tensor]) -> Tensor:
    """Return the dense features; raise ValueError where their parts are invalid or declare more than the limit."""
    place, values, shape = tensors["x_place"], tensors["x_values"], tensors["x_shape"].tolist()
    if not isinstance(shape, list) or not all(type(size) is int for size in shape):
        raise ValueError("x_shape must hold two whole numbers")
    check_dense(shape, values.itemsize, sum(tensor.nbytes for tensor in tensors.values()))
    if place.shape != (len(values), 2) or values.dim() != 1 or place.is_floating_point():
        raise ValueError("x_place must hold a row and a column for each of x_values")
    if bool(((place < 0) | (place >= torch.tensor(shape))).any()):
        raise ValueError(f"an entry of x_place lies beyond {shape[0]:,} x {shape[1]:,}")
    x = torch.zeros(*shape, dtype=values.dtype)
    x[tuple(place.long().T)] = values
    return x


NAMED = ("ids", "classes", "relations")


def write_tensors(data: Graph, path: Path, **more: Tensor) -> Path:
    """Write a graph, and more tensors if given; ids and names of classes go into the header."""
    tensors = {name: tensor.contiguous() for name, tensor in (pack(data) | more).items()}
    with staged_file(path) as staged:
        save_file(tensors, staged, metadata={k: json.dumps(v) for k in NAMED if (v := getattr(data, k, None))})
    return path


def read_tensors(path: Path, *, labels: bool = True) -> Graph:
    """Return the validated graph in a file with x, edge_index and y, and masks or weights if it has them."""
    tensors, header = _contents(path)
    missing = [name for name in ("x", "edge_index", "y") if not {name, f"{name}_values"} & set(tensors)]
    if missing and (missing != ["y"] or labels):
        held = ", ".join(tensors) or "nothing"
        raise DataError(f"{path.name} has no {missing[0]!r} (it holds {held}): add that tensor.")
    try:
        named = {name: parse_json(header[name]) for name in NAMED if name in header}
        data = unpack(tensors, **named)
        if missing:
            # A table without columns may declare any number of rows.
            check_decompressed(path, COSTS["y"] * len(data.x), "give it features or labels")
            data.y = torch.full((len(data.x),), -1)
        data = validate(data)
    except (KeyError, ValueError, TypeError, IndexError, RuntimeError) as error:
        raise DataError(
            f"{path.name} holds no graph ({error}): write it with highway export or safetensors."
        ) from error
    data.name = path.stem
    return data


def _contents(path: Path) -> tuple[dict[str, Tensor], dict[str, Any]]:
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118
    except (OSError, SafetensorError) as error:
        raise DataError(f"{path} is not a readable safetensors file ({error}): check or write it again.") from error
