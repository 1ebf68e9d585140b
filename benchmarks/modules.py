"""A user's own module: epochs of its plain PyG loop, of typical training and of `plus` with the same module."""

from functools import partial
from itertools import pairwise
from statistics import median
from time import perf_counter
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import GATConv, GCNConv, SAGEConv

import highwaygraph as hg
from benchmarks.speed import load
from benchmarks.workers import Worker
from highwaygraph.graph.graph import Graph

CONVS = {"GCNConv": GCNConv, "SAGEConv": SAGEConv, "GATConv": GATConv}
DATASETS = ("cora", "citeseer")
HIDDEN, EPOCHS, REPEATS = 16, 30, 5


class Tutorial(nn.Module):
    """Two layers of one kind, as in PyG's introduction."""

    def __init__(self, conv: str, in_channels: int, classes: int) -> None:
        super().__init__()
        self.first, self.second = CONVS[conv](in_channels, HIDDEN), CONVS[conv](HIDDEN, classes)

    def forward(self, x: Tensor, edge_index: Tensor) -> Tensor:
        """Return the logits."""
        x = F.relu(self.first(x, edge_index))
        logits: Tensor = self.second(F.dropout(x, training=self.training), edge_index)
        return logits


def build(data: Graph, conv: str) -> Tutorial:
    """Return the module for a graph."""
    return Tutorial(conv, data.x.size(1), int(data.y.max()) + 1)


def plain_epoch(data: Graph, conv: str) -> float:
    """Return the median seconds of an epoch of a plain loop, with validation."""
    model = build(data, conv)
    adam = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
    marks = []
    for _ in range(EPOCHS):
        model.train()
        adam.zero_grad()
        F.cross_entropy(model(data.x, data.edge_index)[data.train_mask], data.y[data.train_mask]).backward()
        adam.step()
        model.eval()
        with torch.no_grad():
            predicted = model(data.x, data.edge_index).argmax(dim=1)
        (predicted == data.y)[data.val_mask].float().mean().item()
        marks.append(perf_counter())
    return _median(marks)


def our_epoch(data: Graph, conv: str, preset: str) -> float:
    """Return the median seconds of an epoch of the same module with this library."""
    fixed = {"highway.rounds": 1, "fit.epochs": EPOCHS, "fit.patience": EPOCHS, "fit.device": "cpu"}
    alone = {"fit.num_threads": 1, "select.typical": False, "select.baselines": False}
    marks: list[float] = []
    config = hg.override(hg.PRESETS[preset], fixed | alone)
    hg.train(build(data, conv), data, config, on_epoch=lambda _: marks.append(perf_counter()))
    return _median(marks)


def _median(marks: list[float]) -> float:
    return median(after - before for before, after in pairwise(marks))


def compare(dataset: str, conv: str) -> dict[str, Any]:
    """Return the row of one dataset and layer: medians over alternating repetitions, ratios within each."""
    them, us = Worker(partial(load, dataset)), Worker(partial(load, dataset))
    times = [
        (them(plain_epoch, conv), us(our_epoch, conv, "typical"), us(our_epoch, conv, "plus")) for _ in range(REPEATS)
    ]
    for worker in (them, us):
        worker.peak()
    return {
        "dataset": dataset,
        "conv": conv,
        "plain_ms": 1e3 * median(plain for plain, _, _ in times),
        "typical_ms": 1e3 * median(typical for _, typical, _ in times),
        "plus_ms": 1e3 * median(plus for _, _, plus in times),
        "typical_ratio": median(plain / typical for plain, typical, _ in times),
        "plus_ratio": median(plus / plain for plain, _, plus in times),
    }


def measure(report: Any) -> list[dict[str, Any]]:
    """Return the rows, reporting each one."""
    rows = []
    for dataset in DATASETS:
        for conv in CONVS:
            rows.append(row := compare(dataset, conv))
            report(
                f"{dataset:9} {conv:9} plain {row['plain_ms']:.1f} ms; typical {row['typical_ratio']:.1f} times as "
                f"fast; plus {row['plus_ratio']:.2f} times its time"
            )
    return rows
