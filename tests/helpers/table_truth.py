"""Graphs with known truth, generated from a seed: cells that are easily misread, and the graph that they mean."""

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from tests.helpers import table_cells as pool
from tests.helpers.table_meaning import UNLABELLED, Meaning, meaning, words

PARTS = {"train": "train", "training": "train", "val": "val", "valid": "val", "dev": "val", "test": "test"}


@dataclass(frozen=True)
class Truth:
    """Two tables as cells of text, and the names of their columns; empty where there is no such column."""

    id: str
    ids: list[str]
    label: str
    labels: list[str]
    split: str
    splits: list[str]
    columns: dict[str, list[str]]
    """Cells by column of features; a gap is empty."""
    order: list[str]
    """Names of all columns of the nodes, as they stand in the header."""
    ends: tuple[str, str]
    edges: list[tuple[str, str]]
    weight: str
    weights: list[str]
    extra: dict[str, list[str]]
    """Columns of the edges that mean nothing."""
    options: dict[str, str] = field(default_factory=dict)
    """Options of `load` that name columns without a usual name."""


class Expected(NamedTuple):
    """The graph that the tables mean, and how often something is left out."""

    ids: list[str]
    labels: list[str | None]
    parts: list[str]
    columns: dict[str, Meaning]
    edges: dict[frozenset[str], float | None]
    findings: Counter[str]


def generate(seed: int, *, clean: bool = False, plain_text: bool = False) -> Truth:
    """Return the truth of a seed.

    Args:
        seed: Decides on everything.
        clean: Without rows and edges that are left out, for formats that cannot express them.
        plain_text: Without control characters, which XML cannot express.
    """
    rng = random.Random(f"truth {seed}")
    count = rng.choice((5, 8, 12, 20, 30))
    ids = pool.ids(rng, count, plain_text=plain_text)
    label, split = (
        rng.choice(("label", "class", "y", "target", "Label", "topic", "")),
        rng.choice(("split", "fold", "")),
    )
    names = {"id": rng.choice(("id", "node_id", "company_id", "ID", "paper", "key")), "label": label}
    names["split"] = split if label else ""
    taken = {name.lower() for name in names.values()}
    columns = {
        name: cells
        for name, cells in pool.columns(rng, count, plain_text=plain_text).items()
        if name.lower() not in taken
    }
    truth = Truth(
        names["id"], ids, label, pool.labels(rng, count, plain_text=plain_text) if label else [], names["split"],
        ["train", *(rng.choice((*PARTS, "train", "", "")) for _ in ids[1:])] if names["split"] else [],
        columns, [], *_edges(rng, ids, clean=clean), options=_options(rng, names),
    )  # fmt: skip
    truth = truth if clean else _with_flaws(truth, rng)
    order = [name for name in (*names.values(), *columns) if name]
    rng.shuffle(order)
    return replace(truth, order=order)


def _options(rng: random.Random, names: dict[str, str]) -> dict[str, str]:
    options = {"label": "topic"} if names["label"] == "topic" else {}
    return options | ({"id": names["id"]} if rng.random() < 0.2 else {})


def _edges(rng: random.Random, ids: list[str], *, clean: bool) -> tuple[Any, ...]:
    """Return the fields of a truth that describe its edges."""
    nodes = [word for word in words(ids) if word]
    pairs = {tuple(rng.sample(range(len(nodes)), 2)) for _ in range(2 * len(nodes))}
    unique = {frozenset(pair): pair for pair in sorted(pairs)}
    # Every node has an edge, so that the column of ids is the one whose values match.
    unique |= {frozenset((i, i + 1)): (i, i + 1) for i in range(0, len(nodes) - 1)}
    edges = [(nodes[a], nodes[b]) for a, b in unique.values()]
    weight = rng.choice(("", "", "weight", "w", "edge_weight"))
    if not clean:
        edges += [rng.choice(edges)[:: rng.choice((1, -1))] for _ in range(rng.choice((0, 0, 2)))]
    weights = [rng.choice(("1", "0.5", "2.25", "1e-2", "3")) for _ in edges] if weight else []
    if not clean:
        more = [(nodes[0], "no such node"), (nodes[1], nodes[1]), (nodes[0], "")][: rng.choice((0, 0, 1, 2, 3))]
        edges += more
        weights += ["1"] * len(more) if weight else []
        if weight and rng.random() < 0.3:
            # The first pair joins nodes once, or more often with the same effect.
            weights[0] = rng.choice(("heavy", "", "NA"))
    ends = rng.choice((("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"), ("head", "tail"), ("a", "b")))
    extra = {
        name: [rng.choice(("x", "7", "")) for _ in edges] for name in rng.choice(((), (), ("since",), ("note", "n")))
    }
    return ends, edges, weight, weights, extra


def _with_flaws(truth: Truth, rng: random.Random) -> Truth:
    """Return the truth with rows that have no id, or the id of a row before them."""
    rows: list[str] = []
    if rng.random() < 0.3:
        rows.append(rng.choice(("", "  ")))
    if rng.random() < 0.3:
        rows.append(truth.ids[0])
    if not rows:
        return truth
    return replace(
        truth,
        ids=[*truth.ids, *rows],
        labels=[*truth.labels, *([""] * len(rows) if truth.label else [])],
        splits=[*truth.splits, *([""] * len(rows) if truth.split else [])],
        # The cells repeat earlier ones, so that rows that are left out change no column's kind.
        columns={name: [*cells, *cells[: len(rows)]] for name, cells in truth.columns.items()},
    )


def expected(truth: Truth) -> Expected:
    """Return the graph that the tables mean."""
    found: Counter[str] = Counter()
    ids = words(truth.ids)
    first = {word: row for row, word in reversed(list(enumerate(ids))) if word}
    kept = [row for row, word in enumerate(ids) if word and first[word] == row]
    found["without an id"] = ids.count(None)
    found["repeated id"] = len(ids) - ids.count(None) - len(kept)
    labels = words(truth.labels) if truth.label else [None] * len(ids)
    found["unlabelled"] = sum(labels[row] in UNLABELLED for row in kept)
    known = [None if labels[row] in UNLABELLED else labels[row] for row in kept]
    parts = [PARTS.get(truth.splits[row], "") for row in kept] if truth.split else [""] * len(kept)
    found["split without label"] = sum(bool(part) and label is None for part, label in zip(parts, known, strict=True))
    parts = [part if label is not None else "" for part, label in zip(parts, known, strict=True)]
    columns = {name: meaning(cells) for name, cells in truth.columns.items()}
    columns = {name: Meaning(kind, [values[row] for row in kept]) for name, (kind, values) in columns.items()}
    names = [word for row in kept if (word := ids[row])]
    return Expected(names, known, parts, columns, joined(truth, set(names), found), found)


def joined(truth: Truth, names: set[str], found: Counter[str]) -> dict[frozenset[str], float | None]:
    """Return every edge once with the mean of its weights, and count the others."""
    weights: dict[frozenset[str], list[float | None]] = defaultdict(list)
    for number, (one, other) in enumerate(truth.edges):
        weight = meaning([truth.weights[number]]) if truth.weight else None
        if one not in names or other not in names:
            found["unknown end"] += 1
        elif one == other:
            found["self-loop"] += 1
        elif weight and (weight.kind != "number" or weight.values == [None]):
            found["no weight"] += 1
        else:
            weights[frozenset((one, other))].append(weight.values[0] if weight else None)
    found["repeated edge"] = sum(len(several) - 1 for several in weights.values())
    return {pair: _mean(several) for pair, several in weights.items()}


def _mean(several: list[float | None]) -> float | None:
    present = [weight for weight in several if weight is not None]
    return sum(present) / len(present) if present else None
