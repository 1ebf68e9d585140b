"""Renderable of a comparison of runs."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.console import Console, ConsoleOptions, Group, JustifyMethod, RenderableType
from rich.table import Table
from rich.text import Text

from highwaygraph.cli.class_table import MOST_CLASSES

if TYPE_CHECKING:
    from highwaygraph.report.comparison_text import TextTable
    from highwaygraph.report.comparison_values import RunComparison

# Spaces between two columns.
GAP = 2


def comparison_text(comparison: "RunComparison") -> RenderableType:
    """Return the tables of a comparison, and below them its limits and the paired differences.

    Args:
        comparison: The comparison.

    Returns:
        The tables; cells are wrapped where the terminal is narrow, never cut off.
    """
    from highwaygraph.report.comparison_text import gain_lines, notes, tables

    parts: list[RenderableType] = []
    for table in tables(comparison, MOST_CLASSES):
        parts += [Text(table.title, style="bold"), WrappedTable(table), Text("")]
    return Group(*parts, *(Text(line) for line in notes(comparison) + gain_lines(comparison)))


class WrappedTable:
    """A table whose cells are wrapped between words where all words fit in the terminal, else within words.

    Args:
        table: The text of its cells.
    """

    def __init__(self, table: "TextTable") -> None:
        self.table = table

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Table]:
        """Yield the table for the width of a console."""
        columns = [*zip(self.table.heads, *self.table.rows, strict=True)]
        table = Table(box=None, padding=(0, GAP, 0, 0), header_style="dim")
        for place, width in enumerate(column_widths(columns, options.max_width - GAP * len(columns))):
            justify: JustifyMethod = "left" if place in self.table.words else "right"
            table.add_column(Text(self.table.heads[place]), justify=justify, overflow="fold", width=width)
        for row in self.table.rows:
            table.add_row(*map(Text, row))
        yield table


def column_widths(columns: list[tuple[str, ...]], room: int) -> list[int | None]:
    """Return widths by which no word is broken.

    Args:
        columns: The cells of every column.
        room: Characters of a line without the spaces between columns.

    Returns:
        A width per column: its longest word, and more from left to right as far as there is room; None for all columns
        where the cells need no wrapping, or where words have to be broken.

    Example:
        >>> column_widths([("Run", "first run"), ("Test %", "81.9")], room=12)
        [8, 4]
    """
    words = [max(map(len, " ".join(column).split()), default=0) for column in columns]
    whole = [max(map(len, column)) for column in columns]
    spare = room - sum(words)
    if spare < 0 or sum(whole) <= room:
        return [None] * len(columns)
    widths: list[int | None] = []
    for least, most in zip(words, whole, strict=True):
        more = min(spare, most - least)
        spare -= more
        widths.append(least + more)
    return widths
