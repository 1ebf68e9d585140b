from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from highwaygraph.nn.spmm import AT_HAND, FILLED, WORTH, Sparse, product, row_softmax, sparse, weighted_product


def case(seed: int, rows: int, columns: int) -> csr_array:
    draw = np.random.default_rng(seed)
    dense = draw.standard_normal((rows, columns)) * (draw.random((rows, columns)) < 0.5)
    return csr_array(dense.astype(np.float32))


def upright(matrix: Sparse) -> torch.Tensor:
    return torch.cat([part.to_dense() for part in matrix.turned.parts], dim=1).T


sizes = st.tuples(st.integers(0, 99), st.integers(1, 6), st.integers(1, 6), st.integers(1, 4))


@given(sizes)
def test_product_and_its_gradient_match_the_dense_ones(values) -> None:
    seed, rows, columns, width = values
    matrix = case(seed, rows, columns)
    ours = torch.randn(columns, width, requires_grad=True)
    theirs = ours.detach().clone().requires_grad_()
    weight = torch.randn(rows, width)
    (product(sparse(matrix), ours) * weight).sum().backward()
    (torch.from_numpy(matrix.toarray()) @ theirs * weight).sum().backward()
    torch.testing.assert_close(product(sparse(matrix), ours), torch.from_numpy(matrix.toarray()) @ theirs)
    torch.testing.assert_close(ours.grad, theirs.grad)


@given(sizes)
def test_other_values_on_the_same_pattern(values) -> None:
    matrix = case(*values[:3])
    changed = csr_array((matrix.data * 3 + 1, matrix.indices, matrix.indptr), shape=matrix.shape)
    ready = sparse(matrix).with_values(torch.from_numpy(changed.data))
    torch.testing.assert_close(ready.matrix.to_dense(), torch.from_numpy(changed.toarray()))
    torch.testing.assert_close(upright(ready), torch.from_numpy(changed.toarray()))


@pytest.mark.parametrize(
    ("columns", "each", "parts"),
    [
        pytest.param(WORTH // FILLED, FILLED, 3, id="as many entries as pay"),
        pytest.param(WORTH // FILLED, FILLED - 1, 1, id="rows of parts too empty"),
        pytest.param(2, 10 * FILLED, 1, id="parts too small"),
    ],
)
def test_a_tall_full_matrix_is_turned_in_parts_and_others_in_one(columns: int, each: int, parts: int) -> None:
    rows, draw = 2 * AT_HAND + 5, np.random.default_rng(each)
    dense = np.zeros((rows, columns), dtype=np.float32)
    dense[np.linspace(0, rows - 1, 3 * each).astype(int)] = draw.random((3 * each, columns)) + 1
    ready = sparse(csr_array(dense))
    assert len(ready.turned.parts) == parts
    torch.testing.assert_close(upright(ready), torch.from_numpy(dense))
    weight, factor = torch.randn(rows, 4), torch.randn(columns, 4, requires_grad=True)
    twice = ready.with_values(2 * ready.matrix.values())
    (product(twice, factor) * weight).sum().backward()
    torch.testing.assert_close(factor.grad, 2 * torch.from_numpy(dense).T @ weight)


@given(sizes)
def test_weighted_product_has_gradients_to_values_too(values) -> None:
    seed, rows, columns, width = values
    matrix = case(seed, rows, columns)
    row = np.repeat(np.arange(rows), np.diff(matrix.indptr))
    entries, dense = torch.randn(matrix.nnz, requires_grad=True), torch.randn(columns, width, requires_grad=True)
    other = [part.detach().clone().requires_grad_() for part in (entries, dense)]
    weight = torch.randn(rows, width)
    (weighted_product(sparse(matrix), entries, dense) * weight).sum().backward()
    full = torch.zeros(rows, columns).index_put(
        (torch.from_numpy(row), torch.from_numpy(matrix.indices).long()), other[0]
    )
    (full @ other[1] * weight).sum().backward()
    torch.testing.assert_close(entries.grad, other[0].grad)
    torch.testing.assert_close(dense.grad, other[1].grad)


def test_parallel_entries_add_up() -> None:
    twice = csr_array((np.array([1.0, 2.0], dtype=np.float32), np.array([1, 1]), np.array([0, 2])), shape=(1, 2))
    assert product(sparse(twice), torch.tensor([[5.0], [7.0]])).tolist() == [[21.0]]


def test_row_softmax_matches_torch_on_every_row_even_for_large_scores() -> None:
    indptr = np.array([0, 2, 3, 7])
    row = torch.tensor([0, 0, 1, 2, 2, 2, 2])
    sums = sparse(csr_array((np.ones(7, dtype=np.float32), np.arange(7), indptr), shape=(3, 7)))
    ours = (200 * torch.randn(7, 2)).requires_grad_()
    theirs = ours.detach().clone().requires_grad_()
    weight = torch.randn(7, 2)
    shares = row_softmax(ours, sums, row)
    expected = torch.cat([theirs[a:b].softmax(0) for a, b in pairwise(indptr)])
    (shares * weight).sum().backward()
    (expected * weight).sum().backward()
    torch.testing.assert_close(shares, expected)
    torch.testing.assert_close(ours.grad, theirs.grad)


def test_no_transpose_is_made_where_nothing_is_trained() -> None:
    ready, dense = sparse(case(0, 4, 3)), torch.randn(3, 2, requires_grad=True)
    answer = product(ready, dense)
    assert "turned" not in vars(ready)
    answer.sum().backward()
    assert "turned" in vars(ready)
