"""The randomised range finder."""

import torch

from highwaygraph.nn.range_finder import range_finder


def test_the_basis_spans_the_leading_singular_vectors() -> None:
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(60, 4, generator=rng) @ torch.randn(4, 30, generator=rng) + 0.01 * torch.randn(
        60, 30, generator=rng
    )
    leading = torch.linalg.svd(x).Vh[:4].T
    for iterations in (1, 2):
        basis = range_finder(lambda columns: x.T @ (x @ columns), torch.randn(30, 6, generator=rng), iterations)
        torch.testing.assert_close(basis.T @ basis, torch.eye(6), atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(basis @ (basis.T @ leading), leading, atol=1e-2, rtol=1e-2)
