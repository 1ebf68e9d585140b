"""Charts as inline SVG: hover values, no line between values that have no order, readable on a narrow screen."""

import math
from collections.abc import Callable

from highwaygraph.errors import shortened
from highwaygraph.report import svg
from highwaygraph.report.charts import (
    Chart,
    MatrixChart,
    Number,
    Point,
    PointChart,
    Row,
    RowChart,
    Series,
    ticks,
)

# Units of the view box, which are pixels on a page of 420 pixels; larger text would not fit, smaller is not legible on
# a telephone.
WIDTH, HEIGHT, LEFT, RIGHT, TOP = 420.0, 250.0, 52.0, 10.0, 14.0


# Width of an average character of the page's font at the size of a chart, and the height of a line.
CHARACTER, LINE = 6.9, 16.0


# Width of an average character of a legend, which no interval adjoins, and the gap after a name.
LEGEND_CHARACTER, LEGEND_GAP = 6.2, 8.0


# Characters of a row's label; the text where the pointer is has all of them.
LONGEST_LABEL = 30


# Series of one category are drawn beside each other, so that no interval hides another.
APART = 11.0


Scale = Callable[[Number], float]


def draw(chart: Chart) -> str:
    """Return a chart as one svg element.

    Args:
        chart: The chart.

    Returns:
        The element, with a text alternative.
    """
    if isinstance(chart, PointChart):
        return _points(chart)
    return _rows(chart) if isinstance(chart, RowChart) else _matrix(chart)


def _points(chart: PointChart) -> str:
    legend = _legend(chart.series) if len(chart.series) > 1 else []
    top = TOP + LINE * len(legend)
    below = 20 + LINE * (1 + any(second for _, second in chart.categories))
    height = HEIGHT + LINE * len(legend)
    marks = chart.y_ticks
    # Long numbers do not reach the name of the axis.
    left = max(LEFT, 24 + CHARACTER * max(len(_format(mark)) for mark in marks))
    y = _scale(marks[0], marks[-1], height - below - 4, top)
    x, across = _across(chart, left, height - below + 13)
    parts = [part for line in legend for part in line]
    for mark in marks:
        parts += [svg.line(left, y(mark), WIDTH - RIGHT, y(mark), "grid"), _tick(left - 6, y(mark) + 4, mark)]
    parts += across
    parts.append(svg.upward_text(13, (top + height - below) / 2, chart.y_label))
    parts.append(svg.text((left + WIDTH - RIGHT) / 2, height - 7, chart.x_label))
    if chart.diagonal:
        parts.append(svg.line(x(marks[0]), y(marks[0]), x(marks[-1]), y(marks[-1]), "diagonal"))
    for place, series in enumerate(chart.series):
        shift = APART * (place - (len(chart.series) - 1) / 2) if chart.categories else 0.0
        parts += _series(series, x, y, shift)
    return svg.document(WIDTH, height, chart.title, parts)


def _across(chart: PointChart, left: Number, below: Number) -> tuple[Scale, list[str]]:
    """Return the scale of the x axis, which begins at a place, and its ticks, at a height."""
    if chart.categories:
        count = len(chart.categories)
        x = _scale(-0.5, count - 0.5, left, WIDTH - RIGHT)
        lines = [(svg.text(x(i), below, a), svg.text(x(i), below + 15, b, "soft")) for i, (a, b) in
                 enumerate(chart.categories)]  # fmt: skip
        return x, [part for pair in lines for part in pair]
    values = [p.x for one in chart.series for p in one.points]
    low, high = chart.x_range or (min(values, default=0), max(values, default=1))
    marks = ticks(low, high) if high > low else [low]
    x = _scale(marks[0], marks[-1], left + 6, WIDTH - RIGHT - 12)
    return x, [svg.text(x(mark), below, _format(mark)) for mark in marks]


def _series(series: Series, x: Scale, y: Scale, shift: Number) -> list[str]:
    if series.joined:
        curve = svg.polyline([(x(p.x), y(p.y)) for p in series.points], series.colour, dashed=series.dashed)
        return [svg.group(series.name, [curve])]
    return [_point(p, series, x(p.x) + shift, y) for p in series.points if not math.isnan(p.y)]


def _point(point: Point, series: Series, x: Number, y: Scale) -> str:
    parts = [svg.target(x, y(point.y), APART, 24)]
    if point.has_interval:
        parts.append(svg.interval(x, y(point.low), x, y(point.high), series.colour))
    parts.append(svg.marker(x, y(point.y), series.marker, series.colour))
    return svg.group(f"{series.name}, {point.text}", parts)


def _legend(all_series: tuple[Series, ...]) -> list[list[str]]:
    """Return the legend above the axes, line by line."""
    lines: list[list[str]] = [[]]
    x = LEFT
    for series in all_series:
        width = 24 + LEGEND_CHARACTER * len(series.name)
        if x + width > WIDTH and lines[-1]:
            lines.append([])
            x = LEFT
        y = LINE * len(lines) - 6
        key = (
            svg.polyline([(x, y), (x + 18, y)], series.colour, dashed=series.dashed)
            if series.joined
            else svg.marker(x + 9, y, series.marker, series.colour)
        )
        lines[-1] += [key, svg.text(x + 24, y + 4, series.name, anchor="start")]
        x += width + LEGEND_GAP
    return lines


def _rows(chart: RowChart) -> str:
    labels = [shortened(row.label, LONGEST_LABEL) for row in chart.rows]
    left = 14 + CHARACTER * max(map(len, labels), default=0)
    marks = ticks(*chart.ends, 4)
    bottom = TOP + 22 * len(chart.rows)
    x = _scale(marks[0], marks[-1], left, WIDTH - 16)
    parts = [svg.line(x(m), TOP - 4, x(m), bottom, "zero" if m == 0 else "grid") for m in marks]
    parts += [svg.text(x(mark), bottom + 15, _format(mark)) for mark in marks]
    # Below the labels too, because it may be wider than the axis.
    parts.append(svg.text(WIDTH / 2, bottom + 34, shortened(chart.x_label, int(WIDTH / CHARACTER))))
    for place, row in enumerate(chart.rows):
        y = TOP + 22 * place + 9
        named = [svg.target(WIDTH / 2, y, WIDTH, 22), svg.text(left - 8, y + 4, labels[place], anchor="end")]
        parts.append(svg.group(row.text, [*named, *_row(row, x, (marks[0], marks[-1]), y)]))
    return svg.document(WIDTH, bottom + 42, chart.title, parts)


def _row(row: Row, x: Scale, ends: tuple[Number, Number], y: Number) -> list[str]:
    """Return the marker and the interval of a row, with an arrow at every end beyond the axis, or the number there."""
    low, high = max(row.low, ends[0]), min(row.high, ends[1])
    if not ends[0] <= row.value <= ends[1]:
        is_left = row.value < ends[0]
        edge = x(ends[0] if is_left else ends[1])
        words = f"{row.value:.2f}".replace("-", "\N{MINUS SIGN}")
        number = svg.text(edge + (14 if is_left else -14), y + 4, words, "soft", "start" if is_left else "end")
        return [svg.arrow(edge, y, row.colour, left=is_left), number]
    bar = [svg.interval(x(low), y, x(high), y, row.colour)] if high > low else []
    cut = [svg.arrow(x(low), y, row.colour, left=True)] if row.low < low else []
    cut += [svg.arrow(x(high), y, row.colour, left=False)] if row.high > high else []
    return [*bar, *cut, svg.marker(x(row.value), y, row.marker, row.colour)]


def _matrix(chart: MatrixChart) -> str:
    left = 24 + CHARACTER * max(map(len, chart.rows))
    size = min(64.0, (WIDTH - left - 4) / len(chart.columns))
    # Names of columns are turned, because they are wider than a square.
    above = 26 + CHARACTER * max(map(len, chart.columns))
    bottom = above + size * len(chart.rows)
    parts = [svg.upward_text(13, (above + bottom) / 2, chart.row_label)]
    parts.append(svg.text(left + size * len(chart.columns) / 2, 13, chart.column_label))
    for place, name in enumerate(chart.rows):
        parts.append(svg.text(left - 6, above + size * (place + 0.5) + 4, name, anchor="end"))
    for place, name in enumerate(chart.columns):
        x = left + size * (place + 0.5) + 4
        turn = f'transform="rotate(-90 {svg.number(x)} {svg.number(above - 6)})"'
        parts.append(svg.text(x, above - 6, name, anchor="start").replace("<text ", f"<text {turn} ", 1))
    for cell in chart.cells:
        x, y = left + size * cell.column, above + size * cell.row
        # At most half opaque, so that the number is legible in light and dark.
        drawn = [svg.square(x, y, size, cell.colour, 0.05 + 0.45 * cell.share)]
        if size >= 2 + CHARACTER * len(cell.text):
            drawn.append(svg.text(x + size / 2, y + size / 2 + 4, cell.text))
        parts.append(svg.group(cell.title, drawn))
    return svg.document(WIDTH, bottom + 4, chart.title, parts)


def _scale(low: Number, high: Number, start: Number, end: Number) -> Scale:
    span = (high - low) or 1.0
    return lambda value: start + (value - low) / span * (end - start)


def _tick(x: Number, y: Number, mark: Number) -> str:
    return svg.text(x, y, _format(mark), anchor="end")


def _format(mark: Number) -> str:
    return f"{mark:,.10g}".replace("-", "\N{MINUS SIGN}")
