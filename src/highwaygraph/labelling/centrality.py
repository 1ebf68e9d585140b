"""PageRank: the stationary distribution of a random walk that restarts anywhere (Page et al., 1999)."""

import numpy as np
import torch
from jaxtyping import Float
from scipy.sparse import csr_array
from torch import Tensor

DAMPING = 0.85


# Most iterations, and the change (sum over all nodes) at which they end.
ITERATIONS, TOLERANCE = 100, 1e-9


def pagerank(adjacency: csr_array) -> Float[Tensor, "n"]:
    """Return the PageRank of every node by power iteration; walks restart anywhere from a node without neighbours.

    Args:
        adjacency: The adjacency matrix of an undirected graph.

    Returns:
        Positive numbers that sum to 1.

    Example:
        >>> star = csr_array(np.array([[0, 1, 1], [1, 0, 0], [1, 0, 0]]))
        >>> [round(value, 3) for value in pagerank(star).tolist()]
        [0.486, 0.257, 0.257]
    """
    nodes = adjacency.shape[0]
    degree = np.asarray(adjacency.sum(axis=1), dtype=np.float64)
    share, rank = np.where(degree > 0, 1 / np.maximum(degree, 1), 0.0), np.full(nodes, 1 / nodes)
    for _ in range(ITERATIONS):
        restarts = (1 - DAMPING + DAMPING * rank[degree == 0].sum()) / nodes
        before, rank = rank, restarts + DAMPING * (adjacency @ (rank * share))
        if np.abs(rank - before).sum() < TOLERANCE:
            break
    return torch.from_numpy(rank)


def ranks(scores: Float[Tensor, "n"]) -> Float[Tensor, "n"]:
    """Return the part of all nodes that have a lower score.

    Example:
        >>> ranks(torch.tensor([3.0, 1.0, 2.0, 9.0]))
        tensor([0.5000, 0.0000, 0.2500, 0.7500])
    """
    return scores.argsort(stable=True).argsort().float() / len(scores)
