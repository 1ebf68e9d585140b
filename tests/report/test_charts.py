import math
from dataclasses import replace

import pytest

from highwaygraph.report.charts import Point, PointChart, Row, RowChart, Series, proportion, ticks, value_range
from highwaygraph.report.svg_charts import draw


def chart(*points: Point, **options) -> PointChart:
    return PointChart("c", "c", "x", "y", (Series("s", points),), **options)


@pytest.mark.parametrize(
    ("low", "high"), [(57.2, 98.1), (0, 1), (-1.46, 0.02), (81.4, 82.0), (0, 123_456), (3e-5, 4e-5)]
)
def test_ticks_are_round_few_and_enclose_the_values(low: float, high: float) -> None:
    found = ticks(low, high)
    assert found[0] <= low < high <= found[-1]
    assert 3 <= len(found) <= 8
    step = found[1] - found[0]
    assert float(f"{step:.2e}"[0]) in (1, 2, 5)


def test_the_axis_covers_the_intervals() -> None:
    points = Point(0, 80, low=70, high=85), Point(1, 90), Point(2, math.nan)
    assert value_range(chart(*points)) == (70, 90)
    assert value_range(chart(*points, y_range=(0, 100))) == (0, 100)
    assert value_range(chart(Point(0, 5))) == (4, 6)
    assert value_range(chart()) == (0, 1)


def test_a_proportion_names_its_values_and_its_denominator() -> None:
    point = proportion(2, 1.0, 1, "3 hops")
    assert (point.x, point.y, point.high) == (2, 100, 100)
    assert point.low == pytest.approx(20.7, abs=0.1)
    assert point.text == "3 hops: 100.0 %, 95 % interval 20.7 to 100.0, 1 node"
    assert point.has_interval
    assert not Point(0, 1).has_interval


def test_rows_that_do_not_differ_have_an_axis() -> None:
    same = RowChart("c", "c", "x", (Row("a", 0.0, 0.0, 0.0),))
    assert same.ends == replace(same, x_range=(0.0, 0.0)).ends == (-1.0, 1.0)
    assert "0.5" in draw(same)


def test_counts_have_whole_ticks() -> None:
    assert chart(Point(0, 1), y_range=(0, 1), whole=True).y_ticks == [0, 1]
    assert chart(Point(0, 3), y_range=(0, 3), whole=True).y_ticks == [0, 1, 2, 3]
    assert chart(Point(0, 1), y_range=(0, 1)).y_ticks[1] == 0.2


def test_a_chart_without_values_is_empty() -> None:
    assert chart().is_empty
    assert chart(Point(0, math.nan)).is_empty
    assert not chart(Point(0, 0)).is_empty


def test_the_axis_of_rows_has_zero_and_the_ends_that_are_given() -> None:
    rows = (Row("a", -2, -3, -1), Row("b", 1, 1, 1))
    assert RowChart("r", "r", "x", rows).ends == (-3, 1)
    assert RowChart("r", "r", "x", rows, (-0.5, -0.1)).ends == (-0.5, 0)
