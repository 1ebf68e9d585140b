"""Edges larger than memory, sorted by target node: first into buckets on disk, then bucket by bucket."""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


BUCKETS = 64


# Repeated edges that are kept as examples.
EXAMPLES = 3


class EdgeChunk(NamedTuple):
    """Some edges: both ends, and their weights where they have any."""

    source: Numbers
    target: Numbers
    weight: NDArray[Any] | None = None


class AdjacencyChunk(NamedTuple):
    """The CSR adjacency of consecutive target nodes."""

    counts: Numbers
    """Number of neighbours of each target."""
    neighbors: Numbers
    weight: NDArray[np.float32] | None
    repeated: int = 0
    """Number of edges that repeat another one in either direction, counted at the smaller of their ends."""
    examples: tuple[tuple[int, int], ...] = ()
    """The first pairs of nodes that are repeated."""


def sort_by_target(chunks: Iterable[EdgeChunk], nodes: int, scratch: Path) -> Iterator[AdjacencyChunk]:
    """Yield the adjacency of all target nodes in order: both directions of every edge, once each, without loops.

    Args:
        chunks: Edges in any order; the weight of an edge that occurs several times is the mean.
        nodes: Number of nodes.
        scratch: Folder for temporary files.
    """
    width = -(-nodes // BUCKETS) or 1
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        buckets = [Path(folder) / f"{bucket}.bin" for bucket in range(-(-nodes // width))]
        weighted = _scatter(chunks, width, buckets)
        for number, bucket in enumerate(buckets):
            low = number * width
            yield _gather(bucket, low, min(width, nodes - low), nodes, weighted)


def _scatter(chunks: Iterable[EdgeChunk], width: int, buckets: list[Path]) -> bool:
    """Write every edge in both directions into the bucket of its target, and return whether edges have weights."""
    weighted = False
    with ExitStack() as stack:
        files = [stack.enter_context(bucket.open("wb", buffering=2**18)) for bucket in buckets]
        for source, target, weight in chunks:
            weighted = weight is not None
            records = _records(source, target, weight)
            number = records["target"] // width
            order = np.argsort(number, kind="stable")
            records, ends = records[order], np.searchsorted(number[order], np.arange(len(buckets) + 1))
            for file, low, high in zip(files, ends[:-1], ends[1:], strict=True):
                file.write(records[low:high].tobytes())
    return weighted


def _records(source: Numbers, target: Numbers, weight: NDArray[Any] | None) -> NDArray[Any]:
    """Return both directions of each edge, one after the other: weights are summed in the order of the edges."""
    kept = source != target
    ends = np.stack([source[kept], target[kept]], axis=1)
    records = np.empty(2 * len(ends), dtype=_record_type(weighted=weight is not None))
    records["source"], records["target"] = ends.reshape(-1), ends[:, ::-1].reshape(-1)
    if weight is not None:
        records["weight"] = np.repeat(weight[kept], 2)
    return records


def _record_type(*, weighted: bool) -> list[tuple[str, type]]:
    """Return the fields of an edge in a bucket; weights stay double until their mean is taken."""
    return [("target", np.int64), ("source", np.int64), *([("weight", np.float64)] if weighted else [])]


def _gather(bucket: Path, low: int, width: int, nodes: int, weighted: bool) -> AdjacencyChunk:
    records = np.fromfile(bucket, dtype=_record_type(weighted=weighted))
    bucket.unlink()
    keys = (records["target"] - low) * nodes + records["source"]
    weight = None
    if weighted:
        _, group = np.unique(keys, return_inverse=True)
        weight = (np.bincount(group, records["weight"]) / np.bincount(group)).astype(np.float32)
        del records, group
    # Sorted in place: numpy's unique would hold three copies.
    keys.sort()
    first = np.empty(len(keys), dtype=bool)
    first[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    unique, repeats = keys[first], keys[~first]
    # Every edge is in two rows; that of its smaller end counts.
    repeats = repeats[low + repeats // nodes < repeats % nodes]
    pairs = np.unique(repeats)[:EXAMPLES]
    examples = tuple((int(low + key // nodes), int(key % nodes)) for key in pairs)
    counts = np.bincount(unique // nodes, minlength=width)
    return AdjacencyChunk(counts, unique % nodes, weight, len(repeats), examples)
