"""Edges larger than memory, sorted by target node: first into buckets on disk, then bucket by bucket."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from highwaygraph.errors import DataError

Numbers = NDArray[np.int64]


BUCKETS = 64


# Repeated edges that are kept as examples.
EXAMPLES = 3


VALUES = ("weight", "edge_attr", "edge_type")
"""Names of the arrays of values per entry."""


class EdgeChunk(NamedTuple):
    """Some edges: both ends, and their values where they have any."""

    source: Numbers
    target: Numbers
    weight: NDArray[Any] | None = None
    edge_attr: NDArray[Any] | None = None
    """A row of features per edge."""
    edge_type: NDArray[Any] | None = None


class AdjacencyChunk(NamedTuple):
    """The CSR adjacency of consecutive target nodes."""

    counts: Numbers
    """Number of neighbours of each target."""
    neighbors: Numbers
    values: dict[str, NDArray[Any]]
    """Weight, features and type per neighbour, those that the edges have."""
    repeated: int = 0
    """Number of edges that repeat another one in either direction, counted at the smaller of their ends."""
    examples: tuple[tuple[int, int], ...] = ()
    """The first pairs of nodes that are repeated."""


class _Layout(NamedTuple):
    """The values that records have: whether weights, the number of features, and the number of types."""

    weighted: bool = False
    width: int = 0
    types: int = 0

    @property
    def record(self) -> list[Any]:
        """Fields of an edge in a bucket; weights and features stay double until their mean is taken."""
        fields: list[Any] = [("target", np.int64), ("source", np.int64)]
        fields += [("weight", np.float64)] if self.weighted else []
        fields += [("edge_attr", np.float64, (self.width,))] if self.width else []
        return fields + ([("edge_type", np.int32)] if self.types else [])


def sort_by_target(chunks: Iterable[EdgeChunk], nodes: int, scratch: Path) -> Iterator[AdjacencyChunk]:
    """Yield the adjacency of all target nodes in order: both directions of every edge, once each, without loops.

    Args:
        chunks: Edges in any order; the weight and the features of an edge that occurs several times are the mean. Edges
            of different types are different.
        nodes: Number of nodes.
        scratch: Folder for temporary files.
    """
    width = -(-nodes // BUCKETS) or 1
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        buckets = [Path(folder) / f"{bucket}.bin" for bucket in range(-(-nodes // width))]
        layout = _scatter(chunks, width, buckets)
        if width * nodes * max(layout.types, 1) >= 2**63:
            raise DataError(f"{layout.types:,} edge types on {nodes:,} nodes are not supported: merge rare types.")
        for number, bucket in enumerate(buckets):
            low = number * width
            yield _gather(bucket, low, min(width, nodes - low), nodes, layout)


def _scatter(chunks: Iterable[EdgeChunk], width: int, buckets: list[Path]) -> _Layout:
    """Write every edge in both directions into the bucket of its target, and return the layout of the records."""
    layout = _Layout()
    with ExitStack() as stack:
        files = [stack.enter_context(bucket.open("wb", buffering=2**18)) for bucket in buckets]
        for chunk in chunks:
            layout = _layout_of(chunk, layout.types)
            records = _records(chunk, layout)
            number = records["target"] // width
            order = np.argsort(number, kind="stable")
            records, ends = records[order], np.searchsorted(number[order], np.arange(len(buckets) + 1))
            for file, low, high in zip(files, ends[:-1], ends[1:], strict=True):
                file.write(records[low:high].tobytes())
    return layout


def _layout_of(chunk: EdgeChunk, types: int) -> _Layout:
    _, _, weight, attr, kind = chunk
    more = 0 if kind is None else max(types, int(kind.max(initial=0)) + 1)
    return _Layout(weight is not None, 0 if attr is None else attr.shape[1], more)


def _records(chunk: EdgeChunk, layout: _Layout) -> NDArray[Any]:
    """Return both directions of each edge, one after the other: values are summed in the order of the edges."""
    kept = chunk.source != chunk.target
    ends = np.stack([chunk.source[kept], chunk.target[kept]], axis=1)
    records = np.empty(2 * len(ends), dtype=layout.record)
    records["source"], records["target"] = ends.reshape(-1), ends[:, ::-1].reshape(-1)
    for name, *_ in layout.record[2:]:
        records[name] = np.repeat(getattr(chunk, name)[kept], 2, axis=0)
    return records


def _gather(bucket: Path, low: int, width: int, nodes: int, layout: _Layout) -> AdjacencyChunk:
    records = np.fromfile(bucket, dtype=layout.record)
    bucket.unlink()
    keys, types = (records["target"] - low) * nodes + records["source"], max(layout.types, 1)
    if layout.types:
        keys = keys * types + records["edge_type"]
    values = _mean_values(records, keys, layout)
    del records
    # Sorted in place: numpy's unique would hold three copies.
    keys.sort()
    first = np.empty(len(keys), dtype=bool)
    first[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    unique, repeats = keys[first], keys[~first] // types
    if layout.types:
        values["edge_type"] = (unique % types).astype(np.int32)
        unique //= types
    # Every edge is in two rows; that of its smaller end counts.
    repeats = repeats[low + repeats // nodes < repeats % nodes]
    pairs = np.unique(repeats)[:EXAMPLES]
    examples = tuple((int(low + key // nodes), int(key % nodes)) for key in pairs)
    counts = np.bincount(unique // nodes, minlength=width)
    return AdjacencyChunk(counts, unique % nodes, values, len(repeats), examples)


def _mean_values(records: NDArray[Any], keys: Numbers, layout: _Layout) -> dict[str, NDArray[Any]]:
    """Return the mean weight and the mean features of equal edges, in ascending order of their keys."""
    if not (layout.weighted or layout.width):
        return {}
    _, group, counts = np.unique(keys, return_inverse=True, return_counts=True)
    values: dict[str, NDArray[Any]] = {}
    if layout.weighted:
        values["weight"] = (np.bincount(group, records["weight"]) / counts).astype(np.float32)
    if layout.width:
        columns = [np.bincount(group, column, len(counts)) / counts for column in records["edge_attr"].T]
        values["edge_attr"] = np.stack(columns, axis=1).astype(np.float32)
    return values
