"""Writer of memory-mapped graphs: memory is O(nodes), whatever the size of the edges and the features."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import DTypeLike, NDArray

from highwaygraph.data.databases.address import refuse_address
from highwaygraph.data.mapped import store
from highwaygraph.data.mapped.external_sort import EXAMPLES, VALUES, EdgeChunk, sort_by_target
from highwaygraph.errors import DataError, FailedError
from highwaygraph.graph.csr import CSR
from highwaygraph.graph.graph import EDGE_VALUES, Graph
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.graph.structural import structural_features
from highwaygraph.graph.validate import MASKS, non_finite
from highwaygraph.runtime.atomic import reason, staged_folder

# Rows of features that are written at once.
ROWS = 2**16


Arrays = dict[str, NDArray[Any]]


Notify = Callable[[str], object]


OnRepeated = Callable[[int, list[tuple[int, int]], bool], object]


class Nodes(NamedTuple):
    """The nodes of a graph, their features chunk by chunk."""

    total: int
    width: int
    """Number of features."""
    features: Iterable[NDArray[np.float32]] | None
    """None for structural features, which are computed when the edges are written."""
    labels: NDArray[np.int64]
    part: NDArray[np.int8]
    """0 for none, 1, 2 and 3 for train, validation and test."""
    ids: list[Any] | None = None
    classes: list[str] | None = None
    encoders: Mapping[str, Any] | None = None
    """Encoder of every column, for nodes of a table."""
    column_roles: Mapping[str, str] | None = None
    """Columns by role, for nodes of a table."""
    relations: list[str] | None = None
    """Names of the edge types."""


def write_mapped_graph(
    folder: Path,
    nodes: Nodes,
    edges: Iterable[EdgeChunk],
    notify: Notify = lambda _: None,
    on_repeated: OnRepeated = lambda *_: None,
) -> Path:
    """Write a graph from streams; the folder appears when it is complete.

    Args:
        folder: Path of the new folder.
        nodes: The nodes.
        edges: The edges; both directions of each are written, once each, without self-loops.
        notify: Takes a sentence on what is written next.
        on_repeated: Takes the number of edges that repeat another, the first of them, and whether edges have weights.

    Returns:
        The folder.
    """
    refuse_existing(folder)
    try:
        with staged_folder(folder) as staged:
            notify("Edges ...")
            arrays = _write_edges(staged, edges, nodes.total, on_repeated)
            notify(f"Features of {nodes.total:,} nodes ...")
            arrays |= _write_nodes(staged, _with_features(nodes, arrays))
            store.finish(staged, arrays, _metadata(folder.name, nodes, arrays))
    except OSError as error:
        raise FailedError(f"Cannot write {folder}: {reason(error)}. Choose another folder.") from error
    return folder


def refuse_existing(folder: Path) -> None:
    """Refuse to write a graph where something is already, or to a database."""
    refuse_address(folder)
    if folder.exists() or folder.is_symlink():
        raise DataError(f"{folder} exists already: choose another folder.")


def _write_nodes(staged: Path, nodes: Nodes) -> Arrays:
    arrays: Arrays = {"x": _write_features(staged, nodes)}
    for name, values in (("y", nodes.labels.astype(np.int32)), ("part", nodes.part)):
        arrays[name] = store.create(staged, name, values.dtype, values.shape)
        arrays[name][:] = values
    return arrays if nodes.ids is None else arrays | _write_ids(staged, nodes.ids)


def _metadata(name: str, nodes: Nodes, arrays: Arrays) -> dict[str, Any]:
    encoders = None if nodes.encoders is None else {key: value.model_dump() for key, value in nodes.encoders.items()}
    facts = {"name": name, "classes": nodes.classes, "encoders": encoders, "digest": store.digest(arrays)}
    more = {"column_roles": nodes.column_roles, "relations": nodes.relations}
    return facts | {key: value for key, value in more.items() if value is not None}


def from_data(data: Graph) -> tuple[Nodes, list[EdgeChunk]]:
    """Return a graph in memory as such streams."""
    refuse_several_labels(data, "A converted graph", "train on the graph in memory")
    if data.hetero is not None:
        raise DataError("Several node types are not supported on disk: train on the graph itself, without converting.")
    if data.graph_id is not None:
        raise DataError(
            "Several graphs are not supported on disk: join them with hg.load first, draw the split by graph, then "
            "del data.graph_id and convert the result."
        )
    part = torch.zeros(data.num_nodes, dtype=torch.int8)
    for number, name in enumerate(MASKS, 1):
        if name in data and data[name].dim() == 2:
            raise DataError(f"{name} holds several splits: choose one with hg.use_split(data, column=0) first.")
        if name in data:
            part[data[name]] = number
    features = (chunk.float().numpy() for chunk in data.x.split(ROWS))
    named = {name: getattr(data, name, None) for name in ("ids", "classes", "encoders", "column_roles", "relations")}
    nodes = Nodes(data.num_nodes, data.x.size(1), features, data.y.numpy(), part.numpy(), **named)
    if data.edge_attr is not None and data.edge_attr.dim() != 2:
        raise DataError("data.edge_attr has one number per edge and no columns: give data.edge_attr[:, None].")
    source, target = data.edge_index.numpy()
    values = (data.get(name) for name in EDGE_VALUES)
    return nodes, [EdgeChunk(source, target, *(None if value is None else value.numpy() for value in values))]


def _with_features(nodes: Nodes, arrays: Arrays) -> Nodes:
    """Return the nodes with structural features where they have no others."""
    if nodes.features is not None:
        return nodes
    rowptr, col = (torch.from_numpy(np.array(arrays[name])) for name in ("start", "neighbours"))
    table = structural_features(CSR(rowptr, col)).numpy()
    return nodes._replace(width=table.shape[1], features=[table])


def _write_features(staged: Path, nodes: Nodes) -> NDArray[np.float32]:
    table, row = store.create(staged, "x", np.float32, (nodes.total, nodes.width)), 0
    bad, first = 0, -1
    for chunk in nodes.features or ():
        if row + len(chunk) > nodes.total or chunk.shape[1] != nodes.width:
            raise DataError(f"The features have more rows or columns than {nodes.total:,} x {nodes.width:,}.")
        table[row : row + len(chunk)] = chunk
        wrong = ~np.isfinite(chunk)
        if wrong.any():
            first = row + int(wrong.any(axis=1).argmax()) if not bad else first
            bad += int(wrong.sum())
        row += len(chunk)
    if row != nodes.total:
        raise DataError(f"The features end at row {row:,} of {nodes.total:,}.")
    if bad:
        raise non_finite(bad, nodes.total * nodes.width, first)
    return table


def _write_edges(staged: Path, edges: Iterable[EdgeChunk], nodes: int, on_repeated: OnRepeated) -> Arrays:
    """Write the adjacency chunk by chunk, and return its arrays as they will be mapped."""
    dtype = np.int32 if nodes < 2**31 else np.int64
    counts, kinds = np.zeros(nodes + 1, dtype=np.int64), dict[str, tuple[DTypeLike, tuple[int, ...]]]()
    row, repeated, examples = 0, 0, list[tuple[int, int]]()
    with ExitStack() as stack:
        files = {name: stack.enter_context(store.append(staged, name)) for name in ("neighbours", *VALUES)}
        for chunk in sort_by_target(edges, nodes, staged):
            counts[row + 1 : row + 1 + len(chunk.counts)] = chunk.counts
            row += len(chunk.counts)
            repeated, examples = repeated + chunk.repeated, [*examples, *chunk.examples][:EXAMPLES]
            arrays = {"neighbours": chunk.neighbors.astype(dtype)} | chunk.values
            for name, array in arrays.items():
                kinds[name] = array.dtype, array.shape[1:]
                files[name].write(array.tobytes())
    on_repeated(repeated, examples, "weight" in kinds)
    start = store.create(staged, "start", np.int64, (nodes + 1,))
    np.cumsum(counts, out=start)
    for name in set(files) - set(kinds):
        store.remove(staged, name)
    written = {n: store.reopen(staged, n, kind, (int(start[-1]), *shape)) for n, (kind, shape) in kinds.items()}
    return {"start": start} | written


def _write_ids(staged: Path, ids: list[Any]) -> Arrays:
    """Write the ids: integers as they are, text as UTF-8 one after the other with the ends."""
    if isinstance(ids[0], int):
        numbers = store.create(staged, "ids", np.int64, (len(ids),))
        numbers[:] = ids
        return {"ids": numbers}
    encoded = [text.encode() for text in ids]
    ends = store.create(staged, "ids_end", np.int64, (len(encoded),))
    ends[:] = np.cumsum([len(text) for text in encoded])
    letters = store.create(staged, "ids_text", np.uint8, (int(ends[-1]),))
    letters[:] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    return {"ids_end": ends, "ids_text": letters}
