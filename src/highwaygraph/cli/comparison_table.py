"""Renderable of a comparison of runs."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from highwaygraph.cli.class_table import MOST_CLASSES
from highwaygraph.cli.folding_table import FoldingTable

if TYPE_CHECKING:
    from highwaygraph.report.comparison_values import RunComparison
    from highwaygraph.report.text_table import TextTable

# Nodes with another prediction that are listed of every run.
MOST_NODES = 10


def comparison_text(comparison: "RunComparison") -> RenderableType:
    """Return the verdicts of a comparison with the paired differences, its limits, and its tables.

    Args:
        comparison: The comparison.

    Returns:
        The text; cells are folded where the terminal is narrow, never cut off.
    """
    from highwaygraph.report.comparison_text import gain_lines, notes, tables

    verdicts = [Text(line, style="bold") for line in gain_lines(comparison)]
    parts: list[RenderableType] = [*verdicts, *map(Text, notes(comparison))]
    for table in tables(comparison, MOST_CLASSES, MOST_NODES):
        parts += [*([Text("")] if parts else []), Text(table.title, style="bold"), _table(table)]
    return Group(*parts)


def _table(table: "TextTable") -> FoldingTable:
    shown = FoldingTable()
    for place, head in enumerate(table.heads):
        shown.add_column(Text(head), justify="left" if place in table.words else "right", overflow="fold")
    for row in table.rows:
        shown.add_row(*map(Text, row))
    return shown
