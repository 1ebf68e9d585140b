"""The network's part of an explanation: messages, labels and features of one node."""

from typing import NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.explanation.gradients import Classes, Gradients, margin_gradients
from highwaygraph.explanation.label_influence import TrainingLabels, label_effects
from highwaygraph.explanation.network import NetworkView, receptive_field
from highwaygraph.explanation.receptive_field import Field
from highwaygraph.explanation.removal import logits_without_columns, logits_without_nodes

# Nodes and features whose removal is computed: those with the largest gradient times input, and labelled nodes.
MOST_NODES, MOST_LABELLED, MOST_COLUMNS = 24, 8, 24


# Score of a neighbour without features, below that of any other node.
TINY = 1e-12


class Effects(NamedTuple):
    """Effects on the network's margin, the largest first."""

    places: Int[Tensor, "k"]
    """Nodes of the receptive field by position, columns, or labels by position."""
    values: Float[Tensor, "k"]
    decides: Bool[Tensor, "k"]
    """Whether the margin is below 0 without it, where it is above 0 with it."""


class NetworkEffects(NamedTuple):
    """All effects on one node's margin."""

    field: Field
    margin: float
    """The network's margin on the receptive field."""
    messages: Effects
    columns: Effects
    labels: Float[Tensor, "m"]
    """Effect of every training label."""


def network_effects(view: NetworkView, labels: TrainingLabels, node: int, classes: Classes) -> NetworkEffects:
    """Return the effects of messages, features and labels on the network's margin of a node.

    Args:
        view: The network.
        labels: The training labels.
        node: The node.
        classes: The classes of the margin.

    Returns:
        Removal is exact for the nodes and features that are tried; gradients choose these.
    """
    field = receptive_field(view, node)
    gradients = margin_gradients(view, field, classes)
    return NetworkEffects(
        field,
        gradients.margin,
        _messages(view, field, gradients, classes),
        _columns(view, field, gradients, classes),
        label_effects(view.model, labels, gradients.weights, view.fit.weight_decay),
    )


def _messages(view: NetworkView, field: Field, gradients: Gradients, classes: Classes) -> Effects:
    tried = message_candidates(gradients.nodes, view.graph.train_mask[field.nodes], field.hops)
    margins = classes.margin(logits_without_nodes(view, field, tried))
    return _sorted(tried, gradients.margin, margins)


def message_candidates(
    scores: Float[Tensor, "m"], labelled: Bool[Tensor, "m"], hops: Int[Tensor, "m"]
) -> Int[Tensor, "k"]:
    """Return the nodes whose removal is computed: those with the largest scores, and the first labelled ones.

    Args:
        scores: Gradient times input of every node.
        labelled: Which nodes are training nodes.
        hops: Hops from the explained node, which cannot be removed.

    Returns:
        Positions, each once. A node without a score is tried if it is a neighbour: its removal changes degrees.

    Example:
        >>> scores, hops = torch.tensor([9.0, 0.0, -2.0, 0.0]), torch.tensor([0, 1, 2, 2])
        >>> message_candidates(scores, torch.tensor([False, False, True, False]), hops)
        tensor([1, 2])
    """
    size = (scores.abs() + TINY * (hops == 1)) * (hops != 0)
    first = size.topk(min(MOST_NODES, len(size))).indices
    among = size.where(labelled, 0.0).topk(min(MOST_LABELLED, len(size))).indices
    both = torch.cat([first, among]).unique()
    chosen: Tensor = both[size[both] > 0]
    return chosen


def _columns(view: NetworkView, field: Field, gradients: Gradients, classes: Classes) -> Effects:
    size = gradients.columns.abs()
    tried = size.topk(min(MOST_COLUMNS, len(size))).indices
    tried = tried[size[tried] > 0]
    return _sorted(tried, gradients.margin, classes.margin(logits_without_columns(view, field, tried)))


def _sorted(tried: Tensor, margin: float, without: Tensor) -> Effects:
    values = margin - without
    order = values.abs().argsort(descending=True, stable=True)
    decides = (without < 0) if margin > 0 else torch.zeros_like(without, dtype=torch.bool)
    return Effects(tried[order], values[order], decides[order])
