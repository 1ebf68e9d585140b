"""The figures of a run's page, one function each."""

import math
from itertools import groupby
from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from highwaygraph.report.graph_json import VisibleGraph
from highwaygraph.report.run_data import RunData, Side
from highwaygraph.report.style import BLUE, GREEN, INK, LINE, MUTED, ORANGE, PURPLE, colours, new
from highwaygraph.training.metrics import HopAccuracy

TYPICAL_STYLE, OUR_STYLE = (ORANGE, "s", "--"), (BLUE, "o", "-")


ROUND_COLOURS = (BLUE, GREEN, PURPLE, INK, MUTED)


# Numbers in the cells of a larger matrix are not legible.
MOST_NUMBERED = 12


# The accuracy of a smaller bin is mostly noise.
LEAST_IN_BIN = 5


def hops(run: RunData) -> Figure:
    """Return accuracy by hops to the nearest label, of both trainings, with standard errors."""
    figure = new()
    axis = figure.subplots()
    for offset, side in enumerate(run.sides):
        colour, marker, style = _style(run, side)
        rows = side.hops
        # Shifted, so that the error bars of one training do not hide those of the other.
        at = np.arange(len(rows)) + 0.08 * offset
        means = [100 * row.accuracy for row in rows]
        axis.errorbar(at, means, [_error(r) for r in rows], label=side.name, color=colour, marker=marker,
                      linestyle=style, capsize=2)  # fmt: skip
    axis.set_xticks(range(len(rows)), [f"{'none' if r.hops == 'unreachable' else r.hops}\n{r.nodes:,}" for r in rows])
    axis.set_xlabel("hops to the nearest label of the node's class\n(below: number of nodes)")
    axis.set_ylabel(f"{run.evaluated_on} accuracy (%)")
    axis.legend()
    return figure


def rounds(run: RunData) -> Figure:
    """Return validation accuracy and highways added by round."""
    result, figure = run.result, new(5.2, 3.6)
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    at = range(1, len(result.rounds) + 1)
    above.plot(at, [100 * r.val for r in result.rounds], color=BLUE, marker="o")
    selected = result.best_round
    above.plot([selected], [100 * result.best.val], "o", markersize=13, markerfacecolor="none", markeredgecolor=INK)
    above.annotate("selected", (selected, 100 * result.best.val), (0, -18), textcoords="offset points", ha="center")
    above.set_ylabel("validation (%)")
    above.margins(y=0.35)
    added = [r.edges_added for r in result.rounds]
    below.bar(at, added, color=BLUE, alpha=0.5, width=0.5)
    for place, each in zip(at, result.rounds, strict=True):
        known = not math.isnan(each.edge_precision)
        precision = f"\nprecision {100 * each.edge_precision:.0f} %" if known else ""
        text, top = f"{each.edges_added:,}{precision}", (place, each.edges_added)
        below.annotate(text, top, (0, 2), textcoords="offset points", ha="center", fontsize=8)
    below.set_ylim(0, max([*added, 1]) * 1.6)
    below.yaxis.set_major_locator(MaxNLocator(3))
    below.yaxis.set_major_formatter("{x:,.0f}")
    below.set_ylabel("highways")
    below.set_xlabel("round")
    below.set_xticks(list(at))
    below.set_xlim(0.4, len(result.rounds) + 0.6)
    return figure


def curves(run: RunData) -> Figure:
    """Return the learning curves: validation accuracy and training loss by epoch, one line per round."""
    figure = new(5.2, 4.4)
    above, below = figure.subplots(2, 1, sharex=True)
    lines = [(f"round {number}", list(own), ROUND_COLOURS[(number - 1) % len(ROUND_COLOURS)], "-")
             for number, own in groupby(run.ours.history, lambda e: e.round)]  # fmt: skip
    if run.typical:
        lines.insert(0, ("typical training", list(run.typical.history), ORANGE, "--"))
    for label, epochs, colour, style in lines:
        for axis, values in ((above, [100 * e.val for e in epochs]), (below, [e.loss for e in epochs])):
            axis.plot([e.epoch for e in epochs], values, label=label, color=colour, linestyle=style, linewidth=1.4)
    above.set_ylabel("validation accuracy (%)")
    below.set_ylabel("training loss")
    below.set_xlabel("epoch")
    below.xaxis.set_major_locator(MaxNLocator(integer=True))
    above.legend(ncols=2)
    return figure


def confusion(run: RunData) -> Figure:
    """Return the confusion matrix of HighwayGraph, shaded by the share of the true class."""
    counts = run.ours.confusion.numpy()
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    size, names = len(counts), [_short(name) for name in run.classes]
    figure = new(5.2, 4.8)
    axis = figure.subplots()
    axis.grid(visible=False)
    for row, column in np.argwhere(counts > 0).tolist():
        axis.add_patch(_square(row, column, float(shares[row, column]), BLUE if row == column else ORANGE))
        if size <= MOST_NUMBERED:
            axis.text(column, row, f"{counts[row, column]:,}", ha="center", va="center", fontsize=8)
    axis.set_xlim(-0.5, size - 0.5)
    axis.set_ylim(size - 0.5, -0.5)
    axis.set_aspect("equal")
    if size <= 2 * MOST_NUMBERED:
        axis.set_xticks(range(size), names, rotation=40, ha="right", fontsize=8)
        axis.set_yticks(range(size), names, fontsize=8)
    axis.set_xlabel("predicted class")
    axis.set_ylabel("true class")
    return figure


def reliability(run: RunData) -> Figure:
    """Return the reliability diagram: accuracy of predictions binned by confidence."""
    figure = new(5.2, 3.6)
    axis = figure.subplots()
    axis.plot([0, 100], [0, 100], color=MUTED, linewidth=1, linestyle=":")
    for side in run.sides:
        colour, marker, style = _style(run, side)
        bins = [b for b in side.bins if b.nodes >= LEAST_IN_BIN]
        label = f"{side.name}, calibration error {100 * side.calibration_error:.1f}"
        axis.plot([100 * b.confidence for b in bins], [100 * b.accuracy for b in bins], color=colour, marker=marker,
                  linestyle=style, label=label)  # fmt: skip
    axis.set_xlim(0, 100)
    axis.set_ylim(0, 102)
    axis.set_xlabel("confidence (%)")
    axis.set_ylabel("accuracy (%)")
    axis.legend(loc="lower right")
    return figure


def embedding(positions: Any, classes: Any, colours: list[str]) -> Figure:
    """Return a scatter plot of nodes, coloured by true class; grey where it is unknown."""
    figure = new(3.6, 3.6)
    axis = figure.subplots()
    axis.set_axis_off()
    shade = np.array([*colours, "#9aa6b2"])[np.asarray(classes)]
    # Rasterised: thousands of markers as vectors take a megabyte.
    x, y = np.asarray(positions).T
    axis.scatter(x, y, s=3, c=shade, linewidths=0, rasterized=True)
    return figure


def _style(run: RunData, side: Side) -> tuple[str, str, str]:
    return TYPICAL_STYLE if side is run.typical else OUR_STYLE


def _square(row: int, column: int, share: float, colour: str) -> Rectangle:
    # At most half opaque, so that the number stays legible in light and dark.
    corner = (column - 0.5, row - 0.5)
    return Rectangle(corner, 1, 1, facecolor=colour, alpha=0.05 + 0.45 * share, edgecolor=LINE, linewidth=0)


def _short(name: str) -> str:
    return name if len(name) <= 18 else name[:17] + "…"


def _error(row: HopAccuracy) -> float:
    return 100 * (row.accuracy * (1 - row.accuracy) / row.nodes) ** 0.5 if row.nodes else 0.0


EDGE, HIGHWAY, RING = "#8b949e", "#e5532d", "#d6336c"


def static_graph(run: RunData, visible: VisibleGraph) -> Figure:
    """Return the graph: nodes coloured by predicted class, training nodes ringed, highways bright."""
    figure = new(7.2, 5.2)
    axis = figure.subplots()
    axis.set_axis_off()
    axis.set_aspect("equal")
    positions, density = visible.positions, max(1.0, (len(visible.nodes) / 2500) ** 0.5)
    for edges, colour, width, alpha in (
        (visible.edges, EDGE, 0.35, 0.35),
        (visible.highway_edges, HIGHWAY, 0.35, 0.25),
    ):
        lines = LineCollection(list(positions[edges.T.numpy()]), colors=colour, linewidths=width / density, alpha=alpha)
        lines.set_rasterized(True)
        axis.add_collection(lines)
    shade = np.array(colours(len(run.classes)))[run.ours.predicted[visible.nodes].numpy()]
    confidence = run.ours.confidence[visible.nodes].numpy()
    axis.scatter(
        positions[:, 0], positions[:, 1], s=(1 + 6 * confidence) / density, c=shade, linewidths=0, rasterized=True
    )
    ringed = positions[run.result.data.train_mask[visible.nodes].numpy()]
    axis.scatter(
        ringed[:, 0], ringed[:, 1], s=26 / density, facecolors="none", edgecolors=RING, linewidths=1, rasterized=True
    )
    return figure
