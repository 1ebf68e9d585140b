"""Transductive experimental design: nodes whose labels decrease the variance of a linear model's predictions most."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

# Strength of the ridge penalty, for points whose mean squared length is 1.
RIDGE = 0.1


def design(
    points: Float[Tensor, "n d"],
    count: int,
    labelled: Int[Tensor, "l"],
    allowed: Bool[Tensor, "n"],
    weights: Float[Tensor, "n"] | None = None,
) -> Int[Tensor, "k"]:
    """Return the points that greedily minimise the mean variance of ridge regression on all points (Yu et al., 2006).

    With A = ridge + the sum of x x^T over labelled points, the variance at z is z^T A^-1 z. Labelling x decreases its
    sum by x^T A^-1 G A^-1 x / (1 + x^T A^-1 x), where G is the weighted sum of z z^T. A step costs O(n d).

    Args:
        points: All points, a row each.
        count: Number of points to choose, at most as many as are allowed.
        labelled: Points that are labelled already.
        allowed: Points that may be chosen.
        weights: Weight of every point, 1 unless given.

    Returns:
        The chosen points in order.
    """
    points = points / points.square().sum(dim=1).mean().sqrt().clamp(min=1e-12)
    weighted = points if weights is None else points * weights[:, None]
    # Products with all points are in single precision, the small matrices in double.
    spread, known = (weighted.T @ points).double(), points[labelled].double()
    inverse = torch.linalg.inv(RIDGE * torch.eye(points.size(1), dtype=torch.double) + known.T @ known)
    gain, variance = _forms(points, inverse @ spread @ inverse), _forms(points, inverse)
    free, chosen = allowed.clone(), []
    for _ in range(count):
        best = int(torch.where(free, gain / (1 + variance), -torch.inf).argmax())
        free[best] = False
        step = inverse @ points[best].double()
        along, across = (_times(points, vector) for vector in (step, inverse @ spread @ step))
        scale = 1 + float(along[best])
        gain += along / scale * (along / scale * float(step @ spread @ step) - 2 * across)
        variance -= along.square() / scale
        inverse -= torch.outer(step, step) / scale
        chosen.append(best)
    return torch.tensor(chosen, dtype=torch.long)


def _forms(points: Tensor, matrix: Tensor) -> Float[Tensor, "n"]:
    """Return x^T M x for every point x."""
    return ((points @ matrix.float()) * points).sum(dim=1).double()


def _times(points: Tensor, vector: Tensor) -> Float[Tensor, "n"]:
    return (points @ vector.float()).double()
