"""Positions of all nodes of a large graph: cells of nearby nodes are laid out, and nodes are placed at their cells."""

import numpy as np
from numpy.typing import NDArray

from highwaygraph.report.layout import Positions, layout

# Cells that are laid out, and edges between them: time grows with these and hardly with the nodes.
CELLS, MOST_LINKS = 3_000, 40_000


# Weight of a node's own cell beside those of its neighbours, and random displacement in units of the distance of cells.
OWN, SPREAD = 0.5, 0.6


# Free border of the square, so that no cluster is cut.
MARGIN = 0.03


Nodes = NDArray[np.int64]


def overview_positions(edges: Nodes, classes: Nodes, start: Positions) -> Positions:
    """Return positions in the unit square, for graphs that are too large for a layout of all nodes.

    Args:
        edges: Every edge once, of shape (2, m).
        classes: Predicted class of every node: a cell has one class as far as it grows along edges.
        start: Initial positions of the nodes.

    Returns:
        Positions of shape (n, 2).
    """
    cells = grow_cells(edges, classes)
    count = int(cells.max()) + 1
    size = np.bincount(cells, minlength=count)
    centres = np.stack([np.bincount(cells, axis, count) for axis in start.T], axis=1) / np.maximum(size, 1)[:, None]
    placed = layout(_links(cells[edges], size), centres)
    draw = np.random.default_rng(0)
    shifted = _averaged(placed[cells], edges)
    shifted += SPREAD / np.sqrt(count) * draw.standard_normal(shifted.shape)
    return _framed(shifted)


def grow_cells(edges: Nodes, classes: Nodes) -> Nodes:
    """Return the cell of every node: that of the nearest of CELLS random nodes.

    Args:
        edges: Every edge once.
        classes: Predicted class of every node.

    Returns:
        A number per node. Cells grow along edges within a class first, then along all edges. Nodes that no edge leads
        to form one cell per class.
    """
    nodes = len(classes)
    seeds = np.random.default_rng(0).permutation(nodes)[:CELLS]
    cells = np.full(nodes, -1)
    cells[seeds] = np.arange(len(seeds))
    inner = classes[edges[0]] == classes[edges[1]]
    _grow(cells, edges[:, inner])
    _grow(cells, edges)
    left = cells < 0
    cells[left] = len(seeds) + classes[left]
    return np.unique(cells, return_inverse=True)[1].reshape(-1)


def _grow(cells: Nodes, edges: Nodes) -> None:
    """Let cells grow by a hop at a time, until no edge leads from a node with a cell to one without."""
    while True:
        known = cells[edges] >= 0
        open_edges = known[0] != known[1]
        if not open_edges.any():
            return
        border, is_first = edges[:, open_edges], known[0, open_edges]
        cells[np.where(is_first, border[1], border[0])] = cells[np.where(is_first, border[0], border[1])]
        # Edges whose ends both have a cell stay so.
        edges = edges[:, ~known.all(axis=0)]


def _links(ends: Nodes, size: Nodes) -> Nodes:
    """Return the pairs of cells with the most edges between them, in proportion to their sizes."""
    low, high = np.minimum(*ends), np.maximum(*ends)
    keys, edges = np.unique((low * len(size) + high)[low < high], return_counts=True)
    pairs = np.stack([keys // len(size), keys % len(size)])
    weight = edges / np.sqrt(size[pairs[0]] * size[pairs[1]])
    return pairs[:, np.argsort(-weight, kind="stable")[:MOST_LINKS]]


def _averaged(positions: Positions, edges: Nodes) -> Positions:
    """Return the mean of each node's position and the mean position of its neighbours."""
    nodes = len(positions)
    degree = sum(np.bincount(end, minlength=nodes) for end in edges)
    columns = [
        np.bincount(edges[0], axis[edges[1]], nodes) + np.bincount(edges[1], axis[edges[0]], nodes)
        for axis in positions.T
    ]
    around = np.stack(columns, axis=1) / np.maximum(degree, 1)[:, None]
    own = np.where(degree > 0, OWN, 1.0)[:, None]
    averaged: Positions = own * positions + (1 - own) * around
    return averaged


def _framed(positions: Positions) -> Positions:
    """Return the positions scaled to the unit square without its margin."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    reach = max(float((high - low).max()), 1e-9)
    framed: Positions = (positions - (low + high) / 2) / reach * (1 - 2 * MARGIN) + 0.5
    return framed
