import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from highwaygraph.data.limits import dense

numbers = st.lists(st.integers(-1, 5), max_size=5).map(np.array)


@given(st.integers(0, 4), st.integers(0, 4), st.integers(0, 2**16))
def test_sound_matrices_come_out_as_scipy_has_them(rows, columns, seed) -> None:
    table = np.random.default_rng(seed).integers(0, 2, (rows, columns))
    matrix = csr_array(table)
    assert np.array_equal(dense(matrix.data, matrix.indices, matrix.indptr, matrix.shape), table)


@given(numbers, numbers, st.integers(-1, 4), st.integers(-1, 4))
def test_anything_else_is_said(indices, indptr, rows, columns) -> None:
    indices, indptr = indices.astype(np.int64), indptr.astype(np.int64)
    try:
        found = dense(np.ones(len(indices)), indices, indptr, (rows, columns))
    except (ValueError, IndexError):
        return
    assert found.sum() == len(indices)


def test_ends_of_rows_of_nothing_are_looked_at_too() -> None:
    with pytest.raises(ValueError, match="ends of rows"):
        dense(np.ones(0), np.zeros(0, int), np.array([0, 2048, 0]), (2, 3))
    with pytest.raises(ValueError, match="more than"):
        dense(np.ones(0), np.zeros(0, int), np.zeros(100_001, int), (100_000, 100_000))
