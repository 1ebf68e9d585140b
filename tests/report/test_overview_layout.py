"""The layout of all nodes of a large graph."""

import numpy as np
import pytest

from highwaygraph.report import overview_layout
from highwaygraph.report.overview_layout import grow_cells, overview_positions


def blocks(size: int = 200, count: int = 3) -> tuple[np.ndarray, np.ndarray]:
    """Return random edges, nine of ten within blocks, and the block of every node."""
    draw = np.random.default_rng(0)
    nodes, edges = size * count, 8 * size * count
    source = draw.integers(0, nodes, edges)
    inside = source // size * size + draw.integers(0, size, edges)
    target = np.where(draw.random(edges) < 0.9, inside, draw.integers(0, nodes, edges))
    return np.stack([source, target]), np.arange(nodes) // size


@pytest.fixture(autouse=True)
def _few_cells(monkeypatch) -> None:
    monkeypatch.setattr(overview_layout, "CELLS", 30)


def test_cells_are_connected_and_of_one_class_where_edges_allow_it() -> None:
    edges, classes = blocks()
    cells = grow_cells(edges, classes)
    assert sorted(set(cells.tolist())) == list(range(30))
    assert all(len(set(classes[cells == cell])) == 1 for cell in range(30))


def test_nodes_without_a_seed_nearby_form_a_cell_per_class(monkeypatch) -> None:
    monkeypatch.setattr(overview_layout, "CELLS", 1)
    # A path of three nodes, the last of which is the seed, and four nodes without edges.
    assert np.random.default_rng(0).permutation(7)[0] == 2
    cells = grow_cells(np.array([[0, 1], [1, 2]]), np.array([0, 0, 1, 1, 1, 0, 0]))
    assert len({*cells[:3]}) == len({*cells[3:5]}) == len({*cells[5:]}) == 1
    assert len({cells[0], cells[3], cells[5]}) == 3


def test_a_long_path_is_divided_among_its_seeds() -> None:
    nodes = 500
    edges = np.stack([np.arange(nodes - 1), np.arange(1, nodes)])
    cells = grow_cells(edges, np.zeros(nodes, dtype=np.int64))
    # Every cell is a run of neighbours: 29 borders between 30 cells.
    assert int((np.diff(cells) != 0).sum()) == 29


def test_blocks_are_apart_in_the_unit_square() -> None:
    edges, classes = blocks()
    start = np.random.default_rng(1).standard_normal((len(classes), 2))
    found = overview_positions(edges, classes, start)
    # All nodes are within the margin, and reach it.
    assert found.min() == pytest.approx(overview_layout.MARGIN)
    assert found.max() == pytest.approx(1 - overview_layout.MARGIN)
    centres = np.stack([found[classes == label].mean(axis=0) for label in range(3)])
    within = np.linalg.norm(found - centres[classes], axis=1).mean()
    apart = np.linalg.norm(centres[:, None] - centres[None], axis=2)[np.triu_indices(3, 1)].min()
    assert apart > within
    assert np.array_equal(found, overview_positions(edges, classes, start))


def test_a_graph_without_edges_is_placed() -> None:
    start = np.random.default_rng(0).standard_normal((50, 2))
    found = overview_positions(np.empty((2, 0), dtype=np.int64), np.arange(50) % 2, start)
    assert np.isfinite(found).all()
