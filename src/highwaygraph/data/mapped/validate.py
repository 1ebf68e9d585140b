"""Validation of a memory-mapped graph: every array has its type, its length and its range, before it is used."""

from collections.abc import Mapping
from typing import Annotated, Any

import torch
from pydantic import BaseModel, Field, TypeAdapter
from torch import Tensor

from highwaygraph.data.tables.schema import RoleNames
from highwaygraph.runtime.parsing import checked

# Entries that are compared at once.
CHUNK = 2**22


# More than any file has; beyond it, sizes overflow.
Size = Annotated[int, Field(ge=0, lt=2**48)]


class GraphFacts(BaseModel):
    """The content of graph.json."""

    format: str
    arrays: dict[str, Annotated[list[Any], Field(min_length=2, max_length=2)]]
    name: str
    classes: list[str] | None = None
    encoders: dict[str, Any] | None = None
    column_roles: RoleNames | None = None
    relations: list[str] | None = None
    digest: str


FACTS, SHAPE = TypeAdapter(GraphFacts), TypeAdapter(list[Size])


INTEGERS = (torch.int8, torch.int16, torch.int32, torch.int64)
FLOATS = (torch.float32,)


# Types of every array, its number of dimensions, and the name of its length.
ARRAYS: dict[str, tuple[tuple[torch.dtype, ...], int, str]] = {
    "x": (FLOATS, 2, "nodes"),
    "y": (INTEGERS, 1, "nodes"),
    "part": (INTEGERS, 1, "nodes"),
    "start": ((torch.int64,), 1, "rows"),
    "neighbours": ((torch.int32, torch.int64), 1, "edges"),
    "weight": (FLOATS, 1, "edges"),
    "edge_attr": (FLOATS, 2, "edges"),
    "edge_type": (INTEGERS, 1, "edges"),
    "ids": ((torch.int64,), 1, "nodes"),
    "ids_end": ((torch.int64,), 1, "nodes"),
    "ids_text": ((torch.uint8,), 1, "letters"),
}
OPTIONAL = {"weight", "edge_attr", "edge_type", "ids", "ids_end", "ids_text"}


def read_facts(value: Any) -> GraphFacts:
    """Return the parsed graph.json; raise ValueError where an entry is missing or of another type."""
    return checked(FACTS, value, "graph.json")


def check_nodes(arrays: Mapping[str, Tensor]) -> None:
    """Raise ValueError where an array is missing, of another type or length, or where rows or ids have invalid ends.

    Reads the arrays with an entry per node, not the features and the edges.
    """
    missing = [name for name in ARRAYS if name not in arrays and name not in OPTIONAL]
    if missing or ("ids_end" in arrays) != ("ids_text" in arrays):
        raise ValueError(f"there is no array {missing[0] if missing else 'ids_end or ids_text'}")
    nodes, edges = len(arrays["y"]) if arrays["y"].dim() else 0, arrays["neighbours"].numel()
    lengths = {"nodes": nodes, "rows": nodes + 1, "edges": edges}
    for name, (types, dimensions, length) in ARRAYS.items():
        array = arrays.get(name)
        if array is None:
            continue
        if array.dtype not in types or array.dim() != dimensions or len(array) != lengths.get(length, len(array)):
            kind = str(array.dtype).removeprefix("torch.")
            raise ValueError(f"{name} is of type {kind} and shape {tuple(array.shape)}, with {nodes:,} labels")
    if not nodes:
        raise ValueError("there is no node")
    _check_ends(arrays["start"], 0, edges, "start")
    if not _in_range(arrays["part"], 0, 3):
        raise ValueError("part has an entry beyond 0 to 3")
    if "ids_end" in arrays:
        _check_texts(arrays["ids_text"], arrays["ids_end"])


def check_edges(arrays: Mapping[str, Tensor]) -> None:
    """Raise ValueError where a neighbour does not exist or is out of order, or a number is not finite; reads all."""
    nodes, start, neighbours = len(arrays["y"]), arrays["start"], arrays["neighbours"]
    if not _in_range(neighbours, 0, nodes - 1):
        raise ValueError(f"neighbours has an entry beyond the {nodes:,} nodes")
    first = torch.zeros(len(neighbours), dtype=torch.bool)
    first[start[:-1][start[:-1] < len(neighbours)]] = True
    falling, types = neighbours[1:] <= neighbours[:-1], arrays.get("edge_type")
    if types is not None:
        # A node is a neighbour several times, by edges of different types.
        falling &= (neighbours[1:] < neighbours[:-1]) | (types[1:] <= types[:-1])
    if bool((falling & ~first[1:]).any()):
        raise ValueError("the neighbours of a node are not in ascending order")
    if types is not None and not _in_range(types, 0, 2**31 - 1):
        raise ValueError("edge_type has a negative entry")
    for name in ("x", "weight", "edge_attr"):
        if name in arrays and not all(bool(chunk.isfinite().all()) for chunk in arrays[name].flatten().split(CHUNK)):
            raise ValueError(f"{name} has an entry that is NaN or infinite")


def _check_ends(ends: Tensor, low: int, high: int, name: str) -> None:
    """Raise ValueError where ends decrease, or do not lead from the first entry to the last."""
    falling = any(bool((ends[i + 1 : i + 1 + CHUNK] < ends[i : i + CHUNK][: len(ends) - i - 1]).any())
                  for i in range(0, len(ends), CHUNK))  # fmt: skip
    if falling or int(ends[0]) < 0 or (name == "start" and int(ends[0]) != low) or int(ends[-1]) != high:
        raise ValueError(f"{name} does not lead from {low} to {high:,} in ascending order")


def _check_texts(text: Tensor, ends: Tensor) -> None:
    """Raise ValueError where ids are no UTF-8, or end within a letter."""
    _check_ends(ends, 0, len(text), "ids_end")
    text.numpy().tobytes().decode()
    inner = ends[:-1][ends[:-1] < len(text)]
    # Bytes within a letter begin with the bits 10.
    if bool(((text[inner] & 0xC0) == 0x80).any()):
        raise ValueError("ids_end divides a letter")


def _in_range(array: Tensor, low: int, high: int) -> bool:
    return all(int(chunk.min()) >= low and int(chunk.max()) <= high for chunk in array.split(CHUNK) if len(chunk))
