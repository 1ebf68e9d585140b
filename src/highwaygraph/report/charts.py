"""Charts as values: the data of every chart, which `svg_charts` draws for the page and `print_figures` for print."""

import math
from dataclasses import dataclass
from typing import Literal

from highwaygraph.runs.intervals import wilson_interval

Number = float | int
Colour = Literal["ink", "muted", "blue", "orange", "green", "purple"]
Marker = Literal["circle", "square", "triangle", "diamond"]


STYLES: tuple[tuple[Colour, Marker], ...] = (
    ("orange", "square"),
    ("blue", "circle"),
    ("green", "triangle"),
    ("purple", "diamond"),
    ("ink", "square"),
    ("muted", "circle"),
)
"""Colours and markers of several series, told apart by either."""


@dataclass(frozen=True)
class Point:
    """One value of a series."""

    x: Number
    y: Number
    text: str = ""
    """Values in words, which the page shows where the pointer is."""
    low: Number = math.nan
    high: Number = math.nan
    """Ends of the interval; NaN without one."""

    @property
    def has_interval(self) -> bool:
        """Whether the point has an interval."""
        return not math.isnan(self.low)


@dataclass(frozen=True)
class Series:
    """The points of one name."""

    name: str
    points: tuple[Point, ...]
    colour: Colour = "blue"
    marker: Marker = "circle"
    joined: bool = False
    """Draw a line in place of markers. Only values of one ordered scale may be joined."""
    dashed: bool = False


@dataclass(frozen=True)
class PointChart:
    """Points over categories or over numbers."""

    name: str
    title: str
    """Text alternative, which is also the title in print."""
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    categories: tuple[tuple[str, str], ...] = ()
    """Both lines of text below each place of the x axis; none for numbers."""
    y_range: tuple[Number, Number] | None = None
    """Ends of the y axis; those of the values unless given."""
    x_range: tuple[Number, Number] | None = None
    diagonal: bool = False
    """Draw the line on which both axes are equal."""
    whole: bool = False
    """The y axis counts, so that its ticks are whole numbers."""

    @property
    def y_ticks(self) -> list[float]:
        """Ticks of the y axis."""
        return ticks(*value_range(self), whole=self.whole)

    @property
    def is_empty(self) -> bool:
        """Whether there is no value to draw."""
        return not any(math.isfinite(point.y) for one in self.series for point in one.points)


@dataclass(frozen=True)
class Row:
    """One line of a row chart."""

    label: str
    value: Number
    low: Number
    high: Number
    text: str = ""
    colour: Colour = "muted"
    marker: Marker = "circle"


@dataclass(frozen=True)
class RowChart:
    """Values with intervals below each other, around zero."""

    name: str
    title: str
    x_label: str
    rows: tuple[Row, ...]
    x_range: tuple[Number, Number] | None = None
    """Ends of the axis, beyond which a value becomes an arrow; those of all values unless given."""

    @property
    def ends(self) -> tuple[Number, Number]:
        """Ends of the axis, zero included, apart from each other."""
        ends = self.x_range or [end for row in self.rows for end in (row.low, row.high, row.value)]
        low, high = min(0.0, *ends), max(0.0, *ends)
        # Candidates that are all right everywhere do not differ.
        return (low, high) if high > low else (-1.0, 1.0)


@dataclass(frozen=True)
class Cell:
    """One filled square of a matrix."""

    row: int
    column: int
    share: Number
    """Opacity, from 0 to 1."""
    text: str
    title: str = ""
    colour: Colour = "blue"


@dataclass(frozen=True)
class MatrixChart:
    """Shaded squares with numbers."""

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[Cell, ...]
    row_label: str
    column_label: str


Chart = PointChart | RowChart | MatrixChart


def proportion(x: Number, share: Number, count: int, text: str) -> Point:
    """Return the point of a proportion in per cent, with its 95 % interval.

    Args:
        x: Its place.
        share: The proportion, from 0 to 1.
        count: The number of observations that it is a proportion of.
        text: Words before its values.

    Returns:
        The point.

    Example:
        >>> proportion(0, 0.5, 20, "2 hops").text
        '2 hops: 50.0 %, 95 % interval 29.9 to 70.1, 20 nodes'
    """
    low, high = (100 * end for end in wilson_interval(share, count))
    counted = f"{count:,} {'node' if count == 1 else 'nodes'}"
    words = f"{text}: {100 * share:.1f} %, 95 % interval {low:.1f} to {high:.1f}, {counted}"
    return Point(x, 100 * share, words, low, high)


def value_range(chart: PointChart) -> tuple[Number, Number]:
    """Return the ends of the y axis: those given, or those of all values and intervals.

    Args:
        chart: The chart.

    Returns:
        Both ends, apart from each other.
    """
    if chart.y_range is not None:
        return chart.y_range
    ends = [end for one in chart.series for p in one.points for end in (p.y, p.low, p.high) if math.isfinite(end)]
    low, high = min(ends, default=0.0), max(ends, default=1.0)
    return (low, high) if high > low else (low - 1, high + 1)


def ticks(low: Number, high: Number, most: int = 5, *, whole: bool = False) -> list[float]:
    """Return round numbers between two ends.

    Args:
        low: The lower end.
        high: The upper end.
        most: About the largest number of ticks.
        whole: Whether a tick has to be a whole number.

    Returns:
        Multiples of 1, 2 or 5 times a power of ten, from below the lower end to above the upper one.

    Example:
        >>> ticks(57.2, 98.1)
        [50.0, 60.0, 70.0, 80.0, 90.0, 100.0]
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    step = max(step, 1.0) if whole else step
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [round(number * step, 10) for number in range(first, last + 1)]
