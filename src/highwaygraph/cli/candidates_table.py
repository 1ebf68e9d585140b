"""Renderables of the candidates that competed for a run's answer."""

from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from highwaygraph.cli.folding_table import FoldingTable
from highwaygraph.report.answer_text import (
    answer_lines,
    candidate_cells,
    candidate_heads,
    evaluated_on,
    reference_name,
    score_name,
)

if TYPE_CHECKING:
    from highwaygraph.runs.result import Result


def candidates_table(result: "Result") -> RenderableType:
    """Return one line per candidate, the answer marked, with the sentences on the choice below.

    Args:
        result: A run with candidates.

    Returns:
        The table and the sentences.
    """
    heads = [head.replace("Validation", "Val.") for head in candidate_heads(result)]
    table = FoldingTable(*heads)
    table.columns[0].justify = "left"
    for one in result.candidates:
        name, *scores = candidate_cells(one, reference_name(result))[: len(heads)]
        chosen = one.name == result.answer
        table.add_row(f"{name} <" if chosen else name, *scores, style="bold" if chosen else "")
    title = f"Candidates by {score_name(result)} on {evaluated_on(result)}; differences to {reference_name(result)}"
    return Group(Text(f"\n{title}"), table, *(Text(line) for line in answer_lines(result)), Text(""))
