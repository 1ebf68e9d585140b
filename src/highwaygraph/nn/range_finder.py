"""The leading singular vectors of a large matrix: the randomised range finder of Halko, Martinsson and Tropp (2011)."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor


def range_finder(
    times_gram: Callable[[Tensor], Tensor], start: Float[Tensor, "f r"], iterations: int = 1
) -> Float[Tensor, "f r"]:
    """Return an orthonormal basis that approximates the leading right singular vectors of a matrix X.

    Args:
        times_gram: Returns X'X times a matrix; X itself may be read in chunks.
        start: Random columns.
        iterations: Products with X'X; more separate singular values that are close to each other.

    Returns:
        The basis.

    Example:
        >>> x = torch.diag(torch.tensor([9.0, 1.0, 0.0]))
        >>> range_finder(lambda columns: x.T @ (x @ columns), torch.ones(3, 1), 5).abs().round()
        tensor([[1.],
                [0.],
                [0.]])
    """
    basis = start
    for _ in range(iterations):
        basis = torch.linalg.qr(times_gram(basis)).Q
    return basis
