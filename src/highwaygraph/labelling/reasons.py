"""Reasons of suggestions in plain words; their counts are those of a breadth-first search."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int
from scipy.sparse import csr_array
from torch import Tensor

from highwaygraph.graph.bfs import UNREACHABLE

# Hops that a label reaches in the usual two-layer networks.
REACH = 2


# Probability of the predicted class below which a prediction counts as uncertain.
UNCERTAIN = 0.5


class Facts(NamedTuple):
    """All that is known about one suggestion."""

    own: str
    """Why its strategy chose it; empty where the other facts are the reason."""
    covered: int
    hops: int | None
    """Hops to the nearest label, UNREACHABLE where no path leads to one; None without any label."""
    predicted: str = ""
    confidence: float = 1.0
    other: str = ""
    """Class that typical training predicts; empty where the run has none."""


def newly_covered(
    adjacency: csr_array, hops: Int[Tensor, "n"] | None, nodes: Sequence[int], reach: int = REACH
) -> list[int]:
    """Return how many nodes each suggestion covers: within reach, and beyond that of every label and suggestion before.

    Args:
        adjacency: The adjacency matrix with both directions of every edge.
        hops: Hops of every node to the nearest label; None without any label.
        nodes: The suggestions in order.
        reach: Hops that a label reaches.

    Returns:
        A number per suggestion; the suggestion itself counts.

    Example:
        >>> path = csr_array(np.diag(np.ones(5), 1) + np.diag(np.ones(5), -1))
        >>> newly_covered(path, None, [1, 2])
        [4, 1]
    """
    covered = torch.zeros(adjacency.shape[0], dtype=torch.bool)
    if hops is not None:
        covered = (hops != UNREACHABLE) & (hops <= reach)
    counts = []
    for node in nodes:
        around = _neighborhood(adjacency, node, reach)
        counts.append(int((~covered[around]).sum()))
        covered[around] = True
    return counts


def reason(facts: Facts) -> str:
    """Return the reasons for a suggestion, the most important first.

    Args:
        facts: The facts about the suggestion.

    Returns:
        Phrases that are separated by semicolons.

    Example:
        >>> reason(Facts("168 neighbours", covered=1, hops=7))
        '168 neighbours; 7 hops from the nearest label'
    """
    parts = [facts.own, _disagreement(facts), _coverage(facts), _distance(facts)]
    return "; ".join(part for part in parts if part) or "not labelled yet"


def count_nodes(count: int, about: str = "") -> str:
    """Return a number of nodes in words.

    Example:
        >>> count_nodes(1), count_nodes(1500, "about ")
        ('1 node', 'about 1,500 nodes')
    """
    return f"{about}{count:,} node{'' if count == 1 else 's'}"


def _neighborhood(adjacency: csr_array, node: int, reach: int) -> Int[Tensor, "k"]:
    """Return the nodes within so many hops of a node, itself included."""
    found = np.array([node])
    for _ in range(reach):
        found = np.union1d(found, adjacency[found].indices)
    return torch.from_numpy(found.astype(np.int64))


def _disagreement(facts: Facts) -> str:
    if facts.other and facts.other != facts.predicted:
        return f"typical training predicts {facts.other}, the selected model {facts.predicted}"
    if facts.predicted and facts.confidence < UNCERTAIN:
        return f"the predicted class {facts.predicted} has a probability of {100 * facts.confidence:.0f} % only"
    return ""


def _coverage(facts: Facts) -> str:
    if facts.covered < 2:
        return ""
    if facts.hops is None:
        return f"covers {facts.covered:,} more nodes within {REACH} hops"
    return f"covers {facts.covered:,} nodes that are more than {REACH} hops from every label and suggestion above"


def _distance(facts: Facts) -> str:
    if facts.hops is None or 0 <= facts.hops <= REACH:
        return ""
    return "no path leads to a label" if facts.hops == UNREACHABLE else f"{facts.hops} hops from the nearest label"
