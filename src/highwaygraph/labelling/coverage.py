"""Greedy maximisation of influence coverage and feature diversity, after Grain (Zhang et al., VLDB 2021)."""

from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.sparse import csc_array, csr_array, diags_array, eye_array, hstack
from torch import Tensor

from highwaygraph.labelling.clustering import nearest, squared_distances

# Influence from which a node counts as covered: the part of its two-step random walk that ends at the chosen node.
THRESHOLD = 0.05


# Candidates and reference nodes of the greedy search; of larger graphs, the most central ones and a random sample.
CANDIDATES, REFERENCES = 4096, 2048


# Columns of the influence matrix that are computed at once.
CHUNK_COLUMNS = 256


class Points(NamedTuple):
    """Nodes in feature space, whose distances measure diversity."""

    references: Float[Tensor, "r d"]
    """Nodes that are to be near to a chosen one."""
    candidates: Float[Tensor, "k d"]
    labelled: Float[Tensor, "l d"]


def influence(adjacency: csr_array, nodes: Int[Tensor, "k"], threshold: float = THRESHOLD) -> csc_array:
    """Return which nodes each of the given nodes covers, a column per given node.

    Node i covers node j where a two-step random walk from j, with self-loops, ends at i with at least the threshold's
    probability.

    Args:
        adjacency: The adjacency matrix of an undirected graph.
        nodes: The columns to compute.
        threshold: The least probability.

    Returns:
        A sparse matrix of ones; memory is O(nodes / threshold).
    """
    loops = adjacency + eye_array(adjacency.shape[0])
    walk = csr_array(diags_array(1 / loops.sum(axis=1)) @ loops)
    columns, parts = walk.tocsc(), []
    for some in nodes.split(CHUNK_COLUMNS):
        part = csc_array(walk @ columns[:, some.numpy()])
        part.data = (part.data >= threshold).astype(np.float32)
        part.eliminate_zeros()
        parts.append(part)
    return csc_array(hstack(parts, format="csc"))


def greedy_coverage(
    covers: csc_array,
    labelled: csc_array,
    points: Points,
    count: int,
    diversity: float = 1.0,
) -> tuple[Int[Tensor, "c"], Float[Tensor, "c"]]:
    """Return candidates that greedily maximise covered nodes plus diversity, and the gain of each.

    The gain of a candidate is the share of all nodes that it newly covers, plus `diversity` times the mean decrease of
    the reference points' distances to the nearest chosen one, relative to the largest distance. Both are submodular:
    greedy search reaches at least 1 - 1/e of the optimum.

    Args:
        covers: Column k has a one for every node that candidate k covers.
        labelled: The same for labelled nodes, which are chosen already.
        points: The nodes in feature space.
        count: Number of candidates to choose, at most as many as there are.
        diversity: Weight of the second part.

    Returns:
        Positions among the candidates in the order chosen, and their gains.
    """
    uncovered = (np.asarray(labelled.sum(axis=1)) == 0).astype(np.float64)
    between = squared_distances(points.references, points.candidates).sqrt()
    largest = between.max().clamp(min=1e-12)
    distance = nearest(points.references, points.labelled)[0].sqrt().clamp(max=float(largest))
    by_candidate, chosen, gains = csr_array(covers.T), [], []
    taken = torch.zeros(len(points.candidates), dtype=torch.bool)
    for _ in range(count):
        new = torch.from_numpy(by_candidate @ uncovered) / len(uncovered)
        closer = (distance[:, None] - between).clamp_(min=0).mean(dim=0) / largest
        gain = torch.where(taken, -torch.inf, new + diversity * closer)
        chosen.append(int(gain.argmax()))
        gains.append(float(gain[chosen[-1]]))
        taken[chosen[-1]] = True
        uncovered[_column(covers, chosen[-1])] = 0
        distance = torch.minimum(distance, between[:, chosen[-1]])
    return torch.tensor(chosen), torch.tensor(gains)


def _column(matrix: csc_array, number: int) -> NDArray[np.integer[Any]]:
    rows: NDArray[np.integer[Any]] = matrix.indices[matrix.indptr[number] : matrix.indptr[number + 1]]
    return rows
