"""Renderables of the scores per class, and of the paired difference to typical training."""

import math
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from highwaygraph.cli.folding_table import FoldingTable
from highwaygraph.cli.render import percent
from highwaygraph.runs.evaluation import EVALUATED, Source
from highwaygraph.runs.history import TYPICAL
from highwaygraph.training.gain import Gain, ScoreGain, Verdict, verdict

if TYPE_CHECKING:
    from highwaygraph.report.class_comparison import ClassRow
    from highwaygraph.report.summary import Comparison
    from highwaygraph.training.class_metrics import ClassScores

# All classes are listed up to this number, beyond it only those with the lowest F1.
MOST_CLASSES, LOWEST = 20, 10


CONCLUSIONS: dict[Verdict, str] = {
    "better": "it helped",
    "worse": "it did harm",
    "no difference": "it made no clear difference",
    "too few nodes": "too few {nodes} to decide",
}
"""Text for each verdict on HighwayGraph beside typical training."""


def class_table(comparison: "Comparison") -> RenderableType:
    """Return precision, recall and F1 of every class, or of those with the lowest F1 where there are many.

    Args:
        comparison: The run, with its baseline where there is one.

    Returns:
        The table with a title above it and, for two classes, the area under the precision-recall curve below it.
    """
    from highwaygraph.report.class_comparison import lowest_f1

    nodes = EVALUATED[comparison.source]
    rows, title = comparison.classes, f"Scores of the {nodes} by class"
    if len(rows) > MOST_CLASSES:
        title = f"The {LOWEST} of {len(rows):,} classes with the lowest F1; --json lists all"
        rows = lowest_f1(rows, LOWEST)
    compared = comparison.result.baseline is not None
    table = FoldingTable()
    # Long names are wrapped, never cut off.
    table.add_column("Class", overflow="fold")
    for head in (nodes.capitalize(), "Precision %", "Recall %", "F1 %"):
        table.add_column(head, justify="right", no_wrap=True)
    for row in rows:
        table.add_row(Text(row.name), f"{row.ours.nodes:,}", *_scores(row))
    pairs = f" (typical training / {comparison.result.answer})" if compared else ""
    area = _area_text(comparison)
    return Group(Text(title + pairs), table, *([Text(area)] if area else []))


def verdict_lines(comparison: "Comparison") -> RenderableType:
    """Return whether HighwayGraph helped, by the paired difference in accuracy, and the accuracy of the largest class.

    Args:
        comparison: The run; the difference is left out where typical training was not run.

    Returns:
        One or two lines, none without test nodes.
    """
    from highwaygraph.report.class_comparison import largest_class

    name, share = largest_class(comparison.classes)
    gain, answer = comparison.gain, comparison.result.answer
    lines = [] if gain is None else [Text(gain_text(gain, answer, comparison.source))]
    if not math.isnan(share):
        # Below it, a gain in accuracy may only be a shift towards the largest class.
        more = ", which is not below this run's" if share >= comparison.result.test else ""
        lines.append(Text(f"Accuracy of predicting the largest class ({name}) for all: {percent(share)} %{more}"))
    return Group(*lines)


def gain_text(gain: Gain | ScoreGain, answer: str, source: Source) -> str:
    """Return the paired difference to typical training with its interval, and the verdict in words."""
    if answer == TYPICAL:
        return "The answer is typical training itself."
    low, high = gain.interval
    interval = f"{gain.points:+.1f} points, 95 % interval {low:+.1f} to {high:+.1f}"
    conclusion = CONCLUSIONS[verdict(gain)].format(nodes=EVALUATED[source])
    return f"{answer[:1].upper()}{answer[1:]} beside typical training: {interval}; {conclusion}"


def _scores(row: "ClassRow") -> list[str]:
    return [_pair(row.typical, row.ours, name) for name in ("precision", "recall", "f1")]


def _pair(typical: "ClassScores | None", ours: "ClassScores", name: str) -> str:
    shown = percent(getattr(ours, name))
    return shown if typical is None else f"{percent(getattr(typical, name))} / {shown}"


def _area_text(comparison: "Comparison") -> str:
    """Return the area under precision-recall in words, empty where it is not defined."""
    from highwaygraph.report.class_comparison import precision_recall

    area = precision_recall(comparison.result)
    if area is None:
        return ""
    before = "" if area.typical is None else f"typical {percent(area.typical)}, {comparison.result.answer} "
    return f"Area under precision-recall of {area.name}: {before}{percent(area.ours)} %"
