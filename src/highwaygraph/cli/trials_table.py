"""Renderables of the trials of a search."""

from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from highwaygraph.cli.folding_table import FoldingTable
from highwaygraph.cli.render import percent

if TYPE_CHECKING:
    from highwaygraph.study.tune import TrialRecord, Tuned

# Trials listed, the best first.
MOST_LISTED = 10


STATES = {"COMPLETE": "", "PRUNED": "stopped early", "FAIL": "failed"}


def trials_table(best: "Tuned") -> RenderableType:
    """Return the best trials with their options, and the score that decides.

    Args:
        best: The result of a search.

    Returns:
        A table of at most MOST_LISTED trials, the chosen one marked, with a title above it.
    """
    ordered = best.ordered[:MOST_LISTED]
    names = list(dict.fromkeys(name for trial in best.history for name in trial.options))
    # With many options, their names as heads need a wide terminal.
    narrow = FoldingTable("Trial", "Validation %")
    narrow.add_column("Options", justify="left")
    table = FoldingTable("Trial", "Validation %", *(name.removeprefix("network.") for name in names), narrow=narrow)
    for place, trial in enumerate(ordered):
        cells = [f"{trial.number}\N{NO-BREAK SPACE}<" if place == 0 else str(trial.number), _score(trial)]
        table.add_row(*cells, *(_option(trial.options.get(name, "")) for name in names))
        narrow.add_row(*cells, _options(trial))
    count = "1 trial" if best.trials == 1 else f"{best.trials:,} trials"
    listed = f", the best {MOST_LISTED} of them listed" if best.trials > MOST_LISTED else ""
    title = f"{count}{listed}; validation accuracy decides, test accuracy is not computed"
    return Group(Text(title), table, *map(Text, tie_lines(best)))


def tie_lines(best: "Tuned") -> list[str]:
    """Return the trials with the best accuracy and the rule that decided between them, none without a tie.

    Args:
        best: The result of a search.

    Returns:
        A sentence, or nothing.
    """
    tied = best.tied
    if len(tied) < 2:
        return []
    chosen, *others = best.ordered[: len(tied)]
    named = ", ".join(str(trial.number) for trial in tied[:MOST_LISTED])
    more = f" and {len(tied) - MOST_LISTED:,} others" if len(tied) > MOST_LISTED else ""
    tie = f"A tie: trials {named}{more} have the best validation accuracy, {percent(best.val)} %"
    scores = [trial.log_likelihood for trial in (chosen, others[0])]
    if scores[0] is None:
        return [f"{tie}; trial {chosen.number} is the first of them."]
    if scores[0] == scores[1]:
        return [f"{tie}; trial {chosen.number} is the first with the highest log-likelihood ({scores[0]:.4g})."]
    second = "" if scores[1] is None else f", next {scores[1]:.4g}"
    return [f"{tie}; trial {chosen.number} has the highest log-likelihood on validation ({scores[0]:.4g}{second})."]


def record(best: "Tuned") -> dict[str, Any]:
    """Return the best trial, the score that decides and all trials, for JSON."""
    history, tied = [trial._asdict() for trial in best.history], [trial.number for trial in best.tied]
    chosen = {"trial": best.ordered[0].number, "tied": tied} if best.history else {}
    return best._asdict() | {"decided_by": "validation accuracy, then log-likelihood", "history": history} | chosen


def _score(trial: "TrialRecord") -> str:
    return percent(trial.val) if trial.val is not None and trial.state == "COMPLETE" else STATES[trial.state]


def _options(trial: "TrialRecord") -> str:
    """Return the options of a trial in a line, which is folded between them only."""
    pairs = ((name.removeprefix("network."), _option(value)) for name, value in trial.options.items())
    return ", ".join("\N{NO-BREAK SPACE}".join(pair) for pair in pairs)


def _option(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
