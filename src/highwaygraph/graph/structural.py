"""Structural features for a graph without features: degree, and position along the graph's slowest modes."""

from inspect import signature
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from numpy.typing import NDArray
from scipy.sparse import diags_array
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from torch import Tensor

from highwaygraph.errors import DataError
from highwaygraph.graph.csr import CSR, degrees, to_scipy

DIMENSIONS = 32


# Largest memory of the eigenvectors' computation. Lanczos vectors take 8 bytes a node each, and an entry of the
# adjacency is held three times at 12 bytes.
MAX_BYTES, BYTES_PER_NODE, BYTES_PER_ENTRY = 2**35, 8 * (2 * DIMENSIONS + 8), 36


def structural_features(adjacency: CSR) -> Float[Tensor, "n d"]:
    """Return the logarithm of each node's degree and its entries in the leading eigenvectors, standardised.

    The eigenvectors are those of the symmetrically normalised adjacency. Memory is O(nodes + entries); a graph that
    needs more than MAX_BYTES is refused.
    """
    _refuse_if_too_large(adjacency)
    degree = degrees(adjacency).numpy().astype(np.float64)
    table = np.concatenate([np.log1p(degree)[:, None], _eigenvectors(adjacency, degree)], axis=1)
    spread = table.std(axis=0)
    return torch.from_numpy(((table - table.mean(axis=0)) / np.where(spread > 0, spread, 1)).astype(np.float32))


def _refuse_if_too_large(adjacency: CSR) -> None:
    size = BYTES_PER_NODE * adjacency.num_nodes + BYTES_PER_ENTRY * len(adjacency.col)
    if size > MAX_BYTES:
        raise DataError(
            f"The nodes have no feature columns, and structural features of {adjacency.num_nodes:,} nodes would need "
            f"{size / 2**30:.0f} GiB of memory (at most {MAX_BYTES / 2**30:.0f}): add a column of features."
        )


def _fixed_restarts() -> dict[str, Any]:
    """Return the option that makes restarts of the eigensolver reproducible, where SciPy has it (1.17)."""
    return {"rng": np.random.default_rng(0)} if "rng" in signature(eigsh).parameters else {}


def _eigenvectors(adjacency: CSR, degree: NDArray[np.float64]) -> NDArray[np.float64]:
    nodes = len(degree)
    count = min(DIMENSIONS, nodes - 2)
    if count < 1 or not len(adjacency.col):
        return np.zeros((nodes, 0))
    scale = diags_array(1 / np.sqrt(np.maximum(degree, 1)))
    graph = scale @ to_scipy(adjacency) @ scale
    try:
        # A fixed start, so that the same graph has the same features every time.
        start = np.sqrt(np.maximum(degree, 1)) + np.linspace(0, 0.1, nodes)
        _, vectors = eigsh(graph, k=count, which="LA", v0=start, **_fixed_restarts())
    except ArpackNoConvergence as stopped:
        vectors = stopped.eigenvectors
    # The sign of an eigenvector is arbitrary; the largest entry is made positive.
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(vectors.shape[1])] if vectors.size else np.ones(0)
    signed: NDArray[np.float64] = vectors * np.sign(largest)
    return signed
