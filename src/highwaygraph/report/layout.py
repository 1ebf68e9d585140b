"""Where nodes are drawn: forces between them, with repulsion from a grid so that time grows with nodes, not pairs."""

import math

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve

Array = NDArray[np.float64]


Places = NDArray[np.float64]


STEPS = 250


GRAVITY = 0.3


PULL = 12.0


def layout(edges: NDArray[np.int64], start: Places) -> Places:
    """Return places in the unit square, from a start that puts alike nodes together."""
    places = _spread(start)
    charge = 1 + np.bincount(edges.ravel(), minlength=len(places)).astype(np.float64)
    cells = min(256, max(32, round(math.sqrt(len(places)))))
    kernel = _kernel(cells)
    for step in range(STEPS):
        force = _repulsion(places, charge, cells, kernel) + PULL * _attraction(places, edges)
        # Gravity as strong as the charge, or parts without a path between them would fly apart.
        force -= GRAVITY * charge[:, None] * places
        places = places + _limited(force / charge[:, None], 0.1 * math.sqrt(len(places)) * (1 - step / STEPS) ** 2)
    return _framed(places)


def _repulsion(places: Places, charge: Array, cells: int, kernel: tuple[Array, Array]) -> Places:
    """Return charge / distance away from all others, read off a grid of charges convolved with the kernel."""
    low, high = places.min(axis=0), places.max(axis=0)
    size = max(float((high - low).max()), 1e-9) / (cells - 1)
    corner, share = _corners((places - low) / size)
    weights = share * charge
    grid = np.zeros(cells * cells)
    for place, weight in zip(corner, weights, strict=True):
        grid += np.bincount(place[0] * cells + place[1], weight, minlength=cells * cells)
    fields = [fftconvolve(grid.reshape(cells, cells), part, mode="same") for part in kernel]
    at = [sum(part * field[place[0], place[1]] for place, part in zip(corner, share, strict=True)) for field in fields]
    return np.stack(at, axis=1) * charge[:, None] / size


def _corners(at: Places) -> tuple[NDArray[np.int64], Array]:
    """Return the four grid points around each place, and how near it is to each."""
    floor = np.floor(at).astype(np.int64)
    rest = at - floor
    corner, share = [], []
    for i in (0, 1):
        for j in (0, 1):
            corner.append((floor + np.array([i, j])).T)
            share.append(np.abs(1 - i - rest[:, 0]) * np.abs(1 - j - rest[:, 1]))
    top = int(floor.max()) if len(floor) else 0
    return np.minimum(np.stack(corner), top), np.stack(share)


def _kernel(cells: int) -> tuple[Array, Array]:
    """Return the two parts of 1 / distance, softened within a cell."""
    step = np.arange(-cells, cells + 1, dtype=np.float64)
    x, y = np.meshgrid(step, step, indexing="ij")
    square = x * x + y * y + 0.5
    return x / square, y / square


def _attraction(places: Places, edges: NDArray[np.int64]) -> Places:
    """Return the pull of every edge, which grows with the logarithm of its length so that clusters stay apart."""
    apart = places[edges[1]] - places[edges[0]]
    length = np.sqrt((apart * apart).sum(axis=1)) + 1e-9
    pull = apart * (np.log1p(length) / length)[:, None]
    total = np.zeros_like(places)
    for axis in (0, 1):
        total[:, axis] = np.bincount(edges[0], pull[:, axis], minlength=len(places))
        total[:, axis] -= np.bincount(edges[1], pull[:, axis], minlength=len(places))
    return total


def _limited(moves: Places, most: float) -> Places:
    length = np.sqrt((moves * moves).sum(axis=1, keepdims=True)) + 1e-12
    limited: Places = moves * np.minimum(1.0, most / length)
    return limited


def _spread(start: Places) -> Places:
    """Return the start around 0, as wide as so many nodes need."""
    centred = start - start.mean(axis=0)
    wide: Places = centred / max(float(np.abs(centred).max()), 1e-9) * math.sqrt(len(start))
    return wide


def _framed(places: Places) -> Places:
    """Return the places within the unit square; what lies far outside is drawn at its edge."""
    low, high = np.quantile(places, 0.002, axis=0), np.quantile(places, 0.998, axis=0)
    middle, reach = (low + high) / 2, max(float((high - low).max()), 1e-9)
    return np.clip((places - middle) / reach + 0.5, 0, 1)
