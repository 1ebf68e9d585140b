"""Features for a graph that has none: how many neighbours a node has, and where in the graph it lies."""

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.sparse import csr_array, diags_array
from scipy.sparse.linalg import ArpackNoConvergence, eigsh
from torch import Tensor

DIMENSIONS = 32


def structural_features(edge_index: Int[Tensor, "2 e"], nodes: int) -> Float[Tensor, "n d"]:
    """Return the logarithm of each node's degree and its place along the slowest modes of the graph."""
    degree = np.bincount(edge_index[1].numpy(), minlength=nodes).astype(np.float64)
    columns = [np.log1p(degree)[:, None], _modes(edge_index, degree)]
    table = np.concatenate(columns, axis=1)
    spread = table.std(axis=0)
    return torch.from_numpy(((table - table.mean(axis=0)) / np.where(spread > 0, spread, 1)).astype(np.float32))


def _modes(edge_index: Tensor, degree: NDArray[np.float64]) -> NDArray[np.float64]:
    nodes = len(degree)
    count = min(DIMENSIONS, nodes - 2)
    if count < 1 or not edge_index.size(1):
        return np.zeros((nodes, 0))
    sender, receiver = edge_index.numpy()
    scale = diags_array(1 / np.sqrt(np.maximum(degree, 1)))
    graph = scale @ csr_array((np.ones(len(sender)), (receiver, sender)), shape=(nodes, nodes)) @ scale
    try:
        # A fixed start, so that the same graph has the same features every time.
        _, modes = eigsh(graph, k=count, which="LA", v0=np.sqrt(np.maximum(degree, 1)) + np.linspace(0, 0.1, nodes))
    except ArpackNoConvergence as stopped:
        modes = stopped.eigenvectors
    # A mode's sign is arbitrary; the largest entry decides it.
    largest = modes[np.abs(modes).argmax(axis=0), np.arange(modes.shape[1])] if modes.size else np.ones(0)
    signed: NDArray[np.float64] = modes * np.sign(largest)
    return signed
