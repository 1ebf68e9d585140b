"""Time of `hg.suggest` on generated graphs, by strategy, at a cold start and beside labels."""

import time
from typing import Any

import highwaygraph as hg
from benchmarks.generate import generate
from benchmarks.labelling import STRATEGIES
from highwaygraph.graph.graph import Graph

SIZES, FEATURES, COUNT = (100_000, 1_000_000), 128, 20
# Labels per class beside which nodes are suggested; labels="none" hides all of them.
LABELS = 20
STARTS = {"cold": "none", "labels": "train"}


def seconds(data: Graph, strategy: str, labels: Any) -> float:
    """Return the CPU seconds of one query."""
    start = time.process_time()
    hg.suggest(data, COUNT, strategy=strategy, labels=labels, seed=0)
    return time.process_time() - start


def measure(report: Any) -> list[dict[str, Any]]:
    """Return one row per size and strategy; entropy needs a run, so that it is left out."""
    found = []
    for nodes in SIZES:
        data = generate(nodes, features=FEATURES, labels=LABELS)
        for strategy in STRATEGIES:
            if strategy != "entropy":
                times = {f"{name}_s": seconds(data, strategy, labels) for name, labels in STARTS.items()}
                found.append({"nodes": nodes, "edges": data.num_edges // 2, "strategy": strategy, **times})
                report(f"{nodes:,} nodes, {strategy}: {times['cold_s']:.1f} s, with labels {times['labels_s']:.1f} s")
    return found
