"""Edges larger than memory, sorted by receiver: first into buckets on disk, then bucket by bucket."""

import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int64]


BUCKETS = 64


class Piece(NamedTuple):
    """Some edges: both ends, and their weights where they have any."""

    one: Numbers
    other: Numbers
    weight: NDArray[np.float32] | None = None


class Stretch(NamedTuple):
    """The rows of consecutive receivers: how many neighbours each has, and who they are."""

    counts: Numbers
    neighbours: Numbers
    weight: NDArray[np.float32] | None


def by_receiver(pieces: Iterable[Piece], nodes: int, scratch: Path) -> Iterator[Stretch]:
    """Return the rows of all receivers in order, from edges in any order; both directions, once each, without loops."""
    width = -(-nodes // BUCKETS) or 1
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        places = [Path(folder) / f"{bucket}.bin" for bucket in range(-(-nodes // width))]
        weighted = _scatter(pieces, width, places)
        for bucket, place in enumerate(places):
            low = bucket * width
            yield _gather(place, low, min(width, nodes - low), nodes, weighted)


def _scatter(pieces: Iterable[Piece], width: int, places: list[Path]) -> bool:
    """Write every edge in both directions into the bucket of its receiver, and tell whether edges have weights."""
    weighted = False
    files = [place.open("wb", buffering=2**18) for place in places]
    try:
        for one, other, weight in pieces:
            weighted = weight is not None
            records = _records(one, other, weight)
            bucket = records["receiver"] // width
            order = np.argsort(bucket, kind="stable")
            records, ends = records[order], np.searchsorted(bucket[order], np.arange(len(places) + 1))
            for file, low, high in zip(files, ends[:-1], ends[1:], strict=True):
                file.write(records[low:high].tobytes())
    finally:
        for file in files:
            file.close()
    return weighted


def _records(one: Numbers, other: Numbers, weight: NDArray[np.float32] | None) -> NDArray[Any]:
    kept = one != other
    records = np.empty(2 * int(kept.sum()), dtype=_kinds(weighted=weight is not None))
    records["receiver"] = np.concatenate([one[kept], other[kept]])
    records["sender"] = np.concatenate([other[kept], one[kept]])
    if weight is not None:
        records["weight"] = np.tile(weight[kept], 2)
    return records


def _kinds(*, weighted: bool) -> list[tuple[str, type]]:
    """Return what a bucket holds of an edge."""
    return [("receiver", np.int64), ("sender", np.int64), *([("weight", np.float32)] if weighted else [])]


def _gather(place: Path, low: int, width: int, nodes: int, weighted: bool) -> Stretch:
    records = np.fromfile(place, dtype=_kinds(weighted=weighted))
    place.unlink()
    keys = (records["receiver"] - low) * nodes + records["sender"]
    if weighted:
        keys, group = np.unique(keys, return_inverse=True)
        weight = (np.bincount(group, records["weight"]) / np.bincount(group)).astype(np.float32)
    else:
        keys, weight = _once(keys), None
    counts = np.bincount(keys // nodes, minlength=width)
    return Stretch(counts, keys % nodes, weight)


def _once(keys: Numbers) -> Numbers:
    # Sorted in place: numpy's unique would hold three copies.
    keys.sort()
    first = np.empty(len(keys), dtype=bool)
    first[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=first[1:])
    return keys[first]
