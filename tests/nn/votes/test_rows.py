"""Rows of a view in chunks."""

import pytest
import torch

from highwaygraph.nn.spmm import Sparse
from highwaygraph.nn.votes import rows as module
from highwaygraph.nn.votes.rows import Rows


def matrix(density: float = 1.0, n: int = 40, f: int = 12) -> torch.Tensor:
    rng = torch.Generator().manual_seed(0)
    return torch.randn(n, f, generator=rng) * (torch.rand(n, f, generator=rng) < density)


@pytest.mark.parametrize("density", [1.0, 0.05])
@pytest.mark.parametrize("entries", [2**24, 12 * 7])
def test_products_equal_those_of_the_whole_matrix(density, entries, monkeypatch) -> None:
    monkeypatch.setattr(module, "CHUNK_ENTRIES", entries)
    x = matrix(density)
    rows, scaled = Rows(x, lambda chunk: 3 * chunk), x / x.square().sum(1).mean().sqrt()
    assert len(list(rows)) == (1 if entries == 2**24 else 6)
    assert any(isinstance(chunk, Sparse) for chunk in rows) == (density < 0.1)
    torch.testing.assert_close(rows.times(torch.eye(12)), scaled)
    torch.testing.assert_close(rows.transpose_times(torch.eye(40)), scaled.T)


def test_another_graph_is_divided_by_the_length_of_the_first() -> None:
    x = matrix()
    other = Rows(10 * x, length=Rows(x).length)
    torch.testing.assert_close(other.times(torch.eye(12)), 10 * Rows(x).times(torch.eye(12)))


def test_a_matrix_of_zeros_stays_zero() -> None:
    assert Rows(torch.zeros(3, 2)).times(torch.eye(2)).abs().sum() == 0
