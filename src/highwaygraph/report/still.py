"""The graph as a still picture, for paper and for where the viewer cannot run."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from highwaygraph.report.facts import Facts
from highwaygraph.report.graph import Drawn
from highwaygraph.report.palette import colours
from highwaygraph.report.themed import new

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
