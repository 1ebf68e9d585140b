"""Density images: colours, opacity and bytes."""

import base64
import io

import numpy as np
from PIL import Image

from highwaygraph.report import overview_image
from highwaygraph.report.overview_image import changed_image, class_image


def pixels(url: str) -> np.ndarray:
    """Return the pixels of an image, the first row at the top."""
    data = base64.b64decode(url.removeprefix("data:image/webp;base64,"))
    return np.asarray(Image.open(io.BytesIO(data)).convert("RGBA"))


def at(image: np.ndarray, x: float, y: float) -> np.ndarray:
    side = len(image)
    return image[side - 1 - int(y * side), int(x * side)].astype(int)


# Fifty nodes at one place, one at another.
CORNERS = np.array([[0.1, 0.1]] * 50 + [[0.9, 0.9]])


def test_nodes_have_the_colour_of_their_class_at_their_place() -> None:
    image = pixels(class_image(CORNERS, np.array([0] * 50 + [1]), ["#ff0000", "#0000ff"]))
    many, one = at(image, 0.1, 0.1), at(image, 0.9, 0.9)
    # Lossy compression changes colours a little.
    assert np.abs(many[:3] - [255, 0, 0]).max() <= 16
    assert np.abs(one[:3] - [0, 0, 255]).max() <= 16
    # Many nodes are more opaque than one, and no node is transparent.
    assert many[3] > one[3] > 0
    assert at(image, 0.5, 0.5)[3] == 0


def test_classes_in_one_pixel_are_mixed() -> None:
    image = pixels(class_image(np.full((2, 2), 0.5), np.array([0, 1]), ["#ff0000", "#0000ff"]))
    assert np.abs(at(image, 0.5, 0.5)[:3] - [128, 0, 128]).max() <= 16


def test_changed_predictions_are_orange_where_they_are() -> None:
    changed = np.zeros(51, dtype=bool)
    changed[50] = True
    image = pixels(changed_image(CORNERS, changed))
    red, _, blue = at(image, 0.9, 0.9)[:3]
    assert red > blue + 100
    red, _, blue = at(image, 0.1, 0.1)[:3]
    assert blue > red


def test_an_image_of_noise_is_made_smaller_to_fit(monkeypatch) -> None:
    draw = np.random.default_rng(0)
    positions, classes = draw.random((200_000, 2)), draw.integers(0, 3, 200_000)
    monkeypatch.setattr(overview_image, "MOST_BYTES", 20_000)
    url = class_image(positions, classes, ["#ff0000", "#00ff00", "#0000ff"])
    assert len(base64.b64decode(url.split(",")[1])) <= 20_000
    assert len(pixels(url)) < overview_image.PIXELS


def test_the_density_of_nodes_is_smooth_between_them() -> None:
    # A grid of nodes that is coarser than the pixels.
    line = np.linspace(0.1, 0.9, 100)
    positions = np.stack(np.meshgrid(line, line), axis=2).reshape(-1, 2)
    image = pixels(class_image(positions, np.zeros(len(positions), dtype=np.int64), ["#ff0000"]))
    assert len(image) == overview_image.PIXELS
    middle = image[len(image) // 4 : len(image) // 2, len(image) // 4 : len(image) // 2, 3]
    assert middle.min() > 0
    assert int(middle.max()) - int(middle.min()) < 80


def test_the_border_of_the_square_is_in_the_image() -> None:
    image = pixels(class_image(np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([0, 0]), ["#ff0000"]))
    assert image[-1, 0, 3] > 0
    assert image[0, -1, 3] > 0
