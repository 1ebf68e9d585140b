"""Features averaged over the neighbourhood: S^k X with GCN's normalised adjacency matrix S."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from highwaygraph.graph.graph import Graph
from highwaygraph.nn.operators import gcn_matrix

Matrix = NDArray[np.float64]


def smoothing_matrix(data: Graph) -> csr_array:
    """Return GCN's normalised adjacency matrix with self-loops, in double precision."""
    return gcn_matrix(data.edge_index, data.edge_weight, data.num_nodes).astype(np.float64)


def smoothed_rows(matrix: csr_array, x: csr_array, nodes: NDArray[np.int64], hops: int) -> Iterator[Matrix]:
    """Yield the rows of S^k X for some nodes and k = 0 to hops, without S^k X of the whole graph.

    Args:
        matrix: The matrix S.
        x: The features X.
        nodes: The nodes whose rows are needed.
        hops: The largest k.

    Yields:
        A matrix with a row per node, for each k.
    """
    if x.shape[1] < len(nodes):
        whole: Any = x.toarray()
        for k in range(hops + 1):
            whole = matrix @ whole if k else whole
            yield whole[nodes]
        return
    # (S^k)[nodes] X: a row of S^k per node, whatever the number of features.
    weights: Any = np.zeros((matrix.shape[0], len(nodes)))
    weights[nodes, np.arange(len(nodes))] = 1.0
    transposed, features = matrix.T.tocsr(), x.T.tocsr()
    for k in range(hops + 1):
        weights = transposed @ weights if k else weights
        yield (features @ weights).T


def smooth(matrix: csr_array, table: Matrix, hops: int) -> Matrix:
    """Return S^k times a table with a row per node."""
    for _ in range(hops):
        table = matrix @ table
    return table
