"""The low-rank basis of a feature matrix."""

import torch

from highwaygraph.nn.spmm import Sparse
from highwaygraph.nn.votes.projection import project, row_space
from highwaygraph.nn.votes.rows import Rows


def test_the_basis_is_orthonormal_and_spans_a_matrix_of_low_rank() -> None:
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(80, 4, generator=rng) @ torch.randn(4, 50, generator=rng)
    basis = row_space(Rows(x), 6, torch.Generator().manual_seed(1))
    torch.testing.assert_close(basis.T @ basis, torch.eye(6), atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(x @ basis @ basis.T, x, atol=1e-3, rtol=1e-3)


def test_a_narrow_or_short_matrix_needs_no_basis() -> None:
    assert row_space(Rows(torch.ones(80, 4)), 4, torch.Generator()) is None
    assert row_space(Rows(torch.ones(4, 80)), 4, torch.Generator()) is None


def test_a_sparse_chunk_becomes_dense() -> None:
    x = torch.zeros(30, 20)
    x[3, 4] = 2.0
    (chunk,) = Rows(x)
    assert isinstance(chunk, Sparse)
    torch.testing.assert_close(project(chunk, None), x / Rows(x).length)
