import math

import numpy as np
import pytest

from highwaygraph.report import print_figures, style
from highwaygraph.report.charts import Cell, MatrixChart, Point, PointChart, Row, RowChart, Series
from highwaygraph.report.run_charts import run_charts
from tests.helpers.example import run_data


@pytest.fixture(autouse=True)
def figure_style():
    with style.context():
        yield


@pytest.mark.parametrize("name", sorted(run_charts(run_data())))
def test_every_chart_of_a_run_is_drawn_for_print(name: str, tmp_path) -> None:
    figure = print_figures.draw(run_charts(run_data())[name])
    assert all(path.stat().st_size > 1000 for path in style.save(figure, name, tmp_path))


def test_the_figure_has_the_values_of_the_chart_and_no_line_between_categories() -> None:
    points = Point(0, 80, "", 70, 85), Point(1, 60, "", 40, 70), Point(2, math.nan)
    chart = PointChart("c", "c", "x", "y", (Series("s", points),), (("1", "(4)"), ("5+", ""), ("no path", "")))
    axis = print_figures.draw(chart).axes[0]
    values = [np.asarray(line.get_ydata(), dtype=float) for line in axis.lines]
    assert any(np.allclose(line, [80, 60, math.nan], equal_nan=True) for line in values if len(line) == 3)
    assert {line.get_linestyle() for line in axis.lines} == {"None"}
    assert [text.get_text() for text in axis.get_xticklabels()] == ["1\n(4)", "5+", "no path"]
    assert axis.get_ylim()[0] <= 40


def test_rows_and_matrices_show_their_names_and_numbers() -> None:
    rows = print_figures.draw(RowChart("r", "r", "difference", (Row("a", 1, 0, 2), Row("b", 0, 0, 0)))).axes[0]
    assert [text.get_text() for text in rows.get_yticklabels()] == ["a", "b"]
    cells = (Cell(0, 1, 0.5, "7"),)
    matrix = print_figures.draw(MatrixChart("m", "m", ("a",), ("b", "c"), cells, "true", "predicted")).axes[0]
    assert [text.get_text() for text in matrix.texts] == ["7"]


def test_a_value_beyond_the_axis_is_an_arrow_with_its_number() -> None:
    rows = Row("far", -2.0, -2.1, -1.9), Row("near", -0.1, -0.3, 0.05)
    axis = print_figures.draw(RowChart("r", "r", "difference", rows, (-0.2, 0.1))).axes[0]
    assert [text.get_text() for text in axis.texts] == ["-2.00"]
    # The end of the bar that is cut has an arrow too.
    assert [line.get_marker() for line in axis.lines].count("<") == 2
    assert axis.get_xlim()[0] > -0.5
