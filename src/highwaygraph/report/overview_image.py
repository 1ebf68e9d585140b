"""Density images of all nodes: colour by class or by share of changed predictions, opacity by number of nodes."""

import base64
import io
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from highwaygraph.report.layout import Positions

# Most pixels of a side, colours, and bytes of one image.
PIXELS, COLOURS, MOST_BYTES = 440, 128, 100_000


# Nodes per pixel of the whole square: of fewer, single nodes are seen in place of a density.
PER_PIXEL = 2


# Opacity of a pixel with one node, and the share of pixels at full opacity.
FAINTEST, FULL = 0.3, 0.02


UNCHANGED, CHANGED = "#9aa6b2", "#d1480c"


Pixels = NDArray[np.uint8]


Numbers = NDArray[np.int64]


Values = NDArray[np.float64]


def class_image(positions: Positions, classes: Numbers, colours: list[str]) -> str:
    """Return an image of nodes coloured by class; the colours of several classes in a pixel are mixed.

    Args:
        positions: Positions in the unit square.
        classes: Class of every node.
        colours: Hex colour of every class.

    Returns:
        The URL of a PNG image of at most MOST_BYTES.
    """
    palette = _palette(colours)
    return _smallest(len(positions), lambda side: _class_pixels(_pixel_of(positions, side), classes, palette, side))


def changed_image(positions: Positions, changed: NDArray[np.bool_]) -> str:
    """Return an image of nodes coloured by the share of changed ones.

    Args:
        positions: Positions in the unit square.
        changed: Whether the prediction of each node changed.

    Returns:
        The URL of a PNG image of at most MOST_BYTES.
    """
    return _smallest(len(positions), lambda side: _changed_pixels(_pixel_of(positions, side), changed, side))


def _class_pixels(pixel: Numbers, classes: Numbers, palette: Values, side: int) -> Pixels:
    count = np.bincount(pixel, minlength=side * side)
    sums = [np.bincount(pixel, channel[classes], side * side) for channel in palette.T]
    return _opaque(np.stack(sums, axis=1) / np.maximum(count, 1)[:, None], count, side)


def _changed_pixels(pixel: Numbers, changed: NDArray[np.bool_], side: int) -> Pixels:
    count = np.bincount(pixel, minlength=side * side)
    share = np.bincount(pixel, changed, side * side) / np.maximum(count, 1)
    before, after = _palette([UNCHANGED, CHANGED])
    # The root makes small shares visible.
    strength = np.sqrt(share)[:, None]
    return _opaque((1 - strength) * before + strength * after, count, side)


def _opaque(colour: Values, count: Numbers, side: int) -> Pixels:
    """Return pixels whose opacity grows with the logarithm of their nodes; those without any are transparent."""
    most = max(float(np.quantile(count[count > 0], 1 - FULL)), 2.0) if count.any() else 2.0
    alpha = FAINTEST + (1 - FAINTEST) * np.minimum(np.log(np.maximum(count, 1)) / np.log(most), 1)
    values = np.concatenate([colour, 255 * (alpha * (count > 0))[:, None]], axis=1)
    pixels: Pixels = np.rint(values).astype(np.uint8).reshape(side, side, 4)
    return pixels


def _pixel_of(positions: Positions, side: int) -> Numbers:
    """Return the pixel of every node; the y axis points up."""
    x, y = np.minimum((positions * side).astype(np.int64), side - 1).T
    pixel: Numbers = (side - 1 - y) * side + x
    return pixel


def _palette(colours: list[str]) -> Values:
    return np.array([[int(one[at : at + 2], 16) for at in (1, 3, 5)] for one in colours], dtype=np.float64)


def _smallest(nodes: int, draw: Callable[[int], Pixels]) -> str:
    """Return an image as large as its nodes and its bytes allow."""
    side = min(PIXELS, max(round(math.sqrt(nodes / PER_PIXEL)), 2))
    while len(found := _png(draw(side))) > MOST_BYTES:
        side = 3 * side // 4
    return "data:image/png;base64," + base64.b64encode(found).decode()


def _png(pixels: Pixels) -> bytes:
    image = Image.fromarray(pixels).quantize(COLOURS, Image.Quantize.FASTOCTREE)
    file = io.BytesIO()
    image.save(file, "png", optimize=True)
    return file.getvalue()
