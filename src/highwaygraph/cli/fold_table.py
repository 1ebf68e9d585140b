"""Renderables of the scores by folds of a model that was trained on all labels."""

import math
from typing import TYPE_CHECKING

from rich.console import Group, RenderableType
from rich.text import Text

from highwaygraph.cli.folding_table import FoldingTable
from highwaygraph.cli.render import percent

if TYPE_CHECKING:
    from highwaygraph.runs.folds import OutOfFold


def folds_table(folds: "OutOfFold") -> RenderableType:
    """Return one line per fold, and the mean accuracy with its interval.

    Args:
        folds: The out-of-fold predictions of a run.

    Returns:
        The table, and the sentences on the source of the scores.
    """
    table = FoldingTable("Fold", "Nodes", "Typical %", "Accuracy %", "Round", "Epochs")
    for one in folds.folds:
        epochs = " ".join(map(str, one.epochs[: one.best_round]))
        scores = percent(one.typical), percent(one.accuracy)
        table.add_row(str(one.number), f"{one.nodes:,}", *scores, str(one.best_round), epochs)
    low, high = folds.interval
    typical = "" if math.isnan(folds.typical_accuracy) else f"; typical training {percent(folds.typical_accuracy)} %"
    mean = f"Accuracy by folds: {percent(folds.accuracy)} % (95 % interval {percent(low)} to {percent(high)}){typical}."
    more = f"The saved model was then trained on all {len(folds.nodes):,} labels, without validation nodes."
    return Group(table, Text(mean), Text(f"{more}\n"))
