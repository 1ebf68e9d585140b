"""Accuracy by number of labels for every strategy of `hg.suggest`: results/labelling.jsonl, one line per finished cell.

Split and protocol: a fifth of the labelled nodes is for testing and never suggested; 5 nodes per class select the epoch
and are never suggested either; labelling starts with one random node per class, or with none, and continues in batches
to 5 (or 20) labels per class on average. The true class of a suggested node is its label, unless the annotator errs.
"""

import copy
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import lru_cache
from itertools import product
from pathlib import Path
from time import perf_counter
from typing import Any

import torch
from torch import Tensor

import highwaygraph as hg
from highwaygraph.graph.graph import Graph
from highwaygraph.presets import typical_of
from highwaygraph.runtime.environment import versions
from highwaygraph.runtime.rng import generator
from highwaygraph.study.datasets import load_dataset

TARGET = Path(__file__).resolve().parent.parent / "results" / "labelling.jsonl"
DATASETS = ("cora", "citeseer", "pubmed", "zoo/acm", "zoo/amazon_photo", "zoo/wiki", "zoo/citeseer_full")
STRATEGIES = ("auto", "random", "pagerank", "degree", "entropy", "density", "medoids", "age", "coverage")
# Strategies that are followed further: the default, the references of the literature, and the best published one.
FOLLOWED = ("auto", "random", "pagerank", "medoids")
SPLITS, SEEDS, VAL = range(5), range(5), 5
# Seeds of the wider network.
WIDE_SEEDS = range(3)
# Widths of the network: that of the paper's studies, and the default of `highway train`.
HIDDEN, WIDE = 16, 64
# Probabilities of a wrong label, and graphs that are labelled for `plus` too.
NOISE, WITH_PLUS = (0.1, 0.2, 0.3), ("cora", "citeseer")
# Labels per class, on average, at which the model is trained.
TO_5, TO_20 = (1, 3, 5), (1, 3, 5, 10, 20)


@dataclass(frozen=True)
class Cell:
    """One curve: labels are added by one strategy from one start."""

    dataset: str
    strategy: str
    start: str
    """"class": one random label per class; "none": a cold start."""
    budgets: tuple[int, ...]
    split: int
    seed: int = 0
    """Draws first labels, the strategy's numbers and weights; test and validation nodes are those of the split."""
    preset: str = "typical"
    noise: float = 0.0
    """Probability that the annotator gives a wrong class."""
    hidden: int = HIDDEN
    """Number of hidden units of the network."""

    @property
    def key(self) -> str:
        """A text that identifies the cell."""
        return json.dumps(asdict(self), sort_keys=True)


def cells() -> Iterator[Cell]:
    """Yield all cells, the most informative first."""
    others = [name for name in STRATEGIES if name not in FOLLOWED]
    for strategies, split, dataset in product((FOLLOWED, others), SPLITS, DATASETS):
        yield from (Cell(dataset, strategy, "class", TO_5, split) for strategy in strategies)
    for split, dataset, strategy in product(SPLITS, DATASETS, FOLLOWED):
        yield Cell(dataset, strategy, "none", TO_5, split)
    for split, noise, strategy in product(SPLITS, NOISE, FOLLOWED):
        yield Cell("cora", strategy, "class", TO_5, split, noise=noise)
    for split, dataset, strategy in product(SPLITS, WITH_PLUS, FOLLOWED):
        yield Cell(dataset, strategy, "class", TO_5, split, preset="plus")
    for dataset, split, strategy in product(DATASETS, SPLITS, FOLLOWED):
        yield Cell(dataset, strategy, "class", TO_20, split)
    for seed, split, dataset, strategy in product(SEEDS[1:], SPLITS, DATASETS, FOLLOWED):
        yield Cell(dataset, strategy, "class", TO_5, split, seed=seed)
    for seed, split, dataset, strategy in product(WIDE_SEEDS, SPLITS, DATASETS, FOLLOWED):
        yield Cell(dataset, strategy, "class", TO_5, split, seed=seed, hidden=WIDE)


def measure(report: Callable[[str], object], target: Path = TARGET) -> dict[str, int]:
    """Run the cells that the results file lacks, and append each as it finishes.

    Args:
        report: Takes a line per cell.
        target: The results file.

    Returns:
        The number of finished cells.
    """
    done = {record["key"] for record in read(target)}
    for cell in cells():
        if cell.key not in done:
            record = run(cell)
            with target.open("a") as file:
                file.write(json.dumps({**record, "versions": versions()}, separators=(",", ":")) + "\n")
                file.flush()
                os.fsync(file.fileno())
            report(f"{cell.dataset} {cell.strategy} {cell.start} {cell.split}: {record['accuracy']}")
    return {"cells": len(read(target))}


def read(target: Path = TARGET) -> list[dict[str, Any]]:
    """Return the records of finished cells, each with the key of its cell; an incomplete last line is left out."""
    text = target.read_text() if target.exists() else ""
    records = [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
    return [one | {"key": Cell(**{**one["cell"], "budgets": tuple(one["cell"]["budgets"])}).key} for one in records]


def run(cell: Cell) -> dict[str, Any]:
    """Return the test accuracy, the number of classes seen and the seconds per query along one curve."""
    graph, test, first = divide(cell)
    classes, skip = int(graph.y.max()) + 1, test | (graph.y < 0)
    if cell.start == "class":
        graph.train_mask[first] = True
    found: dict[str, list[float]] = {"labels": [], "accuracy": [], "classes": [], "seconds": []}
    result = None
    for budget in cell.budgets:
        missing = budget * classes - int(graph.train_mask.sum())
        if missing > 0:
            started = perf_counter()
            suggested = suggest(graph, missing, result, cell, skip)
            found["seconds"].append(round(perf_counter() - started, 3))
            graph = annotated(graph, torch.tensor(suggested), cell)
        result = _train_once(graph, test, cell) if budget == 1 and cell.start == "class" else train(graph, test, cell)
        found["labels"].append(int(graph.train_mask.sum()))
        found["accuracy"].append(round(0.0 if result is None else result.test, 5))
        found["classes"].append(len(graph.y[graph.train_mask].unique()))
    return {"cell": asdict(cell), **found}


def suggest(graph: Graph, count: int, result: hg.Result | None, cell: Cell, skip: Tensor) -> list[int]:
    """Return the nodes that the strategy suggests; without predictions, entropy has no choice but a random one."""
    strategy = "random" if cell.strategy == "entropy" and result is None else cell.strategy
    # The seed differs by batch, as it would for a person who labels on another day.
    seed = 1_000_000 * cell.seed + 1000 * cell.split + int(graph.train_mask.sum())
    left_out = skip.nonzero().flatten().tolist()
    return hg.suggest(graph, count, result, strategy, labels="train", seed=seed, skip=left_out).nodes


def annotated(graph: Graph, nodes: Tensor, cell: Cell) -> Graph:
    """Return the graph with these nodes as training nodes; an annotator that errs gives any other class."""
    changed, classes = copy.copy(graph), int(graph.y.max()) + 1
    changed.train_mask, changed.y = graph.train_mask.clone(), graph.y.clone()
    changed.train_mask[nodes] = True
    random = generator(cell.split, f"annotator {int(graph.train_mask.sum())}")
    wrong = torch.rand(len(nodes), generator=random) < cell.noise
    other = torch.randint(1, max(classes, 2), (len(nodes),), generator=random)
    changed.y[nodes] = torch.where(wrong, (graph.y[nodes] + other) % classes, graph.y[nodes])
    return changed


def train(graph: Graph, test: Tensor, cell: Cell) -> hg.Result | None:
    """Return the model trained on the present labels; None where they are of one class."""
    if len(graph.y[graph.train_mask].unique()) < 2:
        return None
    graph = copy.copy(graph)
    graph.test_mask = test & ~graph.train_mask
    plus = hg.PRESETS["plus"]
    config = typical_of(plus) if cell.preset == "typical" else plus
    model = hg.models.build("gcn", graph, hidden=cell.hidden, dropout=0.5)
    return hg.train(model, graph, config, seed=cell.seed, progress=False)


# All strategies start from the same labels: the models trained on them.
_first: dict[tuple[str, int, int, str, int], hg.Result | None] = {}


def _train_once(graph: Graph, test: Tensor, cell: Cell) -> hg.Result | None:
    """Return the model of the first labels, which is the same for all strategies."""
    key = (cell.dataset, cell.split, cell.seed, cell.preset, cell.hidden)
    if key not in _first:
        # Those of other splits are no longer needed.
        _first.clear()
        _first[key] = train(graph, test, cell)
    return _first[key]


def divide(cell: Cell) -> tuple[Graph, Tensor, Tensor]:
    """Return the graph with validation nodes and no training nodes, the test nodes, and one node per class."""
    graph = copy.copy(_load(cell.dataset))
    random = generator(cell.split, "labelling split")
    known = (graph.y >= 0).nonzero().flatten()
    order = known[torch.randperm(len(known), generator=random)]
    test, val = torch.zeros(graph.num_nodes, dtype=torch.bool), torch.zeros(graph.num_nodes, dtype=torch.bool)
    test[order[: len(known) // 5]] = True
    rest, first = order[len(known) // 5 :], []
    for label in range(int(graph.y.max()) + 1):
        own = rest[graph.y[rest] == label]
        # A class of a few nodes keeps some that can be suggested.
        held = min(VAL, len(own) // 3)
        val[own[1 : 1 + held]] = True
        others = torch.cat([own[:1], own[1 + held :]])
        first.append(others[cell.seed % len(others)][None])
    graph.train_mask, graph.val_mask = torch.zeros_like(val), val
    graph.ids = None
    return graph, test, torch.cat(first)


@lru_cache(maxsize=1)
def _load(dataset: str) -> Graph:
    graph = load_dataset(dataset)
    for name in ("train_mask", "val_mask", "test_mask"):
        if name in graph:
            del graph[name]
    return graph
