"""The output of a training with several labels per node."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from highwaygraph.cli.candidates_table import candidates_table
from highwaygraph.cli.class_table import gain_text
from highwaygraph.cli.folding_table import FoldingTable
from highwaygraph.cli.next_steps import next_label_steps
from highwaygraph.cli.output import print_result
from highwaygraph.cli.render import headline, percent

if TYPE_CHECKING:
    from highwaygraph.report.label_summary import LabelComparison
    from highwaygraph.runs.result import Result

# All labels are listed up to this number, beyond it only those with the lowest F1.
MOST_LABELS, LOWEST = 20, 10


def score_table(comparison: "LabelComparison") -> RenderableType:
    """Return the scores of all labels together, and whether HighwayGraph helped.

    Args:
        comparison: The run, with typical training where it was run.

    Returns:
        A line per score, and the paired difference of every node's F1.
    """
    from highwaygraph.report.label_summary import SCORES

    ours, typical = comparison.ours, comparison.typical
    table = FoldingTable("Score", *(["Typical %"] if typical else []), f"{comparison.result.answer} %")
    table.columns[0].justify = "left"
    for name, title in SCORES.items():
        sides = ([typical] if typical else []) + [ours]
        table.add_row(title, *(percent(getattr(side, name)) for side in sides))
    gain = comparison.gain
    lines = (
        [] if gain is None else [Text(f"F1 per node: {gain_text(gain, comparison.result.answer, comparison.source)}")]
    )
    return Group(Text(f"Scores of the {comparison.source} nodes"), table, *lines)


def label_table(comparison: "LabelComparison") -> RenderableType:
    """Return precision, recall, F1 and threshold of every label, or of those with the lowest F1 where there are many.

    Args:
        comparison: The run.

    Returns:
        The table with a title above it.
    """
    rows = list(zip(comparison.names, comparison.ours.labels, comparison.result.label_thresholds, strict=True))
    title = "Scores by label, and the probability from which it is predicted"
    if len(rows) > MOST_LABELS:
        title = f"The {LOWEST} of {len(rows):,} labels with the lowest F1; --json lists all"
        rows = sorted((row for row in rows if row[1].nodes), key=lambda row: row[1].f1)[:LOWEST]
    table = FoldingTable("Label", "Nodes", "Precision %", "Recall %", "F1 %", "Threshold")
    table.columns[0].justify = "left"
    for name, row, threshold in rows:
        scores = map(percent, (row.precision, row.recall, row.f1))
        table.add_row(Text(name), f"{row.nodes:,}", *scores, f"{threshold:.2f}")
    return Group(Text(f"\n{title}"), table)


def print_label_run(result: "Result", out: Path, *, json: bool) -> None:
    """Print a run with several labels per node.

    Args:
        result: The run.
        out: Its folder.
        json: Print the scores as JSON.
    """
    from highwaygraph.report.label_summary import compare_labels

    comparison = compare_labels(result)
    if json:
        return print_result(comparison.as_dict() | {"path": str(out)})
    print_result(headline(result))
    if result.candidates:
        print_result(candidates_table(result))
    print_result(score_table(comparison))
    print_result(label_table(comparison))
    print_result(f"\nSaved to {out}")
    print_result(next_label_steps(out))
