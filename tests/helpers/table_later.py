"""A second, smaller table that is read by the schema of a first one: other cells are counted, none changes its type."""

import random
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from re import findall
from typing import Any

import numpy as np
import pandas as pd

import highwaygraph as hg
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.graph.queries import with_edge_index
from tests.helpers.table_compare import differences
from tests.helpers.table_dialects import TEXT, Dialect, Source
from tests.helpers.table_meaning import FLAGS, GAPS, days, number, parse_list, words
from tests.helpers.table_truth import Truth, expected, joined

FOREIGN = {"number": "many", "flag": "maybe", "date": "soon", "category": "never seen"}
"""A cell that the encoder of a kind cannot take."""


def read_later(truth: Truth, write: Dialect, later: Dialect, folder: Path, rng: random.Random) -> Iterator[str]:
    """Yield the differences of a table of some of the nodes, with cells that the first table did not have."""
    graph, schema, faults = yield from _first(truth, write, folder, rng)
    if faults:
        return
    second = _some(truth, rng)
    second, foreign = _with_foreign(second, graph.encoders, rng)
    source = later(second, _new(folder, "later"), rng)
    read = hg.load(source.source, source.edges, schema=schema, **truth.options)
    meant = expected(second)
    classes = graph.classes or []
    # A class that is written 1.0 beside another one 1 keeps its name in a table that has the first one only.
    written = {cell.strip() for cell in _written_labels(source, second)}
    renamed = {label for label in set(meant.labels) - written if f"{label}.0" in written & set(classes)}
    own = [f"{label}.0" if label in renamed else label for label in meant.labels]
    known = [label if label in classes else None for label in own]
    parts = [part if label is not None else "" for part, label in zip(meant.parts, known, strict=True)]
    meant = meant._replace(labels=known, parts=parts, columns={}, findings=Counter())
    plain = read.clone()
    plain.encoders = {}
    yield from differences(plain, meant, loose=True)
    yield from _encoded(read.x.numpy(), graph.encoders, second)
    yield from _counted(read, foreign)


def read_attached(truth: Truth, write: Dialect, later: Dialect, folder: Path, rng: random.Random) -> Iterator[str]:
    """Yield the differences of new nodes that are attached to the graph of a first table."""
    graph, schema, faults = yield from _first(truth, write, folder, rng)
    if faults:
        return
    second, foreign = _with_foreign(_new_nodes(truth, rng), graph.encoders, rng)
    source = later(second, _new(folder, "later"), rng)
    schema = schema._replace(beside=with_edge_index(graph))
    read = hg.load(source.source, source.edges, schema=schema, id=truth.id)
    old = expected(truth)
    ids = [*old.ids, *(word for word in words(second.ids) if word)]
    more = len(ids) - len(old.ids)
    edges = joined(second, set(ids), Counter())
    if not truth.weight:
        edges = dict.fromkeys(edges)
    meant = old._replace(
        ids=ids,
        labels=[*old.labels, *[None] * more],
        parts=[*old.parts, *[""] * more],
        edges=old.edges | edges,
        columns={},
        findings=Counter(),
    )
    plain = read.clone()
    plain.encoders = {}
    yield from differences(plain, meant, loose=True)
    if not np.array_equal(read.x[: len(old.ids)].numpy(), graph.x.numpy()):
        yield "attach: features of the graph itself have changed"
    yield from _encoded(read.x[len(old.ids) :].numpy(), graph.encoders, second)
    yield from _counted(read, foreign)


def _first(truth: Truth, write: Dialect, folder: Path, rng: random.Random) -> Any:
    """Load the first table; yield its own differences."""
    source = write(truth, _new(folder, "first"), rng)
    graph = hg.load(source.source, source.edges, **truth.options)
    faults = list(differences(graph, expected(truth), loose=source.loose))
    yield from faults
    schema = Schema(graph.encoders, graph.classes or [], roles=ColumnRoles(**graph.column_roles))
    return graph, schema, faults


def _written_labels(source: Source, truth: Truth) -> list[str]:
    """Return the labels as they were written: a table in memory may hold 1 for 1.0."""
    if truth.label and isinstance(source.source, pd.DataFrame):
        return [str(cell) for cell in source.source[truth.label]]
    return truth.labels


def _new(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    return folder / name


def _some(truth: Truth, rng: random.Random) -> Truth:
    """Return some nodes, joined to each other in a row."""
    ids = words(truth.ids)
    first = {word: row for row, word in reversed(list(enumerate(ids))) if word}
    rows = sorted(rng.sample(sorted(first.values()), rng.choice((2, 3, 4))))
    names = [ids[row] or "" for row in rows]
    return replace(
        truth,
        # Written as they are meant: of a few cells, more may be whole numbers.
        ids=names,
        labels=[truth.labels[row] for row in rows] if truth.label else [],
        splits=[truth.splits[row] for row in rows] if truth.split else [],
        columns={name: [cells[row] for row in rows] for name, cells in truth.columns.items()},
        edges=list(pairwise(names)),
        weights=["0.5"] * (len(names) - 1) if truth.weight else [],
        extra={},
    )


def _new_nodes(truth: Truth, rng: random.Random) -> Truth:
    """Return nodes with new ids and the cells of some others, joined to nodes of the graph."""
    second = _some(truth, rng)
    ids = [f"new {i}" for i in range(len(second.ids))]
    edges = [(new, old) for new, old in zip(ids, second.ids, strict=True)]
    return replace(
        second,
        ids=ids,
        label="",
        labels=[],
        split="",
        splits=[],
        order=[name for name in second.order if name == truth.id or name in truth.columns],
        edges=edges,
        weights=["2.5"] * len(edges) if truth.weight else [],
    )


def _with_foreign(truth: Truth, encoders: dict[str, Any], rng: random.Random) -> tuple[Truth, dict[str, int]]:
    """Return the table with cells that the encoders cannot take, and their number by column."""
    columns, counts = {}, {}
    for name, cells in truth.columns.items():
        foreign = FOREIGN.get(encoders[name].kind) if rng.random() < 0.3 else None
        columns[name] = cells if foreign is None else [foreign, *cells[1:]]
        counts[name] = sum(_is_foreign(encoders[name], cell.strip()) for cell in columns[name])
    return replace(truth, columns=columns), counts


def _is_foreign(encoder: Any, cell: str) -> bool:
    if not cell or (encoder.kind != "category" and cell.lower() in GAPS):
        return False
    match encoder.kind:
        case "number":
            return number(cell) is None
        case "flag":
            return cell not in FLAGS
        case "date":
            return days(cell) is None
        case "category":
            return cell not in encoder.values
    return False


def encode(encoder: Any, cell: str) -> list[float]:
    """Return the features of one cell by the parameters that an encoder states."""
    match encoder.kind:
        case "number" | "date":
            value = (number if encoder.kind == "number" else days)(cell)
            return _marked(None if value is None else (value - encoder.mean) / encoder.scale, marked=encoder.missing)
        case "flag":
            return _marked(FLAGS.get(cell), marked=encoder.missing)
        case "category":
            return [float(cell == value) for value in encoder.values]
        case "words":
            bag = (
                [str(w).lower() for w in parse_list(cell)] if encoder.listed and cell else findall(r"\w+", cell.lower())
            )
            hashes = {zlib.crc32(word.encode()) % encoder.size for word in bag}
            return [float(place in hashes) for place in range(encoder.size)]
        case "vector":
            return [float(e) / encoder.scale for e in parse_list(cell)] if cell else [0.0] * encoder.length
    return []


def _marked(value: float | None, *, marked: bool) -> list[float]:
    return [0.0 if value is None else float(value), float(value is None)][: 1 + marked]


def _encoded(x: Any, encoders: dict[str, Any], truth: Truth) -> Iterator[str]:
    """Yield every column whose features differ from those of its cells."""
    start = 0
    for name, encoder in encoders.items():
        wanted = np.array([encode(encoder, cell.strip()) for cell in truth.columns[name]])
        found, start = x[:, start : start + wanted.shape[1]], start + wanted.shape[1]
        if found.shape != wanted.shape or not np.allclose(found, wanted, rtol=1e-5, atol=1e-5):
            cells = truth.columns[name]
            yield f"trained {encoder.kind} column: {name!r} of {cells}: {_short(found)} instead of {_short(wanted)}"


def _short(table: Any) -> str:
    return str(table.tolist())[:120]


def _counted(graph: Any, foreign: dict[str, int]) -> Iterator[str]:
    """Yield the columns whose cells were dropped without being counted."""
    log = graph.read_log.findings
    for name, count in foreign.items():
        if count and not any(finding.count == count and name in str(finding) for finding in log):
            yield f"findings: {count} cells of {name!r} are not counted: {[str(finding) for finding in log]}"


LATER: dict[str, Callable[..., Iterator[str]]] = {"schema": read_later, "attach": read_attached}
"""Readers of a second, smaller table with the schema of the first."""


def later_dialect(dialect: str, write: Dialect, rng: random.Random) -> Dialect:
    """Return a dialect whose cells are text, as a category that is a number may be typed otherwise."""
    return write if dialect in (*TEXT, "parquet-strings", "pandas-objects") else TEXT[rng.choice(sorted(TEXT))]
