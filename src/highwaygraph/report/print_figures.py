"""Charts for print: the values that the page shows, drawn with matplotlib."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from highwaygraph.report.charts import Chart, MatrixChart, PointChart, Row, RowChart, Series, value_range
from highwaygraph.report.style import MUTED, NAMED, new

MARKERS = {"circle": "o", "square": "s", "triangle": "^", "diamond": "D"}


# Numbers in the cells of a larger matrix are not legible.
MOST_NUMBERED = 12


def draw(chart: Chart) -> Figure:
    """Return a chart as a figure.

    Args:
        chart: The chart.

    Returns:
        The figure, for `style.save`.
    """
    if isinstance(chart, PointChart):
        return _points(chart)
    return _rows(chart) if isinstance(chart, RowChart) else _matrix(chart)


def _points(chart: PointChart) -> Figure:
    figure = new()
    axis = figure.subplots()
    if chart.diagonal:
        axis.plot(value_range(chart), value_range(chart), color=MUTED, linewidth=1, linestyle=":")
    for place, series in enumerate(chart.series):
        # Beside each other, so that no interval hides another.
        _series(axis, series, 0.12 * (place - (len(chart.series) - 1) / 2) if chart.categories else 0.0)
    marks = chart.y_ticks
    axis.set_yticks(marks)
    axis.set_ylim(marks[0], marks[-1] + 0.01 * (marks[-1] - marks[0]))
    if chart.categories:
        axis.set_xticks(range(len(chart.categories)), ["\n".join(filter(None, pair)) for pair in chart.categories])
        axis.set_xlim(-0.5, len(chart.categories) - 0.5)
    elif chart.x_range:
        axis.set_xlim(*chart.x_range)
    axis.set_xlabel(chart.x_label)
    axis.set_ylabel(chart.y_label)
    if len(chart.series) > 1:
        # Above the axes, where it hides no interval.
        axis.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3)
    return figure


def _series(axis: Any, series: Series, shift: float) -> None:
    colour, x, y = NAMED[series.colour], [p.x + shift for p in series.points], [p.y for p in series.points]
    if series.joined:
        axis.plot(x, y, color=colour, linestyle="--" if series.dashed else "-", linewidth=1.4, label=series.name)
        return
    bars = [[p.y - p.low if p.has_interval else 0.0 for p in series.points],
            [p.high - p.y if p.has_interval else 0.0 for p in series.points]]  # fmt: skip
    # Rounding may leave an end of an interval beyond its value.
    bars = np.maximum(bars, 0).tolist()
    axis.errorbar(x, y, bars, color=colour, marker=MARKERS[series.marker], linestyle="none", capsize=2,
                  label=series.name)  # fmt: skip


def _rows(chart: RowChart) -> Figure:
    figure = new(5.2, 0.9 + 0.24 * len(chart.rows))
    axis = figure.subplots()
    axis.axvline(0, color=MUTED, linewidth=1)
    low, high = chart.ends
    for place, row in enumerate(chart.rows):
        if not low <= row.value <= high:
            _arrow(axis, row, place, low if row.value < low else high)
            continue
        bars = [[max(row.value - max(row.low, low), 0.0)], [max(min(row.high, high) - row.value, 0.0)]]
        axis.errorbar([row.value], [place], xerr=bars, color=NAMED[row.colour], marker=MARKERS[row.marker],
                      markersize=4, capsize=2, linewidth=1.2)  # fmt: skip
        for edge in [end for end, cut in ((low, row.low < low), (high, row.high > high)) if cut]:
            axis.plot([edge], [place], color=NAMED[row.colour], marker="<" if edge == low else ">", markersize=5)
    axis.set_yticks(range(len(chart.rows)), [row.label for row in chart.rows], fontsize=8)
    axis.set_ylim(len(chart.rows) - 0.4, -0.6)
    axis.grid(axis="y", visible=False)
    axis.set_xlabel(chart.x_label)
    return figure


def _arrow(axis: Any, row: Row, place: int, edge: float) -> None:
    """Draw a value beyond the axis as an arrow with its number."""
    is_left = row.value < edge
    axis.plot([edge], [place], color=NAMED[row.colour], marker="<" if is_left else ">", markersize=5)
    axis.annotate(f"{row.value:.2f}", (edge, place), (6 if is_left else -6, 0), textcoords="offset points",
                  ha="left" if is_left else "right", va="center", fontsize=7)  # fmt: skip


def _matrix(chart: MatrixChart) -> Figure:
    figure = new(5.2, max(1.6, min(4.8, 1.6 + 0.45 * len(chart.rows))))
    axis = figure.subplots()
    axis.grid(visible=False)
    for cell in chart.cells:
        corner, alpha = (cell.column - 0.5, cell.row - 0.5), 0.05 + 0.45 * cell.share
        axis.add_patch(Rectangle(corner, 1, 1, facecolor=NAMED[cell.colour], alpha=alpha, linewidth=0))
        if len(chart.columns) <= MOST_NUMBERED:
            axis.text(cell.column, cell.row, cell.text, ha="center", va="center", fontsize=8)
    axis.set_xlim(-0.5, len(chart.columns) - 0.5)
    axis.set_ylim(len(chart.rows) - 0.5, -0.5)
    axis.set_xticks(range(len(chart.columns)), chart.columns, rotation=40, ha="right", fontsize=8)
    axis.set_yticks(range(len(chart.rows)), chart.rows, fontsize=8)
    axis.set_xlabel(chart.column_label)
    axis.set_ylabel(chart.row_label)
    return figure
