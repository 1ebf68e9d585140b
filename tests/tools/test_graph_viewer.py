"""Layouts and frames of the graph viewer: what is measured, and how the page shows it."""

import numpy as np
import pytest

from benchmarks import layouts
from highwaygraph.report.layout import layout
from tests.helpers.graphs import block_graph
from tools import graph_viewer

LINE = np.array([[0.0, 0.0], [1.0, 0.0], [2.1, 0.0], [3.3, 0.0]])


def test_neighbours_count_where_they_are_the_nearest_nodes() -> None:
    path = np.array([[0, 1, 2], [1, 2, 3]])
    assert layouts.near_neighbours(LINE, path) == 1.0
    # Nodes without edges do not count; the only edge joins both ends of the line.
    assert layouts.near_neighbours(LINE, np.array([[0], [3]])) == 0.0


def test_classes_count_among_ten_nearest_nodes() -> None:
    positions = np.concatenate([LINE, LINE + 100, LINE + 200])
    labels = np.repeat([0, 1, 2], 4)
    # Three of the ten nearest nodes can be of the own class.
    assert layouts.near_classes(positions, labels) == pytest.approx(0.3)


def test_a_row_starts_from_random_positions() -> None:
    data = block_graph()
    found = layouts.row("blocks", "ours", data, layouts.ours)
    assert (found["nodes"], found["layout"]) == (180, "ours")
    still = layouts.row("blocks", "none", data, lambda data, edges, start: (start, 0.0))
    assert found["neighbours"] > 2 * still["neighbours"]
    assert layout(np.zeros((2, 0), dtype=np.int64), LINE).shape == LINE.shape


def test_tables_have_a_dash_for_what_was_not_measured() -> None:
    rows = [
        {"graph": graph, "layout": name, "nodes": 9, "neighbours": 0.5, "classes": 0.25, "seconds": 1.26}
        for graph, name in (("cora", "ours"), ("zoo/photo", "ours"), ("cora", "force"))
    ]
    shown = graph_viewer.layouts(rows)
    assert "photo, 9 nodes" in shown
    assert "| **ours** | 50, 25; 1.3 | 50, 25; 1.3 |" in shown
    assert "| graphology-layout-force | 50, 25; 1.3 | - |" in shown
    assert "d3" not in shown
    assert graph_viewer.layouts([]).startswith("Not measured yet")


def test_frames_have_a_row_per_action() -> None:
    found = {"nodes": 20_000, "edges": 1, "highways": 2, "ready_s": 2.04}
    found["actions"] = [{"action": "drag", "frames": 9, "median_ms": 16.7, "p95_ms": 99.6, "work_ms": 2.84}]
    shown = graph_viewer.frames(found)
    assert "20,000 nodes, 1 edges" in shown
    assert "| drag | 17 | 100 | 2.8 |" in shown
    assert graph_viewer.frames(None).startswith("Not measured yet")
