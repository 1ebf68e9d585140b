"""The figures of a run, each a function from facts to a matplotlib figure."""

from itertools import groupby
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from highwaygraph.report.graph_json import Drawn
from highwaygraph.report.run_data import Facts
from highwaygraph.report.style import BLUE, GREEN, INK, LINE, MUTED, ORANGE, PURPLE, colours, new
from highwaygraph.training.metrics import HopAccuracy

LOOKS = {"typical training": (ORANGE, "s", "--"), "HighwayGraph": (BLUE, "o", "-")}


ROUNDS = (BLUE, GREEN, PURPLE, INK, MUTED)


# Numbers in the cells of a larger matrix could not be read.
NUMBERED = 12


# A group of fewer nodes says nothing about confidence.
FEW = 5


def hops(facts: Facts) -> Figure:
    """Draw accuracy by distance from the labels, both sides with their standard error."""
    figure = new()
    axis = figure.subplots()
    for offset, side in enumerate(facts.sides):
        colour, marker, style = LOOKS[side.name]
        rows = side.hops
        # A little beside each other, or the bars of one side would hide the other's.
        at = np.arange(len(rows)) + 0.08 * offset
        means = [100 * row.accuracy for row in rows]
        axis.errorbar(at, means, [_error(r) for r in rows], label=side.name, color=colour, marker=marker,
                      linestyle=style, capsize=2)  # fmt: skip
    axis.set_xticks(range(len(rows)), [f"{'none' if r.hops == 'unreachable' else r.hops}\n{r.nodes:,}" for r in rows])
    axis.set_xlabel("hops to the nearest label of the node's class\n(below: number of nodes)")
    axis.set_ylabel(f"{facts.judged_on} accuracy (%)")
    axis.legend()
    return figure


def rounds(facts: Facts) -> Figure:
    """Draw the rounds in order: validation, and the highways that each added."""
    result, figure = facts.result, new(5.2, 3.6)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    at = range(1, len(result.rounds) + 1)
    above.plot(at, [100 * r.val for r in result.rounds], color=BLUE, marker="o")
    answer = result.best_round
    above.plot([answer], [100 * result.val], "o", markersize=13, markerfacecolor="none", markeredgecolor=INK)
    above.annotate("the answer", (answer, 100 * result.val), (0, -18), textcoords="offset points", ha="center")
    above.set_ylabel("validation (%)")
    above.margins(y=0.35)
    added = [r.edges_added for r in result.rounds]
    below.bar(at, added, color=BLUE, alpha=0.5, width=0.5)
    for place, each in zip(at, result.rounds, strict=True):
        right = f"\n{100 * each.edge_precision:.0f} % right" if each.edge_precision == each.edge_precision else ""
        below.annotate(f"{each.edges_added:,}{right}", (place, each.edges_added), (0, 2), textcoords="offset points",
                       ha="center", fontsize=8)  # fmt: skip
    below.set_ylim(0, max([*added, 1]) * 1.6)
    below.yaxis.set_major_locator(MaxNLocator(3))
    below.yaxis.set_major_formatter("{x:,.0f}")
    below.set_ylabel("highways")
    below.set_xlabel("round")
    below.set_xticks(list(at))
    below.set_xlim(0.4, len(result.rounds) + 0.6)
    return figure


def curves(facts: Facts) -> Figure:
    """Draw validation accuracy and training loss by epoch, a line per round."""
    figure = new(5.2, 4.4)
    above, below = figure.subplots(2, 1, sharex=True)
    lines = [(f"round {number}", list(own), ROUNDS[(number - 1) % len(ROUNDS)], "-")
             for number, own in groupby(facts.ours.history, lambda e: e.round)]  # fmt: skip
    if facts.typical:
        lines.insert(0, ("typical training", list(facts.typical.history), ORANGE, "--"))
    for label, epochs, colour, style in lines:
        for axis, values in ((above, [100 * e.val for e in epochs]), (below, [e.loss for e in epochs])):
            axis.plot([e.epoch for e in epochs], values, label=label, color=colour, linestyle=style, linewidth=1.4)
    above.set_ylabel("validation accuracy (%)")
    below.set_ylabel("training loss")
    below.set_xlabel("epoch")
    below.xaxis.set_major_locator(MaxNLocator(integer=True))
    above.legend(ncols=2)
    return figure


def confusion(facts: Facts) -> Figure:
    """Draw which class HighwayGraph puts the nodes of each true class in, as shares of the true class."""
    counts = facts.ours.confusion.numpy()
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    size, names = len(counts), [_short(name) for name in facts.classes]
    figure = new(5.2, 4.8)
    axis = figure.subplots()
    axis.grid(visible=False)
    for row, column in np.argwhere(counts > 0).tolist():
        axis.add_patch(_square(row, column, float(shares[row, column]), BLUE if row == column else ORANGE))
        if size <= NUMBERED:
            axis.text(column, row, f"{counts[row, column]:,}", ha="center", va="center", fontsize=8)
    axis.set_xlim(-0.5, size - 0.5)
    axis.set_ylim(size - 0.5, -0.5)
    axis.set_aspect("equal")
    if size <= 2 * NUMBERED:
        axis.set_xticks(range(size), names, rotation=40, ha="right", fontsize=8)
        axis.set_yticks(range(size), names, fontsize=8)
    axis.set_xlabel("predicted class")
    axis.set_ylabel("true class")
    return figure


def reliability(facts: Facts) -> Figure:
    """Draw how often a prediction is right beside how sure it was."""
    figure = new(5.2, 3.6)
    axis = figure.subplots()
    axis.plot([0, 100], [0, 100], color=MUTED, linewidth=1, linestyle=":")
    for side in facts.sides:
        colour, marker, style = LOOKS[side.name]
        bins = [b for b in side.bins if b.nodes >= FEW]
        label = f"{side.name}, off by {100 * side.calibration_error:.1f} points"
        axis.plot([100 * b.confidence for b in bins], [100 * b.accuracy for b in bins], color=colour, marker=marker,
                  linestyle=style, label=label)  # fmt: skip
    axis.set_xlim(0, 100)
    axis.set_ylim(0, 102)
    axis.set_xlabel("confidence (%)")
    axis.set_ylabel("of these right (%)")
    axis.legend(loc="lower right")
    return figure


def embedding(places: Any, classes: Any, colours: list[str]) -> Figure:
    """Draw nodes in two dimensions, coloured by true class; grey where it is not known."""
    figure = new(3.6, 3.6)
    axis = figure.subplots()
    axis.set_axis_off()
    shade = np.array([*colours, "#9aa6b2"])[np.asarray(classes)]
    # As pixels: thousands of dots as vectors are a megabyte.
    x, y = np.asarray(places).T
    axis.scatter(x, y, s=3, c=shade, linewidths=0, rasterized=True)
    return figure


def _square(row: int, column: int, share: float, colour: str) -> Rectangle:
    # At most half covered, so that the number stays legible in light and dark.
    place = (column - 0.5, row - 0.5)
    return Rectangle(place, 1, 1, facecolor=colour, alpha=0.05 + 0.45 * share, edgecolor=LINE, linewidth=0)


def _short(name: str) -> str:
    return name if len(name) <= 18 else name[:17] + "…"


def _error(row: HopAccuracy) -> float:
    return 100 * (row.accuracy * (1 - row.accuracy) / row.nodes) ** 0.5 if row.nodes else 0.0


EDGE, HIGHWAY, RING = "#8b949e", "#e5532d", "#d6336c"


def still(facts: Facts, drawn: Drawn) -> Figure:
    """Draw nodes by predicted class, labelled ones ringed, original edges faint and highways bright."""
    figure = new(7.2, 5.2)
    axis = figure.subplots()
    axis.set_axis_off()
    axis.set_aspect("equal")
    places, crowd = drawn.places, max(1.0, (len(drawn.nodes) / 2500) ** 0.5)
    for edges, colour, width, alpha in ((drawn.edges, EDGE, 0.35, 0.35), (drawn.ends, HIGHWAY, 0.35, 0.25)):
        lines = LineCollection(list(places[edges.T.numpy()]), colors=colour, linewidths=width / crowd, alpha=alpha)
        lines.set_rasterized(True)
        axis.add_collection(lines)
    shade = np.array(colours(len(facts.classes)))[facts.ours.predicted[drawn.nodes].numpy()]
    sure = facts.ours.confidence[drawn.nodes].numpy()
    axis.scatter(places[:, 0], places[:, 1], s=(1 + 6 * sure) / crowd, c=shade, linewidths=0, rasterized=True)
    known = facts.result.data.train_mask[drawn.nodes].numpy()
    ringed = places[known]
    axis.scatter(
        ringed[:, 0], ringed[:, 1], s=26 / crowd, facecolors="none", edgecolors=RING, linewidths=1, rasterized=True
    )
    return figure
