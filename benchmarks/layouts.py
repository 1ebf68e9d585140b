"""The layout of the graph viewer beside those of kept libraries: nearness of neighbours and classes, and time."""

import json
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

import highwaygraph as hg
from highwaygraph.graph.augment import undirected_edges
from highwaygraph.graph.graph import Graph
from highwaygraph.report.layout import layout

Positions = NDArray[np.float64]


SCRIPT = Path(__file__).with_suffix(".mjs")
PACKAGES = (
    "graphology@0.26.0",
    "graphology-types@0.24.8",
    "graphology-layout@0.6.1",
    "graphology-layout-force@0.2.4",
    "graphology-layout-forceatlas2@0.10.1",
    "d3-force@3.0.0",
    "ngraph.graph@20.1.2",
    "ngraph.forcelayout@3.3.1",
)
GRAPHS = ("cora", "pubmed", "zoo/amazon_photo")
JAVASCRIPT = ("forceatlas2", "force", "circlepack", "d3", "ngraph")
# Layouts whose time grows with pairs of nodes, and the most nodes that they are measured on.
QUADRATIC, MOST_QUADRATIC = {"force", "networkx-forceatlas2", "networkx-spring"}, 5_000
NEAREST = 10
LINE = "{graph}, {layout}: neighbours {neighbours:.0%}, class {classes:.0%}, {seconds:.1f} s"


def near_neighbours(positions: Positions, edges: NDArray[np.int64]) -> float:
    """Return the mean share of a node's neighbours that are among as many nodes nearest to it.

    Args:
        positions: Positions of shape (n, 2).
        edges: Every edge once, of shape (2, m).

    Returns:
        A share between 0 and 1; nodes without edges do not count.

    Example:
        >>> line = np.array([[0.0, 0.0], [1.0, 0.0], [2.5, 0.0]])
        >>> near_neighbours(line, np.array([[0], [1]]))
        1.0
    """
    adjacent: list[set[int]] = [set() for _ in positions]
    for a, b in edges.T.tolist():
        adjacent[a].add(b)
        adjacent[b].add(a)
    most = max(map(len, adjacent))
    nearest = _nearest(positions, most)
    shares = [len(one & set(near[: len(one)])) / len(one) for one, near in zip(adjacent, nearest, strict=True) if one]
    return float(np.mean(shares))


def near_classes(positions: Positions, labels: NDArray[np.int64]) -> float:
    """Return the mean share of the ten nearest nodes that are of the node's own class."""
    nearest = np.array(_nearest(positions, NEAREST))
    return float((labels[nearest] == labels[:, None]).mean())


def _nearest(positions: Positions, count: int) -> list[list[int]]:
    """Return the nearest other nodes of every node."""
    # Nodes at one position would be neighbours by their number.
    apart = positions + 1e-9 * np.random.default_rng(0).normal(size=positions.shape)
    search = NearestNeighbors(n_neighbors=min(count, len(apart) - 1)).fit(apart)
    found: list[list[int]] = search.kneighbors(return_distance=False).tolist()
    return found


def ours(_: Graph, edges: NDArray[np.int64], start: Positions) -> tuple[Positions, float]:
    """Return positions by the layout of the reports, and the seconds of the CPU."""
    before = time.process_time()
    return layout(edges, start), time.process_time() - before


def javascript(folder: Path, name: str) -> Callable[..., tuple[Positions, float]]:
    """Return a layout of a package installed in a folder."""

    def run(data: Graph, edges: NDArray[np.int64], start: Positions) -> tuple[Positions, float]:
        x, y = start.T.tolist()
        given = {"x": x, "y": y, "classes": data.y.tolist(), "edges": edges.T.tolist()}
        command = ["node", str(folder / SCRIPT.name), name]
        text = subprocess.run(command, input=json.dumps(given), capture_output=True, text=True, check=True).stdout
        found = json.loads(text)
        return np.array(found["positions"], dtype=np.float64), found["milliseconds"] / 1000

    return run


def networkx(name: str) -> Callable[..., tuple[Positions, float]]:
    """Return a layout of NetworkX."""

    def run(_: Graph, edges: NDArray[np.int64], start: Positions) -> tuple[Positions, float]:
        import networkx as nx

        graph = nx.Graph()
        graph.add_nodes_from(range(len(start)))
        graph.add_edges_from(edges.T.tolist())
        begin = dict(enumerate(start.copy()))
        before = time.process_time()
        if name == "networkx-spring":
            found = nx.spring_layout(graph, pos=begin, seed=0)
        else:
            found = nx.forceatlas2_layout(graph, pos=begin, seed=0)
        return np.array([found[i] for i in range(len(start))]), time.process_time() - before

    return run


def install(folder: Path) -> None:
    """Install the packages of JavaScript and the script that runs them."""
    (folder / "package.json").write_text("{}")
    command = ["npm", "install", "--no-audit", "--no-fund", "--silent", *PACKAGES]
    subprocess.run(command, cwd=folder, check=True, env=os.environ)
    (folder / SCRIPT.name).write_text(SCRIPT.read_text())


def measure(report: Any) -> list[dict[str, Any]]:
    """Return one row per graph and layout; all start from the same random positions."""
    rows = []
    with tempfile.TemporaryDirectory() as place:
        install(Path(place))
        layouts = {"ours": ours} | {name: javascript(Path(place), name) for name in JAVASCRIPT}
        layouts |= {name: networkx(name) for name in ("networkx-forceatlas2", "networkx-spring")}
        for graph in GRAPHS:
            data = _load(graph)
            for name, run in layouts.items():
                if name in QUADRATIC and data.num_nodes > MOST_QUADRATIC:
                    continue
                rows.append(row(graph, name, data, run))
                report(LINE.format(**rows[-1]))
    return rows


def row(graph: str, name: str, data: Graph, run: Callable[..., tuple[Positions, float]]) -> dict[str, Any]:
    """Return quality and time of a layout."""
    edges = undirected_edges(data.edge_index, data.num_nodes).numpy()
    start = torch.randn(data.num_nodes, 2, generator=torch.Generator().manual_seed(0)).double().numpy()
    positions, seconds = run(data, edges, start)
    return {
        "graph": graph,
        "layout": name,
        "nodes": data.num_nodes,
        "edges": edges.shape[1],
        "neighbours": near_neighbours(positions, edges),
        "classes": near_classes(positions, data.y.numpy()),
        "seconds": seconds,
    }


def _load(graph: str) -> Graph:
    if not graph.startswith("zoo/"):
        return hg.load(graph)
    folder = Path(os.environ["HIGHWAYGRAPH_DATA"])
    return hg.load(folder / f"{graph}.npz")
