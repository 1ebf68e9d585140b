"""Scaling of time and memory with nodes, edges, features, classes and labels."""

import math
import time
from functools import partial
from statistics import median
from typing import Any

import torch

import highwaygraph as hg
from benchmarks import ours
from benchmarks.generate import generate
from benchmarks.workers import Worker
from highwaygraph.graph.graph import Graph
from highwaygraph.training.highways import choose_anchors, decide, propose

# The labels grow with the nodes, so that an epoch covers the graph; pairs are sampled, as their number is quadratic.
SIZES: dict[str, list[dict[str, int]]] = {
    "nodes": [{"nodes": n, "labels": n // 50} for n in (1_000, 10_000, 100_000, 1_000_000)],
    "nodes, memory kept": [{"nodes": n, "labels": n // 50} for n in (1_000, 10_000, 100_000, 1_000_000)],
    "nodes, labels fixed": [{"nodes": n, "labels": 20} for n in (1_000, 10_000, 100_000, 1_000_000)],
    "edges": [{"nodes": 30_000, "labels": 600, "degree": d} for d in (4, 8, 16, 32, 64)],
    "features": [{"nodes": 30_000, "labels": 600, "features": f} for f in (32, 128, 512)],
    "classes": [{"nodes": 30_000, "labels": 3_000 // c, "classes": c} for c in (2, 8, 32)],
    "labels": [{"nodes": 30_000, "labels": m} for m in (20, 60, 200, 600, 1_800)],
}
# glibc returns blocks above 32 MiB to the system when they are freed, unless it is configured to keep them.
ENVIRONMENT = {
    "nodes, memory kept": {"GLIBC_TUNABLES": "glibc.malloc.mmap_max=0:glibc.malloc.trim_threshold=1000000000000"}
}
# Memory below this is not distinguishable from the overhead of a process.
LEAST_MIB = 20
VARIABLE = {
    "nodes": "nodes",
    "nodes, memory kept": "nodes",
    "nodes, labels fixed": "nodes",
    "edges": "degree",
    "features": "features",
    "classes": "classes",
    "labels": "labels",
}


def epoch(data: Graph) -> float:
    """Return the median seconds of an epoch with sampled pairs."""
    return median(
        ours.epochs(data, "gcn", "without-explicit", 6, **{"pairs.strategy": "random", "pairs.limit": 50_000})
    )


def explicit(data: Graph) -> float:
    """Return the seconds of the explicit step: predictions and proposals for all nodes, ten anchors per class."""
    classes = int(data.y.max()) + 1
    logits = torch.randn(data.num_nodes, classes, generator=torch.Generator().manual_seed(0))
    anchors = choose_anchors(data.y, data.train_mask, 10, torch.Generator().manual_seed(0))
    start = time.perf_counter()
    predicted, confidence = decide(logits, data.y, data.train_mask)
    propose(logits, predicted, confidence, anchors, node_threshold=0.5, pair_threshold=0.9, joint=True)
    return time.perf_counter() - start


def full_run(data: Graph) -> float:
    """Return the seconds of two rounds of five epochs, to measure peak memory."""
    changes = {"highway.rounds": 2, "fit.epochs": 5, "pairs.strategy": "random", "pairs.limit": 50_000}
    start = time.perf_counter()
    hg.train(hg.models.build("gcn", data), data, hg.override(hg.PRESETS["full"], changes))
    return time.perf_counter() - start


def point(size: dict[str, int], environment: dict[str, str]) -> dict[str, float]:
    """Return time and memory of one graph, measured in a separate process."""
    worker = Worker(partial(generate, **size), environment)
    # Warm-up: the first epochs of a process are slower.
    worker(full_run)
    times = {
        "epoch_s": median(worker(epoch) for _ in range(3)),
        "explicit_s": median(worker(explicit) for _ in range(3)),
    }
    return {**size, **times, "peak_mib": worker.peak()}


def slope(points: list[dict[str, Any]], variable: str, value: str) -> float:
    """Return the least-squares slope of the logarithms, over the points with enough memory to be measured."""
    measured = [p for p in points if value != "peak_mib" or p[value] > LEAST_MIB]
    if len(measured) < 2:
        return math.nan
    x, y = ([math.log(p[key]) for p in measured] for key in (variable, value))
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True)) / sum((a - mean_x) ** 2 for a in x)


def measure(report: Any) -> list[dict[str, Any]]:
    """Return one row per growing quantity, with its points and slopes."""
    rows = []
    for name, sizes in SIZES.items():
        points = [point(size, ENVIRONMENT.get(name, {})) for size in sizes]
        slopes = {v: slope(points, VARIABLE[name], v) for v in ("epoch_s", "explicit_s", "peak_mib")}
        rows.append({"grows": name, "variable": VARIABLE[name], "points": points, "slopes": slopes})
        text = ", ".join(f"{v} {s:.2f}" for v, s in slopes.items())
        report(f"{name}: slopes {text}")
    return rows
