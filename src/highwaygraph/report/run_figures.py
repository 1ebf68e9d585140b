"""The figures of a run that show nodes as points: the graph, and the embedding of the last layer."""

from typing import Any

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from highwaygraph.report.graph_json import VisibleGraph
from highwaygraph.report.run_data import RunData
from highwaygraph.report.style import colours, new

EDGE, HIGHWAY, RING = "#8b949e", "#e5532d", "#d6336c"


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
    confidence = run.confidence[visible.nodes].numpy()
    axis.scatter(
        positions[:, 0], positions[:, 1], s=(1 + 6 * confidence) / density, c=shade, linewidths=0, rasterized=True
    )
    ringed = positions[run.result.data.train_mask[visible.nodes].numpy()]
    axis.scatter(
        ringed[:, 0], ringed[:, 1], s=26 / density, facecolors="none", edgecolors=RING, linewidths=1, rasterized=True
    )
    return figure
