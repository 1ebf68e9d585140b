from xml.etree import ElementTree

import pytest

from highwaygraph.report import svg


def parse(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def test_text_from_data_is_escaped() -> None:
    name = "<b>\"a\" & 'b'</b>"
    parts = [svg.text(1, 2, name), svg.upward_text(1, 2, name), svg.group(name, [])]
    root = parse(svg.document(10, 10, name, parts))
    assert root.get("aria-label") == name
    assert [element.text for element in root.iter() if element.text] == [name] * 3


@pytest.mark.parametrize("shape", ["circle", "square", "triangle", "diamond"])
def test_a_marker_has_the_colour_of_the_style_sheet(shape) -> None:
    element = parse(svg.marker(10, 20, shape, "orange"))
    assert element.get("class") == "fill orange"
    assert element.tag == {"circle": "circle", "square": "rect"}.get(shape, "path")


def test_coordinates_have_one_decimal() -> None:
    assert svg.number(12.0) == "12"
    assert svg.number(1 / 3) == "0.3"
    assert parse(svg.polyline([(0, 1), (2, 3.25)], "blue", dashed=True)).get("d") == "M0 1L2 3.2"


@pytest.mark.parametrize("left", [True, False])
def test_the_tip_of_an_arrow_is_at_its_point(left) -> None:
    tip, *back = parse(svg.arrow(50, 20, "muted", left=left)).get("d")[1:-1].split("L")
    assert tip == "50 20"
    assert all((float(corner.split()[0]) > 50) == left for corner in back)
