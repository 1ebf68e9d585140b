"""The table of suggestions on a terminal."""

from typing import TYPE_CHECKING

from rich.console import RenderableType
from rich.text import Text

from highwaygraph.cli.folding_table import FoldingTable

if TYPE_CHECKING:
    from highwaygraph.labelling.table import Suggestion, SuggestionTable


def suggestion_table(table: "SuggestionTable") -> RenderableType:
    """Return one line per suggestion: id, predicted class where there is one, hops to the nearest label, and reason."""
    has_predictions = any(row.predicted is not None for row in table)
    shown = FoldingTable()
    shown.add_column("", justify="right", no_wrap=True)
    shown.add_column("Node", overflow="fold")
    if has_predictions:
        shown.add_column("Predicted", overflow="fold")
    shown.add_column("Hops", justify="right", no_wrap=True)
    shown.add_column("Reason", overflow="fold")
    for number, row in enumerate(table, 1):
        shown.add_row(*map(Text, _cells(number, row, has_predictions=has_predictions)))
    return shown


def _cells(number: int, row: "Suggestion", *, has_predictions: bool) -> list[str]:
    predicted = [f"{row.predicted} ({100 * (row.confidence or 0):.0f} %)"] if has_predictions else []
    return [str(number), str(row.id), *predicted, "-" if row.hops is None else str(row.hops), row.reason]
