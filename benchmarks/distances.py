"""Hop distances on growing graphs: CPU seconds of the adjacency and of the search, sizes in turn."""

import time
from typing import Any

from benchmarks.generate import generate
from benchmarks.growth import slope
from highwaygraph.graph import bfs
from highwaygraph.graph.csr import undirected_csr
from highwaygraph.graph.graph import Graph

SIZES, REPEATS, CLASSES = (10_000, 100_000, 1_000_000), 5, 10
VALUES = ("adjacency_s", "own_class_s", "nearest_s")


def times(data: Graph) -> dict[str, float]:
    """Return the CPU seconds of the adjacency, of the hops to the own class and of those to any label."""
    marks = [time.process_time()]
    adjacency = undirected_csr(data.edge_index, data.num_nodes)
    marks.append(time.process_time())
    bfs.hops_to_own_class([adjacency], data.y, data.train_mask)
    marks.append(time.process_time())
    bfs.hops_from([adjacency], data.train_mask.nonzero().flatten())
    marks.append(time.process_time())
    return {name: after - before for name, before, after in zip(VALUES, marks, marks[1:], strict=False)}


def measure(report: Any) -> dict[str, Any]:
    """Return the least times of every size over repetitions in turn, and the slopes of their logarithms."""
    graphs = [generate(nodes, features=1, classes=CLASSES, labels=20) for nodes in SIZES]
    rounds = [[times(data) for data in graphs] for _ in range(REPEATS)]
    points: list[dict[str, Any]] = [
        {"nodes": data.num_nodes, "edges": data.num_edges // 2}
        | {name: min(turn[place][name] for turn in rounds) for name in VALUES}
        for place, data in enumerate(graphs)
    ]
    slopes = {name: slope(points, "nodes", name) for name in VALUES}
    report(f"slopes: {', '.join(f'{name} {value:.2f}' for name, value in slopes.items())}")
    return {"points": points, "slopes": slopes}
