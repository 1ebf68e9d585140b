"""Multinomial logistic regression on few labelled rows: a path of solutions over the strength of the L2 penalty."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.optimize import minimize
from torch import Tensor
from torch.nn import functional as F

# Strengths of the penalty, strongest first: every solution starts from the one before.
PENALTIES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)


# More labelled rows than this are sampled: the baselines are to cost a tenth of a training.
MOST_ROWS = 10_000


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
    size = float(rows.square().sum(dim=1).mean().sqrt()) or 1.0
    basis, reduced = _span(rows / size)
    target = F.one_hot(labels, classes).double()
    start = torch.zeros(reduced.size(1) + 1, classes, dtype=torch.double)
    for penalty in PENALTIES:
        start = _minimise(reduced, target, penalty, start)
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


def _minimise(rows: Tensor, target: Tensor, penalty: float, start: Tensor) -> Tensor:
    def loss(flat: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        weight = torch.from_numpy(flat).view_as(start)
        log_p = torch.addmm(weight[-1], rows, weight[:-1]).log_softmax(dim=1)
        slope = (log_p.exp() - target) / len(rows)
        gradient = torch.cat([rows.T @ slope + penalty * weight[:-1], slope.sum(dim=0, keepdim=True)])
        value = -(log_p * target).sum() / len(rows) + penalty / 2 * weight[:-1].square().sum()
        return float(value), gradient.flatten().numpy()

    found = minimize(loss, start.flatten().numpy(), jac=True, method="L-BFGS-B", options={"maxiter": 100})
    return torch.from_numpy(found.x).view_as(start)
