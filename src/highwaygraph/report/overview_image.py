"""Density images of all nodes: colour by class or by share of changed predictions, opacity by density of nodes."""

import base64
import io
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.ndimage import gaussian_filter

from highwaygraph.report.layout import Positions

# Pixels of a side, twice those of the page for screens of double density; quality of colours and of opacity, and most
# bytes of one image.
PIXELS, QUALITY, ALPHA_QUALITY, MOST_BYTES = 880, 70, 60, 100_000


# Standard deviation of a node's Gaussian: in units of the side divided by the root of the nodes, so that neighbours
# overlap, with the least pixels and the largest share of the side.
BANDWIDTH, LEAST_WIDTH, WIDEST = 0.6, 0.7, 0.01


# Opacity at the centre of a single node, and the share of pixels at full opacity.
FAINTEST, FULL = 0.3, 0.02


UNCHANGED, CHANGED = "#9aa6b2", "#d1480c"


Pixels = NDArray[np.uint8]


Numbers = NDArray[np.int64]


Values = NDArray[np.float64]


def class_image(positions: Positions, classes: Numbers, colours: list[str]) -> str:
    """Return an image of nodes coloured by class; the colours of several classes at one place are mixed.

    Args:
        positions: Positions in the unit square.
        classes: Class of every node.
        colours: Hex colour of every class.

    Returns:
        The URL of a WebP image of at most MOST_BYTES.
    """
    palette = _palette(colours)
    return _smallest(lambda side: _class_pixels(_Density(positions, side), classes, palette))


def changed_image(positions: Positions, changed: NDArray[np.bool_]) -> str:
    """Return an image of nodes coloured by the share of changed ones.

    Args:
        positions: Positions in the unit square.
        changed: Whether the prediction of each node changed.

    Returns:
        The URL of a WebP image of at most MOST_BYTES.
    """
    return _smallest(lambda side: _changed_pixels(_Density(positions, side), changed))


class _Density:
    """The kernel density of nodes on the pixels of a square; the y axis points up."""

    def __init__(self, positions: Positions, side: int) -> None:
        self.side = side
        x, y = np.minimum((positions * side).astype(np.int64), side - 1).T
        self._pixel: Numbers = (side - 1 - y) * side + x
        wide = BANDWIDTH * side / math.sqrt(max(len(positions), 1))
        self._width = max(min(wide, WIDEST * side), LEAST_WIDTH)
        self.nodes = self.sum(None)

    @property
    def single(self) -> float:
        """Density at the centre of a single node."""
        return 1 / (2 * math.pi * self._width**2)

    def sum(self, weights: NDArray[Any] | None) -> Values:
        """Return the sum of the weights of nodes, by pixel."""
        count = np.bincount(self._pixel, weights, self.side * self.side).astype(np.float64)
        return np.asarray(gaussian_filter(count.reshape(self.side, self.side), self._width, mode="constant"))

    def mean(self, weights: NDArray[Any]) -> Values:
        """Return the mean weight of the nodes around each pixel."""
        return np.asarray(self.sum(weights) / np.maximum(self.nodes, 1e-9))


def _class_pixels(density: _Density, classes: Numbers, palette: Values) -> Pixels:
    return _opaque(np.stack([density.mean(channel[classes]) for channel in palette.T], axis=2), density)


def _changed_pixels(density: _Density, changed: NDArray[np.bool_]) -> Pixels:
    before, after = _palette([UNCHANGED, CHANGED])
    # The root makes small shares visible.
    strength = np.sqrt(density.mean(changed).clip(0, 1))[:, :, None]
    return _opaque((1 - strength) * before + strength * after, density)


def _opaque(colour: Values, density: _Density) -> Pixels:
    """Return pixels whose opacity grows with the logarithm of the density; below that of one node, with the density."""
    ratio = density.nodes / density.single
    seen = ratio[ratio > 0.5]
    most = max(float(np.quantile(seen, 1 - FULL)), 2.0) if seen.size else 2.0
    above = np.minimum(np.log(np.maximum(ratio, 1)) / math.log(most), 1)
    alpha = FAINTEST * np.minimum(ratio, 1) + (1 - FAINTEST) * above
    values = np.concatenate([colour, 255 * alpha[:, :, None]], axis=2)
    pixels: Pixels = np.rint(values).clip(0, 255).astype(np.uint8)
    return pixels


def _palette(colours: list[str]) -> Values:
    return np.array([[int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in colours], dtype=np.float64)


def _smallest(draw: Callable[[int], Pixels]) -> str:
    """Return an image as large as its bytes allow."""
    side = PIXELS
    while len(found := _webp(draw(side))) > MOST_BYTES:
        side = 3 * side // 4
    return "data:image/webp;base64," + base64.b64encode(found).decode()


def _webp(pixels: Pixels) -> bytes:
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "webp", quality=QUALITY, alpha_quality=ALPHA_QUALITY)
    return file.getvalue()
