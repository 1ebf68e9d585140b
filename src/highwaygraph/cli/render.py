"""Renderables of the terminal output: tables and bars, without any input or output."""

import math
from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from highwaygraph.cli.folding_table import FoldingTable
from highwaygraph.graph.split_sizes import split_sizes
from highwaygraph.runs.evaluation import EVALUATED, shown_hops
from highwaygraph.runs.history import STOP_REASONS

if TYPE_CHECKING:
    from highwaygraph.data.tables.read_log import Column
    from highwaygraph.report.inspection import Inspection
    from highwaygraph.report.summary import Comparison
    from highwaygraph.runs.result import Result
    from highwaygraph.training.metrics import HopAccuracy

MOST_COLUMNS = 30


# Column of the score that selects the round, where it is not the accuracy, which is shown anyway.
SCORE_HEADS = {"loss": ["Val. loss"], "accuracy": [], "f1": ["F1 %"], "balanced_accuracy": ["Balanced %"]}


BAR_WIDTH = 40


# Marks after a number, as wide as each other; their spaces are no places for a new line.
CHOSEN, NOT_CHOSEN = "\N{NO-BREAK SPACE}<", "\N{NO-BREAK SPACE}" * 2


def study_table(title: str, heads: list[str], lines: list[list[str]]) -> RenderableType:
    """Return the results of a study, one setting per line."""
    table = FoldingTable(*heads)
    for line in lines:
        table.add_row(*map(Text, line))
    return Group(Text(title, style="bold"), table)


def studies_table(found: list[dict[str, Any]]) -> RenderableType:
    """Return the shipped studies with their number of finished cells."""
    table = FoldingTable("Study", "Done", "Title")
    table.columns[0].justify = table.columns[2].justify = "left"
    for study in found:
        table.add_row(study["name"], f"{study['done']:,} of {study['cells']:,}", study["title"])
    return table


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal, or a dash for NaN.

    Example:
        >>> percent(0.8125)
        '81.2'
    """
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def headline(result: "Result") -> RenderableType:
    """Return the graph, its split, the network and the seed of a run."""
    data, model = result.data, result.model
    title = f"{data.title}: {data.num_nodes:,} nodes, {split_sizes(data)}"
    network = getattr(model, "network", None)
    kind = f"{network.model}, hidden {network.hidden}, dropout {network.dropout}" if network else type(model).__name__
    return Group(Text(title, style="bold"), Text(f"{kind}, seed {result.config.seed}\n"))


def rounds_table(result: "Result") -> RenderableType:
    """Return one line per round, the selected one marked, and the reason why training stopped."""
    columns = _round_columns(result)
    table = FoldingTable(*columns)
    for place, cells in enumerate(zip(*columns.values(), strict=True)):
        table.add_row(*cells, style="bold" if place + 1 == result.best_round else "")
    stopped = f"Stopped: {STOP_REASONS[result.stopped]}."
    selected_round = f"Selected: round {result.best_round} (<), {_training_graph(result)}."
    lines = [Text(f"{stopped} {selected_round}"), *([Text(line)] if (line := _precision(result)) else [])]
    # The candidates begin with an empty line of their own.
    return Group(table, *lines, *([] if result.candidates else [Text("")]))


def _round_columns(result: "Result") -> dict[str, list[str]]:
    """Return the cells of the rounds by column.

    A training on all labels has no validation and often no test scores, one without highways no precision.
    """
    rounds, decides = result.rounds, result.config.fit.monitor
    marks = [CHOSEN if number == result.best_round else NOT_CHOSEN for number in range(1, len(rounds) + 1)]
    scores = {head: [_score(each.score, decides) for each in rounds] for head in SCORE_HEADS[decides]}
    scores["Validation %"] = [percent(each.val) for each in rounds]
    scores["Test %"] = [percent(each.test) for each in rounds]
    precision = [percent(each.edge_precision) for each in rounds]
    return {
        "Round": [f"{number}{mark}" for number, mark in enumerate(marks, 1)],
        "Epochs": [str(each.epochs) for each in rounds],
        **{head: cells for head, cells in scores.items() if result.folds is None or set(cells) != {"-"}},
        "Highways added": [f"{each.edges_added:,}" if each.edges_added else "-" for each in rounds],
        **({"Precision %": precision} if set(precision) != {"-"} else {}),
    }


def _score(score: float, monitor: str) -> str:
    """Return the score that selects a round; the loss without the minus sign that makes higher better."""
    if math.isnan(score):
        return "-"
    return f"{-score:.3f}" if monitor == "loss" else percent(score)


def hops_table(comparison: "Comparison") -> RenderableType:
    """Return accuracy by hops to the nearest label, of typical training too where it was run."""
    if not any(row.nodes for row in comparison.hops):
        return Text("No labelled node is left for test: label more nodes for an accuracy.")
    typical = comparison.typical_hops
    nodes = EVALUATED[comparison.source].capitalize()
    answer = f"{comparison.result.answer} %" if typical else "Accuracy %"
    table = FoldingTable("Hops", nodes, *(["Typical %", answer, "Difference"] if typical else [answer]))
    for i, row in enumerate(comparison.hops):
        if not row.nodes and row.hops != "all":
            continue
        scores = _scores(typical[i] if typical else None, row)
        table.add_row(shown_hops(row.hops), f"{row.nodes:,}", *scores, style="bold" if row.hops == "all" else "")
    return Group(Text("Accuracy by hops to the nearest label of the node's own class"), table, Text(_f1(comparison)))


def inspection(found: "Inspection") -> RenderableType:
    """Return the properties of a graph, how its columns were read, and the hops of its nodes to labels."""
    properties = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    properties.add_column(no_wrap=True)
    properties.add_column(overflow="fold")
    for name, value in found.properties.items():
        properties.add_row(name, Text(value))
    parts: list[RenderableType] = [Text(found.title, style="bold", overflow="fold"), properties]
    if found.columns:
        parts += [Text("\nColumns", style="bold"), _columns(found.columns)]
    if found.edge_columns:
        parts += [Text("\nColumns of the edges", style="bold"), _columns(found.edge_columns)]
    if found.findings:
        parts += [Text("\nFindings", style="bold"), *(Text(f"- {f}", overflow="fold") for f in found.findings)]
    if found.hops:
        parts += [Text(f"\n{found.hops_title}", style="bold"), _bars(found.hops)]
    return Group(*parts, Text(f"\n{found.advice}"))


def _columns(columns: "list[Column]") -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    # Long names and notes are wrapped, never cut off.
    table.add_column("Column", overflow="fold", ratio=2)
    table.add_column("Read as", no_wrap=True)
    table.add_column("Features", no_wrap=True, justify="right")
    table.add_column("How", overflow="fold", ratio=3)
    for column in columns[:MOST_COLUMNS]:
        count = f"{column.features:,}" if column.features else ""
        table.add_row(*map(Text, (column.name, column.role, count, column.note)))
    if len(columns) > MOST_COLUMNS:
        table.add_row(f"and {len(columns) - MOST_COLUMNS:,} more", "", "", "--json lists all")
    return table


def _bars(hops: dict[str, int]) -> Table:
    bars = FoldingTable("Hops", "Nodes", "%", "")
    nodes = sum(hops.values())
    for hop, count in hops.items():
        bars.add_row(
            shown_hops(hop), f"{count:,}", percent(count / nodes), Text("█" * round(BAR_WIDTH * count / nodes), "cyan")
        )
    bars.columns[3].justify = "left"
    return bars


def _scores(typical: "HopAccuracy | None", ours: "HopAccuracy") -> list[str]:
    if typical is None:
        return [percent(ours.accuracy)]
    difference = 100 * (ours.accuracy - typical.accuracy)
    shown = "-" if math.isnan(difference) else f"{difference:+.1f}"
    return [percent(typical.accuracy), percent(ours.accuracy), shown]


def _f1(comparison: "Comparison") -> str:
    ours, typical = comparison.f1, comparison.typical_f1
    baseline = f"typical {percent(typical)}, {comparison.result.answer} " if typical is not None else ""
    return f"Macro-F1 of the {EVALUATED[comparison.source]}: {baseline}{percent(ours)} %"


def _training_graph(result: "Result") -> str:
    count = result.highways.size(1)
    if not count:
        return "trained on the original graph, without highways"
    return "trained with 1 highway" if count == 1 else f"trained with {count:,} highways"


def _precision(result: "Result") -> str:
    """Return the precision of the highways with its denominator; empty without any."""
    from highwaygraph.report.highway_scores import evaluated_highways

    known, correct = (int(part.sum()) for part in evaluated_highways(result))
    if not known:
        return ""
    return f"Precision: the ends of {correct:,} have the same true class, of {known:,} to nodes with a held-out label."
