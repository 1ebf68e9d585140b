"""Sparse matrices from files as dense ones, where no index leads astray."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

# Entries of the largest table that is made of a sparse one whose file is that much smaller.
MOST = 2**31


def dense(values: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """Return the matrix, or say what is wrong with it by a ValueError; scipy writes wherever an index points."""
    if len(shape) != 2 or min(shape) < 0 or len(indptr) != shape[0] + 1:
        raise ValueError(f"a shape of {shape} does not go with {len(indptr)} ends of rows")
    if not len(indices) == len(values) == indptr[-1] or indptr[0] != 0 or bool((indptr[1:] < indptr[:-1]).any()):
        raise ValueError("the ends of rows do not go with the entries")
    if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < shape[1]:
        raise ValueError(f"an entry lies beyond {shape[1]} columns")
    if np.prod(shape, dtype=np.float64) > MOST:
        raise ValueError(f"{shape[0]:,} x {shape[1]:,} is more than {MOST:,} numbers")
    table: NDArray[Any] = csr_array((values, indices, indptr), shape=shape).toarray()
    return table
