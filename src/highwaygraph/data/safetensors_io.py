"""A graph as named tensors and back, as runs store it: features are sparse where most are zero."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import validate
from highwaygraph.runtime.atomic import staged_file

# Below this fraction of non-zeros, indices and values take less space than the dense table.
SPARSE_BELOW = 0.3


PLAIN = ("edge_index", "edge_weight", "y", "train_mask", "val_mask", "test_mask")


def pack(data: Graph) -> dict[str, Tensor]:
    """Return the tensors that make up the graph."""
    tensors = {name: data[name] for name in PLAIN if name in data}
    if data.x.count_nonzero() > SPARSE_BELOW * data.x.numel():
        return tensors | {"x": data.x}
    place = data.x.nonzero()
    shape = torch.tensor(data.x.shape)
    return tensors | {"x_place": place.to(torch.int32), "x_values": data.x[tuple(place.T)], "x_shape": shape}


def unpack(tensors: Mapping[str, Tensor], **named: Any) -> Graph:
    """Return the graph that these tensors make up, with named attributes such as ids and classes."""
    if "x" in tensors:
        x = tensors["x"]
    else:
        x = torch.zeros(*tensors["x_shape"].tolist(), dtype=tensors["x_values"].dtype)
        x[tuple(tensors["x_place"].long().T)] = tensors["x_values"]
    plain = {name: tensors[name] for name in PLAIN if name in tensors}
    return Graph(x=x, num_nodes=len(x), **plain, **named)


NAMED = ("ids", "classes")


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
    if missing == ["y"] and not labels:
        tensors["y"] = torch.full((len(tensors["x"]) if "x" in tensors else int(tensors["x_shape"][0]),), -1)
    elif missing:
        held = ", ".join(tensors) or "nothing"
        raise DataError(f"{path.name} has no {missing[0]!r} (it holds {held}): add that tensor.")
    try:
        named = {name: json.loads(header[name]) for name in NAMED if name in header}
        data = validate(unpack(tensors, **named))
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
