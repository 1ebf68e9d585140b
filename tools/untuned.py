"""`plus` on graphs that nothing was tuned on: nearest-neighbour graphs and generated ones.

`python -m tools.untuned run` trains and writes results/untuned.jsonl (minutes); `python -m tools.untuned` writes
docs/untuned.md from it.
"""

import json
import sys
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from statistics import fmean, stdev
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.neighbors import kneighbors_graph
from sklearn.preprocessing import StandardScaler
from torch_geometric.utils import to_undirected

import highwaygraph as hg
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import homophily
from highwaygraph.presets import typical_of
from highwaygraph.runtime.parallel import map_unordered
from tools.pages import ROOT, fill_template, table

RECORDS, PAGE = ROOT / "results/untuned.jsonl", ROOT / "docs/untuned.md"
PRESETS = ("typical", "consistent", "plus")
MODELS = ("gcn", "sage")
SPLITS = range(5)
Floats = NDArray[np.floating[Any]]


def nearest_neighbour_graph(x: Floats, y: NDArray[np.integer[Any]], count: int = 10) -> Graph:
    """Return the k-nearest-neighbour graph of the rows."""
    near = kneighbors_graph(x, count).tocoo()
    edges = torch.from_numpy(np.stack([near.row, near.col])).long()
    return _graph(x, y, edges)


def digits() -> Graph:
    """Return 1,797 images of digits, 64 pixels each."""
    bunch = load_digits()
    return nearest_neighbour_graph(bunch.data, bunch.target)


def tissue() -> Graph:
    """Return 569 tissue samples with 30 measurements, benign or not."""
    bunch = load_breast_cancer()
    return nearest_neighbour_graph(StandardScaler().fit_transform(bunch.data), bunch.target)


def blocks(same: float, sizes: tuple[int, ...], *, ring: bool = False) -> Graph:
    """Return a stochastic block model with classes of these sizes and bag-of-words features.

    Args:
        same: Share of the edges that stay within their class.
        sizes: Number of nodes per class.
        ring: The other edges lead to the next class instead of to any node.

    Returns:
        The graph.
    """
    rng = np.random.default_rng(7)
    y = np.repeat(np.arange(len(sizes)), sizes)
    sender = rng.choice(len(y), 3 * len(y), p=_degree_probs(rng, len(y)))
    within = rng.random(len(sender)) < same
    other = (y[sender] + 1) % len(sizes) if ring else y[rng.integers(len(y), size=len(sender))]
    wanted, first = np.where(within, y[sender], other), np.concatenate([[0], np.cumsum(sizes)])
    receiver = first[wanted] + (rng.random(len(sender)) * np.array(sizes)[wanted]).astype(int)
    prefers = np.where(rng.random((len(sizes), 300)) < 0.1, 0.06, 0.02)
    words = (rng.random((len(y), 300)) < prefers[y]).astype(np.float32)
    return _graph(words, y, torch.from_numpy(np.stack([sender, receiver])).long())


EVEN, UNEVEN = (400,) * 5, (1200, 400, 200, 120, 80)
GRAPHS: dict[str, Callable[[], Graph]] = {
    "nearest images of digits": digits,
    "nearest tissue samples": tissue,
    "generated, 80 % within classes": partial(blocks, 0.75, EVEN),
    "generated, unequal classes": partial(blocks, 0.7, UNEVEN),
    "generated, 50 % within classes": partial(blocks, 0.375, EVEN),
    "generated, edges say nothing": partial(blocks, 0.0, EVEN),
    "generated, edges lead to the next class": partial(blocks, 0.05, EVEN, ring=True),
}


@cache
def graph(name: str) -> Graph:
    """Return the graph of that name."""
    return GRAPHS[name]()


def cell(key: tuple[str, str, int, str]) -> dict[str, Any]:
    """Train once with the default options and return the record."""
    name, model, number, preset = key
    data = hg.split(graph(name), train=20, val=30, seed=number)
    config = typical_of(hg.PRESETS["plus"]) if preset == "typical" else hg.PRESETS[preset]
    result = hg.train(hg.models.build(model, data), data, config, seed=number)
    return {
        "graph": name, "model": model, "split": number, "preset": preset,
        "val": result.best.val, "test": result.test, "highways": result.highways.size(1),
        "best_round": result.best_round, "homophily": homophily(data), "nodes": data.num_nodes,
    }  # fmt: skip


def run() -> None:
    """Train all cells and write the records."""
    cells = list(product(GRAPHS, MODELS, SPLITS, PRESETS))
    records = dict(map_unordered(cell, cells))
    RECORDS.write_text("".join(json.dumps(records[key]) + "\n" for key in cells))


def page() -> str:
    """Return the text of the page."""
    records = [json.loads(line) for line in RECORDS.read_text().splitlines()]
    return fill_template("untuned", {model: _lines([r for r in records if r["model"] == model]) for model in MODELS})


def _lines(records: list[dict[str, Any]]) -> str:
    lines = []
    for name in GRAPHS:
        own = [r for r in records if r["graph"] == name]
        tests = {p: [100 * r["test"] for r in own if r["preset"] == p] for p in PRESETS}
        gap = [b - a for a, b in zip(tests["typical"], tests["plus"], strict=True)]
        selected = sum(r["highways"] > 0 for r in own if r["preset"] == "plus")
        lines.append([
            f"{name} ({own[0]['nodes']:,} nodes, homophily {own[0]['homophily']:.2f})",
            *(f"{fmean(values):.1f} ± {stdev(values):.1f}" for values in tests.values()),
            f"{fmean(gap):+.2f} ({stdev(gap) / len(gap) ** 0.5:.2f})",
            f"{selected} of {len(gap)}",
        ])  # fmt: skip
    return table(["graph", *PRESETS, "`plus` - typical (s.e.)", "runs that selected highways"], lines)


def _graph(x: Floats, y: NDArray[np.integer[Any]], edges: torch.Tensor) -> Graph:
    edges = edges[:, edges[0] != edges[1]]
    values = torch.from_numpy(np.asarray(x, dtype=np.float32))
    return Graph(
        x=values, y=torch.from_numpy(y).long(), edge_index=to_undirected(edges, num_nodes=len(y)), num_nodes=len(y)
    )


def _degree_probs(rng: np.random.Generator, count: int) -> Floats:
    """Return sampling probabilities with a power-law tail, as the degrees of real graphs have."""
    weight = rng.pareto(2.5, count) + 1
    return weight / weight.sum()


if __name__ == "__main__":
    if "run" in sys.argv:
        run()
    PAGE.write_text(page())
