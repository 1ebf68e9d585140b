"""Logistic regression on few labelled rows: a path of solutions over the strength of the L2 penalty."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.optimize import minimize
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.runtime.blas import one_blas_thread

# Strengths of the penalty, strongest first: every solution starts from the one before.
PENALTIES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)


# More labelled rows than this are sampled: the baselines are to cost a tenth of a training.
MOST_ROWS = 10_000


Loss = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]
"""Returns a loss of logits and targets, and its gradient."""


# Products are torch's: NumPy's would use threads of their own beside those that the caller of torch has chosen.
class Linear(NamedTuple):
    """The weights of a linear classifier: logits = x @ weight + bias."""

    weight: Float[Tensor, "f c"]
    bias: Float[Tensor, "c"]


def logistic_path(rows: Float[Tensor, "m f"], labels: Int[Tensor, "m"], classes: int) -> Iterator[Linear]:
    """Yield the classifiers that minimise mean cross-entropy + penalty / 2 * |weight|^2, for decreasing penalties.

    Rows are brought to a mean squared length of 1 first, so that the path does not depend on their unit. With fewer
    rows than columns the weights lie in the span of the rows, and the problem is solved there.

    Args:
        rows: The features of the labelled nodes, in double precision.
        labels: Their classes.
        classes: The number of classes.

    Yields:
        The weights for each of PENALTIES.
    """
    yield from _path(rows, F.one_hot(labels, classes).double(), _softmax_loss)


def one_vs_rest_path(rows: Float[Tensor, "m f"], labels: Int[Tensor, "m l"], _classes: int) -> Iterator[Linear]:
    """Yield the same with a logistic regression per label, for several labels per node.

    Args:
        rows: The features of the labelled nodes, in double precision.
        labels: 1 for each label of a node, 0 for the others.

    Yields:
        The weights for each of PENALTIES.
    """
    yield from _path(rows, labels.double(), _sigmoid_loss)


def _path(rows: Tensor, target: Tensor, loss: Loss) -> Iterator[Linear]:
    size = float(rows.square().sum(dim=1).mean().sqrt()) or 1.0
    basis, reduced = _span(rows / size)
    start = torch.zeros(reduced.size(1) + 1, target.size(1), dtype=torch.double)
    for penalty in PENALTIES:
        start = _minimise(reduced, target, penalty, start, loss)
        weight = start[:-1] if basis is None else basis @ start[:-1]
        yield Linear(weight / size, start[-1])


def _span(rows: Tensor) -> tuple[Tensor | None, Tensor]:
    """Return an orthonormal basis of the rows' span and the rows in it; no basis where it would save nothing."""
    if len(rows) >= rows.size(1):
        return None, rows
    values, vectors = torch.linalg.eigh(rows @ rows.T)
    kept = values > values[-1] * 1e-10
    lengths = values[kept].sqrt()
    return rows.T @ (vectors[:, kept] / lengths), vectors[:, kept] * lengths


def _softmax_loss(logits: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sum of the cross-entropies, and its gradient."""
    log_p = logits.log_softmax(dim=1)
    return -(log_p * target).sum(), log_p.exp() - target


def _sigmoid_loss(logits: Tensor, target: Tensor) -> tuple[Tensor, Tensor]:
    """Return the sum of the binary cross-entropies, and its gradient."""
    return F.binary_cross_entropy_with_logits(logits, target, reduction="sum"), logits.sigmoid() - target


def _minimise(rows: Tensor, target: Tensor, penalty: float, start: Tensor, node_loss: Loss) -> Tensor:
    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weight = torch.from_numpy(flat).view_as(start)
        total, slope = node_loss(torch.addmm(weight[-1], rows, weight[:-1]), target)
        slope = slope / len(rows)
        gradient = torch.cat([rows.T @ slope + penalty * weight[:-1], slope.sum(dim=0, keepdim=True)])
        value = total / len(rows) + penalty / 2 * weight[:-1].square().sum()
        return float(value), gradient.flatten().numpy()

    with one_blas_thread():
        found = minimize(loss, start.flatten().numpy(), jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return torch.from_numpy(found.x).view_as(start)
