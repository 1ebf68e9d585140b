"""Leave-one-out predictions of labelled nodes: every node is predicted from the labels of all others."""

import torch
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.nn.baselines.fit import HOPS, is_feasible
from highwaygraph.nn.baselines.smoothing import smoothed_rows, smoothing_matrix
from highwaygraph.nn.calibration import calibrated_log_likelihood, fit_temperature

# Penalties of the squared weights, for rows of mean squared length 1.
PENALTIES = (0.01, 0.1, 1.0)


# Labelled nodes, whose square is the size of the kernel matrix.
MOST_LABELLED = 3_000


# The least distance of a leverage from 1: a node that alone determines its prediction has no prediction of others.
LEAST_RESIDUAL = 1e-4


def leave_one_out(data: Graph, classes: int) -> Float[Tensor, "n c"] | None:
    """Return probabilities of training and validation nodes that do not use their own labels.

    Ridge regression of the classes on features averaged over hops has exact leave-one-out predictions: with the kernel
    K of the rows, H = K (K + penalty I)^-1 and the leverage h_i = H_ii, the prediction of node i from all other nodes
    is ((H Y)_i - h_i y_i) / (1 - h_i). Hops, penalty and temperature are those of the highest likelihood.

    Args:
        data: The graph with its split and with scaled features.
        classes: The number of classes.

    Returns:
        Probabilities, NaN for nodes that are neither; None where the graph or the number of labels is too large, or
        there are fewer than two labels.
    """
    nodes = (data.train_mask | data.val_mask).nonzero().flatten()
    if not is_feasible(data) or not 2 <= len(nodes) <= MOST_LABELLED:
        return None
    labels, found = data.y[nodes], []
    matrix, x = smoothing_matrix(data), csr_array(data.x.numpy().astype("float64"))
    for rows in smoothed_rows(matrix, x, nodes.numpy(), HOPS):
        for scores in _scores(torch.from_numpy(rows), labels, classes):
            found.append((float(calibrated_log_likelihood(scores, labels).mean()), scores))
    _, best = max(found, key=lambda pair: pair[0])
    probs = torch.full((data.num_nodes, classes), float("nan"))
    probs[nodes] = (best / fit_temperature(best, labels)).softmax(dim=1).float()
    return probs


def _scores(rows: Float[Tensor, "m f"], labels: Int[Tensor, "m"], classes: int) -> list[Float[Tensor, "m c"]]:
    """Return the leave-one-out predictions for every penalty, of one eigendecomposition."""
    targets = torch.nn.functional.one_hot(labels, classes).double()
    prior = targets.mean(dim=0)
    targets = targets - prior
    kernel = rows.double() @ rows.double().T
    values, vectors = torch.linalg.eigh(kernel / kernel.diagonal().mean().clamp(min=1e-12))
    found = []
    for penalty in PENALTIES:
        shrunk = values.clamp(min=0) / (values.clamp(min=0) + penalty)
        leverage = ((vectors * shrunk) * vectors).sum(dim=1, keepdim=True).clamp(max=1 - LEAST_RESIDUAL)
        fitted = (vectors * shrunk) @ (vectors.T @ targets)
        found.append(prior + (fitted - leverage * targets) / (1 - leverage))
    return found
