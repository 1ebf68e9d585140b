"""Propagated features: every node as a short vector of what a two-layer GNN sees, at any size of graph."""

import numpy as np
import torch
from jaxtyping import Float
from scipy.sparse import csr_array, diags_array, eye_array
from torch import Tensor

from highwaygraph.graph.csr import to_scipy
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import undirected_adjacencies
from highwaygraph.nn.range_finder import range_finder
from highwaygraph.nn.scaling import learn_scaling
from highwaygraph.nn.spmm import product, sparse

# Hops of the propagation: those of the usual two-layer networks.
HOPS = 2


# Length of the vectors. The variance beyond 64 principal components is mostly noise of single words.
DIMENSIONS = 64


# Columns that features are reduced to before they are propagated: at most FEATURES, and at least DIMENSIONS where that
# would give more than MOST_ENTRIES numbers.
FEATURES, MOST_ENTRIES = 256, 2**26


# Rows that this reduction is learned from, and rows that are reduced at once.
SAMPLED_ROWS, CHUNK_ROWS = 2048, 2**14


def undirected_matrix(graph: Graph) -> csr_array:
    """Return the adjacency matrix of ones with both directions of every edge, without self-loops."""
    first, *others = (to_scipy(part) for part in undirected_adjacencies(graph))
    return sum(others, first)


def propagated_features(
    graph: Graph, adjacency: csr_array, generator: torch.Generator, *, unit_rows: bool
) -> Float[Tensor, "n d"]:
    """Return a vector per node: the principal components of S^2 X, S being GCN's normalised adjacency matrix.

    Memory is O(nodes * 64 + entries); features are read in chunks.

    Args:
        graph: The graph; its features are scaled as for a training.
        adjacency: Its adjacency matrix, as `undirected_matrix` returns it.
        generator: Draws the random projections.
        unit_rows: Divide the rows of S^2 X by their length first, which depends on the degree.

    Returns:
        The vectors; at most DIMENSIONS columns.
    """
    propagate = sparse(_gcn_matrix(adjacency))
    table = _reduced_features(graph, generator)
    for _ in range(HOPS):
        table = product(propagate, table)
    if unit_rows:
        length = table.norm(dim=1, keepdim=True)
        table = table / torch.where(length > 0, length, 1.0)
    return _principal_components(table)


def _gcn_matrix(adjacency: csr_array) -> csr_array:
    scale = diags_array(1 / np.sqrt(adjacency.sum(axis=1) + 1))
    return csr_array(scale @ (adjacency + eye_array(adjacency.shape[0])) @ scale).astype(np.float32)


def _reduced_features(graph: Graph, generator: torch.Generator) -> Float[Tensor, "n r"]:
    """Return the scaled features on the leading right singular vectors of some of their rows."""
    scaling, rows = learn_scaling(graph), len(graph.x)
    kept = min(FEATURES, max(DIMENSIONS, MOST_ENTRIES // rows))
    basis = None
    if graph.x.size(1) > kept:
        sample = torch.randperm(rows, generator=generator)[:SAMPLED_ROWS].sort().values
        basis = _leading_vectors(scaling.apply(graph.x[sample].float()), kept, generator)
    reduced = torch.empty(rows, graph.x.size(1) if basis is None else basis.size(1))
    for start in range(0, rows, CHUNK_ROWS):
        some = scaling.apply(graph.x[start : start + CHUNK_ROWS].float())
        reduced[start : start + CHUNK_ROWS] = some if basis is None else some @ basis
    return reduced


def _leading_vectors(rows: Tensor, count: int, generator: torch.Generator) -> Float[Tensor, "f r"]:
    """Return approximations of the leading right singular vectors."""
    start = torch.randn(rows.size(1), min(count, *rows.shape), generator=generator)
    return range_finder(lambda columns: rows.T @ (rows @ columns), start, iterations=2)


def _principal_components(table: Tensor) -> Float[Tensor, "n d"]:
    centred = table - table.mean(dim=0)
    values, vectors = torch.linalg.eigh((centred.T @ centred).double() / len(table))
    values, vectors = values[-DIMENSIONS:], vectors[:, -DIMENSIONS:]
    # Components that hold rounding errors only are left out.
    kept = values > 1e-7 * values.sum().clamp(min=1e-30)
    leading: Tensor = vectors[:, kept]
    return centred @ leading.float()
