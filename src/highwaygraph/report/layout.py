"""Force-directed layout; repulsion is computed on a grid, so that time grows with nodes and not with pairs."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


Spectrum = NDArray[np.complex128]


Positions = NDArray[np.float64]


STEPS = 250


GRAVITY = 0.3


ATTRACTION = 12.0


# Repulsion of two nodes of the mean charge. In proportion to the charges themselves, a graph with many edges per node
# would still be expanding after the last step.
REPULSION = 3.0


def layout(edges: NDArray[np.int64], start: Positions) -> Positions:
    """Return positions in the unit square.

    Args:
        edges: Pairs of nodes, of shape (2, m).
        start: Initial positions; similar nodes should be close to each other.

    Returns:
        Positions of shape (n, 2).
    """
    positions = _centred(start)
    charge = 1 + np.bincount(edges.ravel(), minlength=len(positions)).astype(np.float64)
    cells = min(256, max(32, round(math.sqrt(len(positions)))))
    kernel = _kernel(cells)
    strength = REPULSION / charge.mean() if len(charge) else 0.0
    for step in range(STEPS):
        force = strength * _repulsion(positions, charge, cells, kernel) + ATTRACTION * _attraction(positions, edges)
        # Gravity in proportion to the charge keeps disconnected components together.
        force -= GRAVITY * charge[:, None] * positions
        positions = positions + _limited(
            force / charge[:, None], 0.1 * math.sqrt(len(positions)) * (1 - step / STEPS) ** 2
        )
    return _scaled(positions)


def _repulsion(positions: Positions, charge: Array, cells: int, kernel: Spectrum) -> Positions:
    """Return the repulsion charge / distance, interpolated from a grid of charges convolved with the kernel."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    size = max(float((high - low).max()), 1e-9) / (cells - 1)
    corner, share = _corners((positions - low) / size)
    weights = share * charge
    grid = np.zeros(cells * cells)
    for point, weight in zip(corner, weights, strict=True):
        grid += np.bincount(point[0] * cells + point[1], weight, minlength=cells * cells)
    shape = (2 * cells, 2 * cells)
    fields = np.fft.irfft2(np.fft.rfft2(grid.reshape(cells, cells), shape) * kernel, shape)
    at = [sum(part * field[point[0], point[1]] for point, part in zip(corner, share, strict=True)) for field in fields]
    return np.stack(at, axis=1) * charge[:, None] / size


def _corners(at: Positions) -> tuple[NDArray[np.int64], Array]:
    """Return the four grid points around each position and their bilinear weights."""
    floor = np.floor(at).astype(np.int64)
    rest = at - floor
    corner, share = [], []
    for i in (0, 1):
        for j in (0, 1):
            corner.append((floor + np.array([i, j])).T)
            share.append(np.abs(1 - i - rest[:, 0]) * np.abs(1 - j - rest[:, 1]))
    top = int(floor.max()) if len(floor) else 0
    return np.minimum(np.stack(corner), top), np.stack(share)


def _kernel(cells: int) -> Spectrum:
    """Return the Fourier transforms of the x and y components of 1 / distance, softened within a cell.

    A period of twice the grid suffices: no two cells are further apart than the grid is wide.
    """
    step = np.fft.fftfreq(2 * cells, 1 / (2 * cells))
    x, y = np.meshgrid(step, step, indexing="ij")
    return np.fft.rfft2(np.stack([x, y]) / (x * x + y * y + 0.5))


def _attraction(positions: Positions, edges: NDArray[np.int64]) -> Positions:
    """Return the attraction of every edge, which grows with the logarithm of its length to keep clusters apart."""
    apart = positions[edges[1]] - positions[edges[0]]
    length = np.sqrt((apart * apart).sum(axis=1)) + 1e-9
    force = apart * (np.log1p(length) / length)[:, None]
    total = np.zeros_like(positions)
    for axis in (0, 1):
        total[:, axis] = np.bincount(edges[0], force[:, axis], minlength=len(positions))
        total[:, axis] -= np.bincount(edges[1], force[:, axis], minlength=len(positions))
    return total


def _limited(moves: Positions, most: float) -> Positions:
    length = np.sqrt((moves * moves).sum(axis=1, keepdims=True)) + 1e-12
    limited: Positions = moves * np.minimum(1.0, most / length)
    return limited


def _centred(start: Positions) -> Positions:
    """Return the initial positions centred at 0, scaled to the number of nodes."""
    centred = start - start.mean(axis=0)
    wide: Positions = centred / max(float(np.abs(centred).max()), 1e-9) * math.sqrt(len(start))
    return wide


def _scaled(positions: Positions) -> Positions:
    """Return the positions scaled to the unit square; outliers are clipped to its border."""
    low, high = np.quantile(positions, 0.002, axis=0), np.quantile(positions, 0.998, axis=0)
    middle, reach = (low + high) / 2, max(float((high - low).max()), 1e-9)
    return np.clip((positions - middle) / reach + 0.5, 0, 1)
