"""Graphs of any size into a folder of mapped arrays: memory follows the nodes, not the edges or the features."""

import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from highwaygraph.data.mapped import store
from highwaygraph.data.mapped.external_sort import Piece, by_receiver
from highwaygraph.errors import DataError, FailedError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import MASKS

# Rows of features that are written in one go.
ROWS = 2**16


Arrays = dict[str, NDArray[Any]]


Say = Callable[[str], object]


class Nodes(NamedTuple):
    """What is known of the nodes: how many, how wide their features are, and these, stretch by stretch."""

    total: int
    width: int
    features: Iterable[NDArray[np.float32]]
    labels: NDArray[np.int64]
    part: NDArray[np.int8]
    """0 for none, 1, 2 and 3 for train, validation and test."""
    ids: list[Any] | None = None
    classes: list[str] | None = None
    encoders: Mapping[str, Any] | None = None
    """How columns became features, where they did."""


def write_store(folder: Path, nodes: Nodes, edges: Iterable[Piece], say: Say = lambda _: None) -> Path:
    """Write a graph from streams; the folder appears when all of it is there."""
    with _staged(folder) as place:
        say(f"Features of {nodes.total:,} nodes ...")
        arrays = {"x": _fill(place, nodes)}
        say("Edges ...")
        arrays |= _edges(place, edges, nodes.total)
        for name, values in (("y", nodes.labels.astype(np.int32)), ("part", nodes.part)):
            arrays[name] = store.create(place, name, values.dtype, values.shape)
            arrays[name][:] = values
        if nodes.ids is not None:
            arrays |= _names(place, nodes.ids)
        learned = {name: encoder.model_dump() for name, encoder in (nodes.encoders or {}).items()} or None
        facts = {"name": folder.name, "classes": nodes.classes, "encoders": learned, "digest": store.digest(arrays)}
        store.finish(place, arrays, facts)
    return folder


def from_data(data: Graph) -> tuple[Nodes, list[Piece]]:
    """Return a graph in memory as such streams."""
    part = torch.zeros(data.num_nodes, dtype=torch.int8)
    for number, name in enumerate(MASKS, 1):
        if name in data and data[name].dim() == 2:
            raise DataError(f"{name} holds several splits: choose one with hg.use_split(data, column=0) first.")
        if name in data:
            part[data[name]] = number
    stretches = (piece.float().numpy() for piece in data.x.split(ROWS))
    known = {name: getattr(data, name, None) for name in ("ids", "classes", "encoders")}
    nodes = Nodes(data.num_nodes, data.x.size(1), stretches, data.y.numpy(), part.numpy(), **known)
    one, other = data.edge_index.numpy()
    return nodes, [Piece(one, other, None if data.edge_weight is None else data.edge_weight.numpy())]


def _fill(place: Path, nodes: Nodes) -> NDArray[np.float32]:
    table, row = store.create(place, "x", np.float32, (nodes.total, nodes.width)), 0
    for piece in nodes.features:
        if row + len(piece) > nodes.total or piece.shape[1] != nodes.width:
            raise DataError(f"The features have more rows or columns than {nodes.total:,} x {nodes.width:,}.")
        table[row : row + len(piece)] = piece
        row += len(piece)
    if row != nodes.total:
        raise DataError(f"The features end at row {row:,} of {nodes.total:,}.")
    return table


def _edges(place: Path, edges: Iterable[Piece], nodes: int) -> Arrays:
    """Write the rows as they come, and return them as they will be mapped."""
    kind = np.int32 if nodes < 2**31 else np.int64
    counts, weighted = np.zeros(nodes + 1, dtype=np.int64), False
    row = 0
    with store.append(place, "neighbours") as out, store.append(place, "weight") as weights:
        for stretch in by_receiver(edges, nodes, place):
            counts[row + 1 : row + 1 + len(stretch.counts)] = stretch.counts
            row += len(stretch.counts)
            out.write(stretch.neighbours.astype(kind).tobytes())
            if stretch.weight is not None:
                weighted = True
                weights.write(stretch.weight.tobytes())
    start = store.create(place, "start", np.int64, (nodes + 1,))
    np.cumsum(counts, out=start)
    entries = (int(start[-1]),)
    found: Arrays = {"start": start, "neighbours": store.reopen(place, "neighbours", kind, entries)}
    if weighted:
        return found | {"weight": store.reopen(place, "weight", np.float32, entries)}
    store.remove(place, "weight")
    return found


def _names(place: Path, ids: list[Any]) -> Arrays:
    """Write the ids, numbers as such and words as UTF-8 one after the other with their ends."""
    if isinstance(ids[0], int):
        numbers = store.create(place, "ids", np.int64, (len(ids),))
        numbers[:] = ids
        return {"ids": numbers}
    words = [word.encode() for word in ids]
    ends = store.create(place, "ids_end", np.int64, (len(words),))
    ends[:] = np.cumsum([len(word) for word in words])
    letters = store.create(place, "ids_text", np.uint8, (int(ends[-1]),))
    letters[:] = np.frombuffer(b"".join(words), dtype=np.uint8)
    return {"ids_end": ends, "ids_text": letters}


@contextmanager
def _staged(folder: Path) -> Iterator[Path]:
    if folder.exists():
        raise DataError(f"{folder} exists already: choose another folder.")
    try:
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.absolute().parent, prefix=f".{folder.name}-") as place:
            staged = Path(place) / "graph"
            staged.mkdir()
            yield staged
            staged.rename(folder)
    except OSError as error:
        raise FailedError(f"Cannot write {folder}: {error.strerror}. Choose another folder.") from error
