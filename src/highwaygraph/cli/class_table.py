"""Renderables of the scores per class, and of the paired difference to typical training."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from highwaygraph.cli.render import percent
from highwaygraph.training.gain import Gain, Verdict, verdict

if TYPE_CHECKING:
    from highwaygraph.report.class_comparison import ClassRow
    from highwaygraph.report.summary import Comparison
    from highwaygraph.training.class_metrics import ClassScores

# All classes are listed up to this number, beyond it only those with the lowest F1.
MOST_CLASSES, LOWEST = 20, 10


CONCLUSIONS: dict[Verdict, str] = {
    "better": "HighwayGraph is better",
    "worse": "typical training is better",
    "no difference": "no useful difference",
    "too few nodes": "too few test nodes to decide",
}
"""Text for each verdict on HighwayGraph."""


def class_table(comparison: "Comparison") -> RenderableType:
    """Return precision, recall and F1 of every class, or of those with the lowest F1 where there are many.

    Args:
        comparison: The run, with its baseline where there is one.

    Returns:
        The table with a title above it and, for two classes, the area under the precision-recall curve below it.
    """
    from highwaygraph.report.class_comparison import lowest_f1

    rows, title = comparison.classes, "Scores of the test nodes by class"
    if len(rows) > MOST_CLASSES:
        title = f"The {LOWEST} of {len(rows):,} classes with the lowest F1; --json lists all"
        rows = lowest_f1(rows, LOWEST)
    compared = comparison.result.baseline is not None
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    # Long names are wrapped, never cut off.
    table.add_column("Class", overflow="fold")
    for head in ("Test nodes", "Precision %", "Recall %", "F1 %"):
        table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(Text(row.name), f"{row.ours.nodes:,}", *_scores(row))
    pairs = " (typical training / HighwayGraph)" if compared else ""
    return Group(Text(title + pairs), table, Text(_notes(comparison)))


def gain_line(gain: Gain) -> RenderableType:
    """Return the paired difference to typical training with its interval, in words."""
    low, high = gain.interval
    return Text(
        f"Paired difference: {gain.points:+.1f} points, 95 % interval {low:+.1f} to {high:+.1f}: "
        f"{CONCLUSIONS[verdict(gain)]}."
    )


def _scores(row: "ClassRow") -> list[str]:
    return [_pair(row.typical, row.ours, name) for name in ("precision", "recall", "f1")]


def _pair(typical: "ClassScores | None", ours: "ClassScores", name: str) -> str:
    shown = percent(getattr(ours, name))
    return shown if typical is None else f"{percent(getattr(typical, name))} / {shown}"


def _notes(comparison: "Comparison") -> str:
    """Return the share of the largest class, which accuracy has to exceed, and the area under precision-recall."""
    from highwaygraph.report.class_comparison import precision_recall

    largest = max(comparison.classes, key=lambda row: row.ours.nodes)
    share = largest.ours.nodes / max(sum(row.ours.nodes for row in comparison.classes), 1)
    note = f"Accuracy if all test nodes were predicted to be {largest.name}: {percent(share)} %"
    area = precision_recall(comparison.result)
    if area is None:
        return note
    before = "" if area.typical is None else f"typical {percent(area.typical)}, HighwayGraph "
    return f"{note}\nArea under precision-recall of {area.name}: {before}{percent(area.ours)} %"
