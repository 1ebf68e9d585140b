"""The overview of a graph that is too large for the viewer: density images of all nodes."""

from typing import NamedTuple

import torch

from highwaygraph.graph.augment import undirected_edges
from highwaygraph.report import graph_json
from highwaygraph.report.overview_image import changed_image, class_image
from highwaygraph.report.overview_layout import overview_positions
from highwaygraph.report.run_data import RunData
from highwaygraph.report.style import colours


class Overview(NamedTuple):
    """Two images of all nodes, as URLs."""

    classes: str
    """Nodes coloured by predicted class."""
    changed: str | None
    """Nodes coloured by the share whose prediction is not that of typical training; None where it was not run."""
    changed_note: str
    """Number of these nodes."""


def overview(run: RunData) -> Overview | None:
    """Return images of all nodes where the viewer shows a sample of them.

    Args:
        run: The run.

    Returns:
        The images, None where the viewer shows every node.
    """
    data = run.result.data
    if data.num_nodes <= graph_json.MOST_NODES:
        return None
    edges = undirected_edges(data.edge_index, data.num_nodes).numpy()
    predicted = run.ours.predicted.numpy()
    start = graph_json.initial_positions(run, torch.arange(data.num_nodes))
    positions = overview_positions(edges, predicted, start)
    classes = class_image(positions, predicted, colours(len(run.classes)))
    if run.typical is None:
        return Overview(classes, None, "")
    changed = run.typical.predicted.numpy() != predicted
    note = f"{int(changed.sum()):,} of {len(changed):,} nodes ({100 * float(changed.mean()):.1f} %)"
    return Overview(classes, changed_image(positions, changed), note)
