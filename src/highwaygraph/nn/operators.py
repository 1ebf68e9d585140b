"""Sparse matrices that graph convolutions multiply node features with: rows are targets, columns are sources."""

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor
from torch_geometric.nn.conv.gcn_conv import gcn_norm

Indices = NDArray[np.int64]


def adjacency_matrix(edge_index: Int[Tensor, "2 e"], weight: Float[Tensor, "e"] | None, num_nodes: int) -> csr_array:
    """Return the adjacency matrix of the edges, rows sorted by source; parallel edges stay separate entries."""
    source, target = edge_index.numpy()
    order = np.lexsort((source, target))
    data = np.ones(len(order), dtype=np.float32) if weight is None else weight.detach().numpy()[order]
    indptr = np.concatenate([[0], np.bincount(target, minlength=num_nodes).cumsum()])
    return csr_array((data, source[order], indptr), shape=(num_nodes, num_nodes))


def mean_matrix(matrix: csr_array) -> csr_array:
    """Return the matrix with each row divided by its number of entries: products are means over neighbours."""
    entries = np.diff(matrix.indptr)
    factors = np.repeat(1.0 / np.maximum(entries, 1), entries).astype(np.float32)
    return csr_array((matrix.data * factors, matrix.indices, matrix.indptr), shape=matrix.shape)


def gcn_matrix(
    edge_index: Int[Tensor, "2 e"],
    edge_weight: Float[Tensor, "e"] | None,
    num_nodes: int,
    weighted_degree: Float[Tensor, "n"] | None = None,
) -> csr_array:
    """Return GCN's normalised adjacency matrix with self-loops.

    Args:
        edge_index: The edges.
        edge_weight: Their weights; None means 1.
        num_nodes: The number of nodes.
        weighted_degree: For a sampled subgraph, each node's weighted degree in the graph it was sampled from.
    """
    if weighted_degree is None:
        edge_index, weight = gcn_norm(edge_index, edge_weight, num_nodes)
    else:
        edge_index, weight = _sampled_gcn_norm(edge_index, edge_weight, num_nodes, weighted_degree)
    return adjacency_matrix(edge_index, weight, num_nodes)


def _sampled_gcn_norm(
    edge_index: Tensor, edge_weight: Tensor | None, num_nodes: int, weighted_degree: Tensor
) -> tuple[Tensor, Tensor]:
    """Return GCN's weights of the whole graph; each target's sampled edges represent all of its edges."""
    source, target = edge_index
    weight = torch.ones(len(source)) if edge_weight is None else edge_weight
    sampled_degree = torch.zeros(num_nodes).index_add_(0, target, weight)
    represented = torch.where(sampled_degree != 0, weighted_degree / sampled_degree, 0.0)[target]
    scale = (weighted_degree + 1).rsqrt()
    loops = torch.arange(num_nodes)
    return torch.cat([edge_index, loops.expand(2, -1)], dim=1), torch.cat(
        [weight * represented * scale[source] * scale[target], scale.square()]
    )
