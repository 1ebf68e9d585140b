"""The highways at a node, with the reason for each: prediction, confidence, similarity and shared features."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from highwaygraph.nn.shared_features import SharedFeatures, shared_features
from highwaygraph.runs.history import HighwayTable

# Highways that are listed per node.
MOST_HIGHWAYS = 10


# Highways of a node, by pair score, whose ends are compared.
MOST_COMPARED = 256


class NodeHighways(NamedTuple):
    """The highways at a node by pair score, and where these are equal by similarity."""

    total: int
    """All highways at the node."""
    places: Int[Tensor, "h"]
    """Places of the listed ones in the table."""
    others: Int[Tensor, "h"]
    """Their other ends."""
    shared: SharedFeatures


def node_highways(table: HighwayTable, node: int, features: Callable[[Tensor], Tensor]) -> NodeHighways:
    """Return the highways at a node.

    Args:
        table: The highways of a run.
        node: The node.
        features: Returns the scaled features of some nodes.

    Returns:
        At most MOST_HIGHWAYS of them, and the number of all.
    """
    source, target = table.edges
    places = ((source == node) | (target == node)).nonzero().flatten()
    chosen = places[table.pair_score[places].argsort(descending=True, stable=True)[:MOST_COMPARED]]
    others = torch.where(source[chosen] == node, target[chosen], source[chosen])
    x = features(torch.cat([torch.tensor([node]), others]))
    edges = torch.stack([torch.zeros(len(others), dtype=torch.long), torch.arange(1, len(others) + 1)])
    shared = shared_features(x, edges)
    # Most pair scores are close to 1: the similarity decides between those that are equal as a percentage.
    order = shared.similarity.argsort(descending=True, stable=True)
    rounded = (100 * table.pair_score[chosen]).round()
    order = order[rounded[order].argsort(descending=True, stable=True)][:MOST_HIGHWAYS]
    listed = SharedFeatures(shared.similarity[order], shared.columns[order])
    return NodeHighways(len(places), chosen[order], others[order], listed)
