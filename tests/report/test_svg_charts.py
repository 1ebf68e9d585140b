import math
from xml.etree import ElementTree

from highwaygraph.report.charts import Cell, MatrixChart, Point, PointChart, Row, RowChart, Series
from highwaygraph.report.svg_charts import CHARACTER, WIDTH, draw

POINTS = Point(0, 80, "one: 80 %", 70, 85), Point(1, 60, "two: 60 %", 40, 70), Point(2, math.nan)
CATEGORIES = (("1", "(5)"), ("5+", "(6)"), ("no path", "(7)"))


def parse(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def titles(root: ElementTree.Element) -> list[str]:
    return [element.text or "" for element in root.iter("title")]


def markers(root: ElementTree.Element) -> list[tuple[float, float]]:
    return [(float(e.get("cx")), float(e.get("cy"))) for e in root.iter("circle")]


def test_points_over_categories_have_hover_values_and_no_line_between_them() -> None:
    root = parse(draw(PointChart("c", "a title", "x", "y", (Series("ours", POINTS),), CATEGORIES)))
    assert titles(root) == ["ours, one: 80 %", "ours, two: 60 %"]
    assert not [e for e in root.iter("path") if "curve" in (e.get("class") or "")]
    assert root.get("aria-label") == "a title"
    words = [e.text for e in root.iter("text")]
    assert {"no path", "(7)", "x", "y", "40", "80"} <= set(words)


def test_the_place_of_a_point_follows_from_the_axis() -> None:
    chart = PointChart("c", "c", "x", "y", (Series("s", (Point(0, 0), Point(1, 100))),), (("a", ""), ("b", "")))
    (left, below), (right, above) = markers(parse(draw(chart)))
    assert left < right
    assert above < below
    half = PointChart("c", "c", "x", "y", (Series("s", (Point(0, 50),)),), (("a", ""), ("b", "")), y_range=(0, 100))
    ((_, middle),) = markers(parse(draw(half)))
    assert middle == (above + below) / 2


def test_series_of_a_category_are_beside_each_other_and_named() -> None:
    both = Series("typical", POINTS[:1], "orange"), Series("ours", POINTS[:1])
    root = parse(draw(PointChart("c", "c", "x", "y", both, CATEGORIES)))
    # The first two are the keys of the legend.
    (first, _), (second, _) = sorted(markers(root)[2:])
    assert second - first >= 8
    assert {"typical", "ours"} <= {e.text for e in root.iter("text")}


def test_joined_values_are_one_line() -> None:
    line = Series("round 1", tuple(Point(i, i * i) for i in range(5)), joined=True)
    root = parse(draw(PointChart("c", "c", "epoch", "loss", (line,))))
    (curve,) = [e for e in root.iter("path") if "curve" in (e.get("class") or "")]
    assert curve.get("d").count("L") == 4


def test_long_numbers_do_not_reach_the_name_of_the_axis() -> None:
    for values in ((0.002, 0.0098), (12_000, 48_000)):
        points = tuple(Point(i, value) for i, value in enumerate(values))
        root = parse(draw(PointChart("c", "c", "round", "loss", (Series("s", points),), CATEGORIES[:2])))
        ticks = [e for e in root.iter("text") if e.get("text-anchor") == "end"]
        # The name is written upwards at 13, and half a line of text wide.
        assert min(float(e.get("x")) - CHARACTER * len(e.text) for e in ticks) >= 13 + 4


def test_rows_are_around_zero_with_long_labels_shortened() -> None:
    rows = Row("a" * 50, -1.0, -1.2, -0.8, "first"), Row("b", 0.0, 0.0, 0.0, "second", "blue")
    root = parse(draw(RowChart("r", "r", "difference", rows)))
    assert titles(root) == ["first", "second"]
    wide = parse(draw(RowChart("r", "r", "x" * 200, rows)))
    assert max(len(e.text) for e in wide.iter("text")) * 6 < WIDTH
    assert max(len(e.text) for e in root.iter("text")) == 30
    zero = next(e for e in root.iter("path") if e.get("class") == "zero")
    assert float(zero.get("d")[1:].split()[0]) == markers(root)[1][0]


def test_a_matrix_numbers_its_squares_where_they_are_large_enough() -> None:
    cells = (Cell(0, 0, 1.0, "7", "seven"), Cell(1, 0, 0.5, "3", "three", "orange"))
    root = parse(draw(MatrixChart("m", "m", ("a", "b"), ("a", "b"), cells, "true class", "predicted")))
    assert titles(root) == ["seven", "three"]
    assert {"7", "3", "true class"} <= {e.text for e in root.iter("text")}
    names = tuple(str(i) for i in range(60))
    dense = parse(draw(MatrixChart("m", "m", names, names, (Cell(0, 0, 1.0, "700", ""),), "true", "predicted")))
    assert "700" not in {e.text for e in dense.iter("text")}
    assert dense.get("viewBox").split()[2] == f"{WIDTH:.0f}"


def test_a_value_beyond_the_axis_is_an_arrow_with_its_number() -> None:
    rows = Row("far", -2.0, -2.1, -1.9, "far"), Row("near", -0.1, -0.3, 0.05, "near"), Row("zero", 0.0, 0.0, 0.0)
    root = parse(draw(RowChart("r", "r", "difference", rows, (-0.2, 0.1))))
    arrows = [e for e in root.iter("path") if "arrow" in (e.get("class") or "")]
    # One for the value, one for the end of the bar that is cut.
    assert len(arrows) == 2
    assert "\N{MINUS SIGN}2.00" in {e.text for e in root.iter("text")}
    assert len(markers(root)) == 2
    (bar,) = [e for e in root.iter("path") if "interval" in (e.get("class") or "")]
    left = float(bar.get("d")[1:].split()[0])
    assert left == float(arrows[0].get("d")[1:].split()[0])
