import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from highwaygraph.nn.spmm import (
    CACHED_ROWS,
    MIN_BLOCK_ENTRIES,
    MIN_ROW_ENTRIES,
    Sparse,
    csr,
    product,
    row_softmax,
    sparse,
    weighted_product,
)


def case(seed: int, rows: int, columns: int) -> csr_array:
    rng = np.random.default_rng(seed)
    dense = rng.standard_normal((rows, columns)) * (rng.random((rows, columns)) < 0.5)
    return csr_array(dense.astype(np.float32))


def transposed_twice(matrix: Sparse) -> torch.Tensor:
    return torch.cat([block.to_dense() for block in matrix.transpose.blocks], dim=1).T


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
    torch.testing.assert_close(transposed_twice(ready), torch.from_numpy(changed.toarray()))


@pytest.mark.parametrize(
    ("columns", "each", "blocks"),
    [
        pytest.param(MIN_BLOCK_ENTRIES // MIN_ROW_ENTRIES, MIN_ROW_ENTRIES, 3, id="enough entries"),
        pytest.param(MIN_BLOCK_ENTRIES // MIN_ROW_ENTRIES, MIN_ROW_ENTRIES - 1, 1, id="too few entries per row"),
        pytest.param(2, 10 * MIN_ROW_ENTRIES, 1, id="too few entries per block"),
    ],
)
def test_a_tall_full_matrix_is_transposed_in_blocks_and_others_in_one(columns: int, each: int, blocks: int) -> None:
    rows, rng = 2 * CACHED_ROWS + 5, np.random.default_rng(each)
    dense = np.zeros((rows, columns), dtype=np.float32)
    dense[np.linspace(0, rows - 1, 3 * each).astype(int)] = rng.random((3 * each, columns)) + 1
    ready = sparse(csr_array(dense))
    assert len(ready.transpose.blocks) == blocks
    torch.testing.assert_close(transposed_twice(ready), torch.from_numpy(dense))
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
    found = row_softmax(ours, sums, row)
    expected = torch.cat([theirs[a:b].softmax(0) for a, b in pairwise(indptr)])
    (found * weight).sum().backward()
    (expected * weight).sum().backward()
    torch.testing.assert_close(found, expected)
    torch.testing.assert_close(ours.grad, theirs.grad)


def test_no_transpose_is_computed_without_a_backward_pass() -> None:
    ready, dense = sparse(case(0, 4, 3)), torch.randn(3, 2, requires_grad=True)
    result = product(ready, dense)
    assert "transpose" not in vars(ready)
    result.sum().backward()
    assert "transpose" in vars(ready)


def test_rows_of_a_csr_tensor_begin_where_start_points() -> None:
    matrix = csr(torch.tensor([0, 2, 2, 3]), torch.tensor([0, 3, 1]), torch.tensor([1.0, 2.0, 3.0]), (3, 4))
    assert matrix.to_dense().tolist() == [[1, 0, 0, 2], [0, 0, 0, 0], [0, 3, 0, 0]]
    assert matrix.crow_indices().dtype == torch.int32


def test_no_beta_warning_is_printed() -> None:
    arguments = "torch.zeros(2), torch.zeros(0), torch.zeros(0), (1, 1)"
    script = f"import torch\nfrom highwaygraph.nn.spmm import csr\ncsr({arguments})"
    ended = subprocess.run([sys.executable, "-W", "always", "-c", script], capture_output=True, text=True, check=True)
    assert "sparse" not in ended.stderr.lower()
