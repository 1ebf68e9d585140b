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
    mean = f"{percent(folds.accuracy)} % (95 % interval {percent(low)} to {percent(high)})"
    lines = [Text(f"Mean accuracy of the folds: {mean}{_typical(folds.typical_accuracy)}.")]
    share, typical = pooled(folds)
    # Folds of different sizes count alike in their mean, and so two numbers of one table would seem to disagree.
    if (percent(share), percent(typical)) != (percent(folds.accuracy), percent(folds.typical_accuracy)):
        all_nodes = f"Accuracy of all {len(folds.nodes):,} held-out nodes, as in the tables below: {percent(share)} %"
        lines.append(Text(f"{all_nodes}{_typical(typical)}."))
    more = f"The saved model was then trained on all {len(folds.nodes):,} labels, without validation nodes."
    return Group(table, *lines, Text(f"{more}\n"))


def pooled(folds: "OutOfFold") -> tuple[float, float]:
    """Return the accuracy of all held-out nodes together, and that of typical training, NaN where it was not run."""
    found = [folds.logits, folds.typical]
    shares = [math.nan if one is None else float((one.argmax(dim=1) == folds.labels).double().mean()) for one in found]
    return shares[0], shares[1]


def _typical(share: float) -> str:
    return "" if math.isnan(share) else f"; typical training {percent(share)} %"
