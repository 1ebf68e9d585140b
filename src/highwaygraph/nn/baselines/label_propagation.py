"""Label propagation: the graph alone (Zhou et al., 2004)."""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

Matrix = NDArray[np.float64]

# Weights of the neighbours against the node's own label that validation chooses from.
ALPHAS = (0.5, 0.9, 0.99)


# Steps of the iteration; with alpha = 0.99, labels reach nodes about as many hops away.
STEPS = 50


def propagate_labels(
    matrix: csr_array, labels: NDArray[np.int64], nodes: NDArray[np.int64], classes: int, alpha: float
) -> Matrix:
    """Return class probabilities of every node from F <- alpha S F + (1 - alpha) Y.

    Args:
        matrix: The normalised adjacency matrix S.
        labels: The classes of the labelled nodes.
        nodes: The labelled nodes.
        classes: The number of classes.
        alpha: The weight of the neighbours.

    Returns:
        Probabilities, one row per node; nodes that no label reaches have the frequencies of the labels.
    """
    prior = np.bincount(labels, minlength=classes) / len(labels)
    given = np.zeros((matrix.shape[0], classes))
    given[nodes, labels] = 1.0
    spread = given
    for _ in range(STEPS):
        spread = alpha * (matrix @ spread) + (1 - alpha) * given
    total = spread.sum(axis=1, keepdims=True)
    probabilities: Matrix = np.where(total > 0, spread / np.where(total > 0, total, 1.0), prior)
    return probabilities
