"""Features averaged over the neighbourhood: S^k X with GCN's normalised adjacency matrix S."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array

from highwaygraph.graph.graph import Graph
from highwaygraph.nn.operators import gcn_matrix
from highwaygraph.nn.spmm import product, sparse

Matrix = NDArray[np.float64]


def smoothing_matrix(data: Graph) -> csr_array:
    """Return GCN's normalised adjacency matrix with self-loops, in double precision."""
    return gcn_matrix(data.edge_index, data.edge_weight, data.num_nodes).astype(np.float64)


def smoothed_rows(matrix: csr_array, x: csr_array, nodes: NDArray[np.int64], hops: Sequence[int]) -> Iterator[Matrix]:
    """Yield the rows of S^k X for some nodes and every k in hops, without S^k X of the whole graph.

    Args:
        matrix: The matrix S.
        x: The features X.
        nodes: The nodes whose rows are needed.
        hops: The values of k in ascending order.

    Yields:
        A matrix with a row per node, for each k; in single precision where there are more features than nodes.
    """
    if x.shape[1] < len(nodes):
        whole: Any = x.toarray()
        for before, k in pairwise((0, *hops)):
            whole = smooth(matrix, whole, k - before)
            yield whole[nodes]
        return
    # (S^k)[nodes] X: a row of S^k per node, whatever the number of features. torch's products of sparse matrices in
    # single precision are ten times as fast as scipy's.
    weights = torch.zeros(matrix.shape[0], len(nodes))
    weights[nodes, torch.arange(len(nodes))] = 1.0
    transposed, features = sparse(matrix.T.tocsr()), sparse(x.T.tocsr())
    for before, k in pairwise((0, *hops)):
        for _ in range(before, k):
            weights = product(transposed, weights)
        yield product(features, weights).T.numpy().astype(np.float64)


def smooth(matrix: csr_array, table: Matrix, hops: int) -> Matrix:
    """Return S^k times a table with a row per node."""
    for _ in range(hops):
        table = matrix @ table
    return table
