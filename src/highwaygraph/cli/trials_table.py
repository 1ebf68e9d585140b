"""Renderables of the trials of a search."""

from typing import TYPE_CHECKING, Any

from rich.console import Group, RenderableType
from rich.text import Text

from highwaygraph.cli.folding_table import FoldingTable
from highwaygraph.cli.render import percent

if TYPE_CHECKING:
    from highwaygraph.study.tune import Tuned

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
    ordered = sorted(best.history, key=lambda trial: (trial.state != "COMPLETE", -(trial.val or 0.0), trial.number))
    names = list(dict.fromkeys(name for trial in ordered for name in trial.options))
    table = FoldingTable("Trial", "Validation %", *(name.removeprefix("network.") for name in names))
    for place, trial in enumerate(ordered[:MOST_LISTED]):
        score = percent(trial.val) if trial.val is not None and trial.state == "COMPLETE" else STATES[trial.state]
        cells = [_option(trial.options.get(name, "")) for name in names]
        table.add_row(f"{trial.number}\N{NO-BREAK SPACE}<" if place == 0 else str(trial.number), score, *cells)
    count = "1 trial" if best.trials == 1 else f"{best.trials:,} trials"
    listed = f", the best {MOST_LISTED} of them listed" if best.trials > MOST_LISTED else ""
    return Group(Text(f"{count}{listed}; validation accuracy decides, test accuracy is not computed"), table)


def record(best: "Tuned") -> dict[str, Any]:
    """Return the best trial, the score that decides and all trials, for JSON."""
    history = [trial._asdict() for trial in best.history]
    return best._asdict() | {"decided_by": "validation accuracy", "history": history}


def _option(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
