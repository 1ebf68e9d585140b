import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from highwaygraph.data import limits
from highwaygraph.data.limits import dense

numbers = st.lists(st.integers(-1, 5), max_size=5).map(np.array)


@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2**16))
def test_sound_matrices_come_out_as_scipy_has_them(rows, columns, seed) -> None:
    table = np.random.default_rng(seed).integers(0, 2, (rows, columns))
    matrix = csr_array(table)
    assert np.array_equal(dense(matrix.data, matrix.indices, matrix.indptr, matrix.shape, 0), table)


@given(numbers, numbers, st.integers(-1, 4), st.integers(-1, 4))
def test_anything_else_is_said(indices, indptr, rows, columns) -> None:
    indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    try:
        found = dense(np.ones(len(indices)), indices, indptr, (rows, columns), 0)
    except (ValueError, IndexError):
        return
    assert found.sum() == len(indices)


def test_ends_of_rows_of_nothing_are_looked_at_too() -> None:
    with pytest.raises(ValueError, match="ends of rows"):
        dense(np.ones(0), np.zeros(0, int), np.array([0, 2048, 0]), (2, 3), 0)
    with pytest.raises(ValueError, match="more than"):
        dense(np.ones(0), np.zeros(0, int), np.zeros(100_001, int), (100_000, 100_000), 800_008)


def test_the_size_of_a_table_is_limited_by_what_is_stored() -> None:
    arguments = np.ones(0, np.float32), np.zeros(0, int), np.array([0, 0]), (1, 2**29)
    with pytest.raises(ValueError, match="1 x 536,870,912 is more than 300 times the 600 bytes that are stored"):
        dense(*arguments, 600)
    limits.check_dense((1, 2**29), 4, 2**31 // 300 + 1)
