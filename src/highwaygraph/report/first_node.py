"""The node that the viewer selects first, with its exact shortest paths to a label."""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from highwaygraph.explanation.nearest_label import LabelSearch
from highwaygraph.graph.csr import CSR, undirected_csr
from highwaygraph.report.run_data import RunData

# Hops and confidence of the node whose story the viewer begins with.
LONGEST_STORY, LEAST_CONFIDENCE = 5, 0.6


class FirstPaths(NamedTuple):
    """Nodes of the shortest paths to the nearest label of the predicted class, with both ends; empty without one."""

    original: tuple[int, ...]
    augmented: tuple[int, ...]
    """With highways."""


def first_node(run: RunData, listed: Sequence[int] = ()) -> int | None:
    """Return the node that the viewer selects first.

    Args:
        run: The run.
        listed: Nodes that the page lists, the most important first.

    Returns:
        A rescued node far from the labels of its class, else such a lost one, else the first listed node that is not
        trained on, which has a path to a label; None where no node is listed either.
    """
    if run.typical is not None:
        labels = run.result.data.y
        right, before = (run.ours.evaluated & (one.predicted == labels) for one in (run.ours, run.typical))
        for changed in (right & ~before, before & ~right):
            if changed.any():
                return _clearest(run, changed.nonzero().flatten())
    trained = run.result.data.train_mask
    return next((node for node in listed if not trained[node]), next(iter(listed), None))


def first_paths(run: RunData, node: int) -> FirstPaths:
    """Return the shortest paths of a node, those of `highway explain` where they lead to its predicted class.

    A node that a fold held out has paths to labels of other folds, without the highways of the model of all labels.

    Args:
        run: The run.
        node: The node.

    Returns:
        The paths on the original graph and on the graph with highways.
    """
    data, highways = run.result.data, run.result.highways
    parts = [undirected_csr(data.edge_index, data.num_nodes)]
    original = _path(run, parts, node)
    if not highways.size(1) or run.held_out_by[node] >= 0:
        return FirstPaths(original, original)
    return FirstPaths(original, _path(run, [*parts, undirected_csr(highways, data.num_nodes)], node))


def _clearest(run: RunData, nodes: Tensor) -> int:
    ends = torch.bincount(run.result.highways.flatten(), minlength=run.result.data.num_nodes)
    hops, confidence = run.ours.hop_distance[nodes], run.confidence[nodes]
    # A longer path explains no more, and a node that ends a highway shows how it was shortened.
    score = 2 * (ends[nodes] > 0) + (confidence >= LEAST_CONFIDENCE)
    score = score + hops.clamp(min=0, max=LONGEST_STORY) / LONGEST_STORY
    return int(nodes[(score + 0.1 * confidence).argmax()])


def _path(run: RunData, parts: list[CSR], node: int) -> tuple[int, ...]:
    data, predicted, fold = run.result.data, run.ours.predicted[node], run.held_out_by[node]
    labelled = data.train_mask if fold < 0 else data.train_mask & (run.held_out_by != fold)
    found = LabelSearch(parts, labelled.nonzero().flatten()).nearest(node).nodes
    # Of several labels at one distance, the command names any.
    if found and data.y[found[-1]] == predicted:
        return found
    return LabelSearch(parts, (labelled & (data.y == predicted)).nonzero().flatten()).nearest(node).nodes
