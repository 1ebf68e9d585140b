"""What a person sees in the terminal: progress, tables and bars; no decision is taken here."""

import json
import math
import os
import sys
from typing import TYPE_CHECKING, Any

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from highwaygraph.runs.history import STOP_REASONS
from highwaygraph.runtime.progress import stderr

if TYPE_CHECKING:
    from highwaygraph.report.summary import Comparison, Inspection
    from highwaygraph.runs.result import Result
    from highwaygraph.training.metrics import HopAccuracy


WIDE = 200


MOST_COLUMNS = 30


def print_result(what: Any) -> None:
    """Print a renderable on stdout or, of plain values, one JSON document."""
    if isinstance(what, dict):
        sys.stdout.write(json.dumps(what, indent=1) + "\n")
    else:
        # A file has no edge: without a terminal nothing is cut off.
        width = None if sys.stdout.isatty() or "COLUMNS" in os.environ else WIDE
        Console(highlight=False, markup=False, emoji=False, soft_wrap=True, width=width).print(what)


def print_error(sentence: str, code: int) -> int:
    """Print one sentence on stderr and return the exit code that goes with it."""
    stderr.print(sentence, style="red", soft_wrap=True)
    return code


def study_table(title: str, heads: list[str], lines: list[list[str]]) -> RenderableType:
    """Return a study's settings, a line each."""
    table = _table(*heads)
    for line in lines:
        table.add_row(*map(Text, line))
    return Group(Text(title, style="bold"), table)


def grids_table(found: list[dict[str, Any]]) -> RenderableType:
    """Return the shipped grids and how much of them is done."""
    table = _table("Study", "Done", "What")
    table.columns[0].justify = table.columns[2].justify = "left"
    table.columns[2].no_wrap = False
    for grid in found:
        table.add_row(grid["name"], f"{grid['done']:,} of {grid['cells']:,}", grid["title"])
    return table


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal, a dash where it is not known."""
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def headline(result: "Result") -> RenderableType:
    """Return what was trained on what."""
    data, model = result.data, result.model
    parts = " / ".join(f"{int(data[f'{n}_mask'].sum()):,} {n}" for n in ("train", "val", "test"))
    title = f"{data.title}: {data.num_nodes:,} nodes, {parts}"
    network = getattr(model, "network", None)
    kind = f"{network.model}, hidden {network.hidden}, dropout {network.dropout}" if network else type(model).__name__
    return Group(Text(title, style="bold"), Text(f"{kind}, seed {result.config.seed}\n"))


def rounds_table(result: "Result") -> RenderableType:
    """Return the rounds one by one, the one that is the answer marked, and why training stopped."""
    table = _table("Round", "Epochs", "Validation %", "Test %", "Highways added", "of them right %")
    for i, r in enumerate(result.rounds):
        mark = " <" if i + 1 == result.best_round else "  "
        added = f"{r.edges_added:,}" if r.edges_added else "-"
        cells = [
            f"{i + 1}{mark}",
            r.epochs,
            percent(r.val),
            percent(r.test),
            added,
            percent(r.edge_precision),
        ]
        table.add_row(*map(str, cells), style="bold" if i + 1 == result.best_round else "")
    said = Text(
        f"Stopped: {STOP_REASONS[result.stopped]}. Answer: round {result.best_round} (<), {_graph_words(result)}."
    )
    return Group(table, said)


def hops_table(comparison: "Comparison") -> RenderableType:
    """Return accuracy by distance from the labels, typical training beside HighwayGraph where both ran."""
    ours, typical = comparison.hops, comparison.typical_hops
    heads = ["Hops", "Test nodes", *(["Typical %"] if typical else []), "HighwayGraph %"]
    table = _table(*heads, *(["Difference"] if typical else []))
    for i, row in enumerate(ours):
        cells = [row.hops, f"{row.nodes:,}"]
        cells += _beside(typical[i] if typical else None, row)
        table.add_row(*cells, style="bold" if row.hops == "all" else "")
    return Group(Text("Accuracy by hops to the nearest label of the node's own class"), table, Text(_f1(comparison)))


def _f1(comparison: "Comparison") -> str:
    ours, typical = comparison.f1, comparison.typical_f1
    beside = f"typical {percent(typical)}, HighwayGraph " if typical is not None else ""
    return f"Macro-F1 of the test nodes: {beside}{percent(ours)} %"


def inspection(found: "Inspection") -> RenderableType:
    """Return what is in a graph, and how far its nodes are from labels."""
    facts = Table(box=None, show_header=False, padding=(0, 2, 0, 0))
    for name, value in found.facts.items():
        facts.add_row(name, Text(value))
    parts: list[RenderableType] = [Text(found.title, style="bold"), facts]
    if found.columns:
        parts += [Text("\nColumns", style="bold"), _columns(found)]
    if found.findings:
        parts += [Text("\nWorth knowing", style="bold"), *(Text(f"- {finding}") for finding in found.findings)]
    if found.hops:
        parts += [Text(f"\n{found.hops_title}", style="bold"), _bars(found.hops)]
    return Group(*parts, Text(f"\n{found.advice}"))


def _columns(found: "Inspection") -> Table:
    table = _table("Column", "Read as", "Features", "How")
    for column in found.columns[:MOST_COLUMNS]:
        count = f"{column.features:,}" if column.features else ""
        table.add_row(*map(Text, (column.name, column.role, count, column.note)))
    if len(found.columns) > MOST_COLUMNS:
        table.add_row(f"and {len(found.columns) - MOST_COLUMNS:,} more", "", "", "--json lists all")
    for place in (0, 1, 3):
        table.columns[place].justify = "left"
    return table


def _bars(hops: dict[str, int]) -> Table:
    bars = _table("Hops", "Nodes", "%", "")
    nodes = sum(hops.values())
    for hop, count in hops.items():
        bars.add_row(hop, f"{count:,}", percent(count / nodes), Text("█" * round(40 * count / nodes), "cyan"))
    bars.columns[3].justify = "left"
    return bars


def _beside(typical: "HopAccuracy | None", ours: "HopAccuracy") -> list[str]:
    if typical is None:
        return [percent(ours.accuracy)]
    difference = 100 * (ours.accuracy - typical.accuracy)
    shown = "-" if math.isnan(difference) else f"{difference:+.1f}"
    return [percent(typical.accuracy), percent(ours.accuracy), shown]


def _graph_words(result: "Result") -> str:
    count = result.highways.size(1)
    return f"trained with {count:,} highways" if count else "trained on the original graph, without highways"


def _table(*heads: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    return table
