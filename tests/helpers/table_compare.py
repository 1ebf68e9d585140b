"""Comparison of a graph with the truth: every id, label, part of the split, edge, weight and feature."""

import zlib
from collections.abc import Iterator
from re import findall, search
from typing import Any

import numpy as np
from numpy.typing import NDArray

from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import with_edge_index
from tests.helpers.table_meaning import GAPS, Meaning
from tests.helpers.table_truth import Expected

Table = NDArray[np.float32]
MASKS = {"train": "train_mask", "val": "val_mask", "test": "test_mask"}
FINDINGS = {
    "without an id": "without an id",
    "repeated id": "id that came before",
    "unlabelled": "label",
    "split without label": "split without a label",
    "unknown end": "ids that no node has",
    "self-loop": "to itself",
    "no weight": "no number",
    "repeated edge": "edges that came before",
}
"""Words in the log of a reading."""


def differences(graph: Graph, meant: Expected, *, loose: bool, findings: bool = True) -> Iterator[str]:
    """Yield a sentence on everything in which a graph differs from the truth, its kind before a colon.

    Args:
        graph: The graph that was read.
        meant: The truth.
        loose: Whether columns of text may be read as words, whatever they contain.
        findings: Whether the log of the reading is compared.
    """
    ids = [str(node) for node in graph.ids or []]
    if ids != meant.ids:
        yield f"ids: {_first(ids, meant.ids)}"
        return
    names = graph.classes or []
    labels = [names[number] if number >= 0 else None for number in graph.y.tolist()]
    if labels != meant.labels:
        yield f"labels: {_first(labels, meant.labels)}"
    parts = [""] * len(ids)
    for part, mask in MASKS.items():
        for node in graph[mask].nonzero().flatten().tolist() if mask in graph else ():
            parts[node] = part
    if parts != meant.parts:
        yield f"split: {_first(parts, meant.parts)}"
    yield from _edges(graph, ids, meant)
    yield from features(graph.x.numpy(), graph.encoders or {}, meant.columns, loose=loose)
    if findings:
        yield from _findings(graph, meant)


def _first(found: list[Any], meant: list[Any]) -> str:
    """Return the first place where two lists differ."""
    if len(found) != len(meant):
        return f"{len(found)} instead of {len(meant)}: {sorted(map(repr, {*found} ^ {*meant}))[:4]}"
    place = next(i for i, (one, other) in enumerate(zip(found, meant, strict=True)) if one != other)
    return f"{found[place]!r} instead of {meant[place]!r} at node {place}"


def _edges(graph: Graph, ids: list[str], meant: Expected) -> Iterator[str]:
    graph = with_edge_index(graph)
    ends = graph.edge_index.T.tolist()
    weights = [None] * len(ends) if graph.edge_weight is None else graph.edge_weight.tolist()
    found = {(ids[a], ids[b]): weight for (a, b), weight in zip(ends, weights, strict=True)}
    both = {pair: weight for edge, weight in meant.edges.items() for pair in (tuple(edge), tuple(edge)[::-1])}
    if len(found) != len(ends) or set(found) != set(both):
        yield f"edges: {len(ends)} instead of {len(both)}, such as {sorted(set(found) ^ set(both))[:2]}"
        return
    for pair, weight in found.items():
        if not _close(weight, both[pair]):
            yield f"weights: {weight} instead of {both[pair]} at {pair}"
            return


def _close(one: float | None, other: float | None) -> bool:
    return one == other or (one is not None and other is not None and abs(one - other) <= 1e-6 * max(1.0, abs(other)))


def features(x: Table, encoders: dict[str, Any], meant: dict[str, Meaning], *, loose: bool) -> Iterator[str]:
    """Yield a sentence on every column whose features differ from its values."""
    if set(encoders) != set(meant):
        yield f"columns: {sorted(encoders)} instead of {sorted(meant)}"
        return
    start = 0
    for name, encoder in encoders.items():
        width = _width(encoder)
        if (fault := column(x[:, start : start + width], encoder, meant[name], loose=loose)) is not None:
            yield f"{meant[name].kind} column: {name!r} as {encoder.kind}: {fault}"
        start += width
    if start and start != x.shape[1]:
        yield f"columns: {x.shape[1]} features instead of {start}"


def _width(encoder: Any) -> int:
    match encoder.kind:
        case "number" | "date" | "flag":
            return 1 + int(encoder.missing)
        case "category":
            return len(encoder.values)
        case "words":
            return int(encoder.size)
        case "vector":
            return int(encoder.length)
    return 0


def column(x: Table, encoder: Any, meant: Meaning, *, loose: bool = False) -> str | None:
    """Return how the features of a column differ from its values, None where they do not."""
    present = [value for value in meant.values if value is not None]
    if encoder.kind == "nothing":
        return None if _may_be_ignored(meant.kind, present) else f"left out ({encoder.why})"
    if loose and meant.kind != "words" and encoder.kind in ("category", "words"):
        # Text in a typed table may stay text; its words are compared where the truth is text.
        return None
    match meant.kind, encoder.kind:
        case ("number", "number") | ("date", "date"):
            return _scaled(x, encoder, meant.values)
        case "flag", "flag":
            return _marked(x, encoder, [None if value is None else float(value) for value in meant.values])
        case "words", "category":
            return _one_hot(x, encoder.values, meant.values)
        case "words", "words":
            return _hashed(x, [[] if v is None else findall(r"\w+", v.lower()) for v in meant.values])
        case "list", "words":
            return _hashed(x, [[str(word).lower() for word in value or ()] for value in meant.values])
        case "vector", "vector":
            return _vectors(x * encoder.scale, meant.values)
    return "another kind"


def _may_be_ignored(kind: str, present: list[Any]) -> bool:
    """Return whether a column carries no information."""
    if kind == "vector":
        return len({len(value) for value in present}) != 1
    if kind == "words" and all(word.lower() in GAPS for word in present):
        return True
    distinct = len({str(value) for value in present})
    return distinct <= 1 or (kind == "words" and distinct == len(present))


def _scaled(x: Table, encoder: Any, values: list[float | None]) -> str | None:
    """Compare numbers with the features, by the mean and the scale that the encoder states."""
    back = x[:, :1].astype(np.float64) * encoder.scale + encoder.mean
    fault = _marked(np.concatenate([np.zeros_like(back), x[:, 1:]], axis=1), encoder, [v and 0.0 for v in values])
    if fault:
        return fault
    for row, value in enumerate(values):
        if value is not None and abs(back[row, 0] - value) > 1e-6 * (abs(value) + encoder.scale + abs(encoder.mean)):
            return f"{back[row, 0]} instead of {value} at node {row}"
    return None


def _marked(x: NDArray[Any], encoder: Any, values: list[float | None]) -> str | None:
    """Compare values, and the marks of gaps."""
    if encoder.missing < any(value is None for value in values):
        return "gaps are not marked"
    for row, value in enumerate(values):
        wanted = [0.0 if value is None else value, float(value is None)][: x.shape[1]]
        if x[row].tolist() != wanted:
            return f"{x[row].tolist()} instead of {wanted} at node {row}"
    return None


def _one_hot(x: Table, categories: list[str], values: list[str | None]) -> str | None:
    if set(categories) < {value for value in values if value is not None}:
        return f"categories {categories}"
    for row, value in enumerate(values):
        found = [name for name, one in zip(categories, x[row], strict=True) if one]
        if found != ([] if value is None else [value]):
            return f"{found} instead of {value!r} at node {row}"
    return None


def _hashed(x: Table, values: list[list[str]]) -> str | None:
    for row, bag in enumerate(values):
        if {*np.flatnonzero(x[row]).tolist()} != {zlib.crc32(word.encode()) % x.shape[1] for word in bag}:
            return f"other words than {bag} at node {row}"
    return None


def _vectors(x: Table, values: list[list[float] | None]) -> str | None:
    for row, value in enumerate(values):
        if not np.allclose(x[row], value or 0.0, rtol=1e-5, atol=1e-5):
            return f"{x[row].tolist()} instead of {value} at node {row}"
    return None


def _findings(graph: Graph, meant: Expected) -> Iterator[str]:
    """Yield what was left out without being counted."""
    log = [] if graph.read_log is None else graph.read_log.findings
    for name, count in meant.findings.items():
        counts = [finding.count for finding in log if search(FINDINGS[name], finding.what)]
        if count and count not in counts:
            yield f"findings: {count} {name} are not counted: {[str(finding) for finding in log]}"
