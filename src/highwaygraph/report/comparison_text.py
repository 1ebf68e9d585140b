"""Sentences and tables of a comparison of runs, shared by the terminal and the page."""

import math
from collections.abc import Sequence
from typing import Any

from highwaygraph.report.changed_text import MOST_ON_PAGE, changed_table
from highwaygraph.report.comparison_values import Change, ClassRow, HopRow, RunComparison, RunRow
from highwaygraph.report.text_table import TextTable
from highwaygraph.runs.evaluation import shown_hops
from highwaygraph.training.gain import LEAST_NODES, USEFUL_POINTS, Gain, Verdict, verdict
from highwaygraph.training.metrics import HopAccuracy

CONCLUSIONS: dict[Verdict, str] = {
    "better": "{run} is better: the 95 % interval lies above 0",
    "worse": "{first} is better: the 95 % interval lies below 0",
    "no difference": "No clear difference: the 95 % interval contains 0 and is at most {width:g} points wide",
    "too few nodes": "Too few test nodes to decide: {reason}",
}
"""Text for each verdict on a run beside the first one."""


def notes(comparison: RunComparison) -> list[str]:
    """Return a sentence for every limit of the comparison: other graphs, other test nodes, none, or equal options.

    Args:
        comparison: The comparison.

    Returns:
        The sentences, none where the runs have one graph, the same test nodes and different options.
    """
    first, runs = comparison.runs[0].name, comparison.runs
    found = []
    if names := [row.name for row in runs if row.relation == "other graph"]:
        are = "is on another graph" if len(names) == 1 else "are on other graphs"
        found.append(f"{_listed(names)} {are} than {first}: only accuracies and options are compared.")
    if names := [row.name for row in runs if row.relation == "other test nodes"]:
        have = "has" if len(names) == 1 else "have"
        found.append(
            f"{_listed(names)} {have} other test nodes than {first}: changes are counted on the test nodes of both, "
            "scores are those of each run's own test nodes, and there is no paired difference."
        )
    if names := [row.name for row in runs if row.source == "out-of-fold"]:
        have = "was trained on all its labels: its" if len(names) == 1 else "were trained on all their labels: their"
        found.append(f"{_listed(names)} {have} test nodes are labelled nodes, each predicted by the fold without it.")
    if names := [row.name for row in runs if not row.test_nodes]:
        have = "has" if len(names) == 1 else "have"
        found.append(f"{_listed(names)} {have} no test nodes: only validation accuracy and predictions are compared.")
    return found if comparison.options else [*found, "All runs have the same options."]


def gain_lines(comparison: RunComparison) -> list[str]:
    """Return the paired difference of every run to the first one, with its interval and the verdict."""
    return [_gain_line(comparison.runs[0].name, row) for row in comparison.changes if row.gain is not None]


def tables(
    comparison: RunComparison, most_classes: int | None = None, most_nodes: int = MOST_ON_PAGE
) -> list[TextTable]:
    """Return the tables of a comparison, without empty ones.

    Args:
        comparison: The comparison.
        most_classes: Number of classes from which only those with the largest difference in F1 are listed.
        most_nodes: Nodes with another prediction that are listed of every run.

    Returns:
        Runs, counts of changed predictions, changed nodes, accuracy by distance, scores by class, and options.
    """
    nodes = changed_table(comparison, most_nodes, "; --changed FILE writes all")
    found = [_runs_table(comparison.runs), _changes_table(comparison), nodes, _hops_table(comparison)]
    found += [_classes_table(comparison, most_classes), _options_table(comparison)]
    return [table for table in found if table.rows]


def _runs_table(runs: tuple[RunRow, ...]) -> TextTable:
    # Numbers come first, so that they are in view on a narrow page. The graph is named where it differs only.
    heads, rows = ["Run", "Test %", "Validation %", "Labels", "Network", "Preset", "Answer"], []
    for row in runs:
        numbers = [_percent(row.test), _percent(row.val), f"{row.labels:,}"]
        rows.append([row.name, *numbers, row.network, _preset(row), row.answer])
    if len({row.graph for row in runs}) > 1:
        heads, rows = [*heads, "Graph"], [[*cells, row.graph] for cells, row in zip(rows, runs, strict=True)]
    return TextTable("runs", "Runs", heads, rows, (0, *range(4, len(heads))))


def _changes_table(comparison: RunComparison) -> TextTable:
    heads = ["Run", "Nodes changed", "Test nodes changed", "Became right", "Became wrong"]
    rows = [
        [row.run, f"{row.changed:,} of {row.nodes:,}", f"{row.test_changed:,} of {row.test_nodes:,}"]
        + [f"{count:,}" for count in (row.became_right, row.became_wrong)]
        for row in comparison.changes
    ]
    title = f"Predictions that differ from those of the first run, {comparison.runs[0].name}"
    return TextTable("changes", title, heads, rows)


def _hops_table(comparison: RunComparison) -> TextTable:
    names = [row.name for row in comparison.comparable]
    title = "Test accuracy by hops to the nearest label of the node's own class"
    if any(len({score.nodes for score in row.scores}) > 1 for row in comparison.hops):
        rows = [
            [shown_hops(row.hops), *(f"{_percent(s.accuracy)} ({s.nodes:,})" for s in row.scores)]
            for row in comparison.hops
        ]
        return TextTable("hops", title, ["Hops", *(f"{name} % (nodes)" for name in names)], rows)
    is_pair = len(names) == 2
    heads = [
        "Hops",
        "Test nodes",
        *(f"{name} %" for name in names),
        *(["Difference", "95 % interval"] if is_pair else []),
    ]
    return TextTable("hops", title, heads, [_hop_cells(row, is_pair=is_pair) for row in comparison.hops])


def _hop_cells(row: HopRow, *, is_pair: bool) -> list[str]:
    cells = [shown_hops(row.hops), f"{row.scores[0].nodes:,}", *(_percent(score.accuracy) for score in row.scores)]
    return [*cells, _difference(*row.scores), _interval(row.gains[0])] if is_pair else cells


def _classes_table(comparison: RunComparison, most: int | None) -> TextTable:
    runs, classes = comparison.comparable, comparison.classes
    title = "Test scores by class"
    if most is not None and len(classes) > most:
        title = f"The {most:,} of {len(classes):,} classes with the largest difference in F1; --json lists all"
        classes = tuple(sorted(classes, key=_f1_range, reverse=True)[:most])
    rows = [
        # The name of a class is written once, above its runs.
        [row.name if place == 0 else "", runs[place].name, f"{score.nodes:,}"]
        + [_percent(share) for share in (score.precision, score.recall, score.f1)]
        + [_points(score.f1 - row.scores[0].f1) if place and runs[place].relation == "same test nodes" else ""]
        for row in classes
        for place, score in enumerate(row.scores)
    ]
    heads = ["Class", "Run", "Test nodes", "Precision %", "Recall %", "F1 %", "F1 difference"]
    return TextTable("classes", title, heads, rows, (0, 1))


def _options_table(comparison: RunComparison) -> TextTable:
    heads = ["Option", *(row.name for row in comparison.runs)]
    rows = [[name, *map(_value, values)] for name, values in comparison.options.items()]
    return TextTable("options", "Options that differ", heads, rows)


def _gain_line(first: str, row: Change) -> str:
    gain = row.gain
    assert gain is not None
    low, high = gain.interval
    nodes = "1 test node" if gain.nodes == 1 else f"{gain.nodes:,} test nodes"
    values = {"run": row.run, "first": first, "width": 2 * USEFUL_POINTS, "reason": _too_few(gain)}
    conclusion = CONCLUSIONS[verdict(gain)].format(**values)
    numbers = f"{gain.points:+.1f} points on {nodes}, 95 % interval {low:+.1f} to {high:+.1f}"
    return f"{conclusion}. {row.run} beside {first}: {numbers}."


def _too_few(gain: Gain) -> str:
    if gain.nodes < LEAST_NODES:
        return f"fewer than {LEAST_NODES}"
    return f"the 95 % interval contains 0 and is wider than {2 * USEFUL_POINTS:g} points"


def _preset(row: RunRow) -> str:
    return row.preset if not row.changed_options else f"{row.preset}, {row.changed_options} changed"


def _f1_range(row: ClassRow) -> float:
    shares = [0.0 if math.isnan(score.f1) else score.f1 for score in row.scores]
    return max(shares) - min(shares)


def _difference(first: HopAccuracy, other: HopAccuracy) -> str:
    return _points(other.accuracy - first.accuracy)


def _points(share: float) -> str:
    # Without the sum, a small negative number is -0.0.
    return "-" if math.isnan(share) else f"{round(100 * share, 1) + 0.0:+.1f}"


def _interval(gain: Gain | None) -> str:
    return "-" if gain is None else "{:+.1f} to {:+.1f}".format(*gain.interval)


def _value(value: Any) -> str:
    """Return the value of an option as it is typed on the command line, or a dash where a run does not have it."""
    if isinstance(value, tuple):
        return " ".join(map(str, value)) or "none"
    return "-" if value is None else str(value)


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def _listed(names: Sequence[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last
