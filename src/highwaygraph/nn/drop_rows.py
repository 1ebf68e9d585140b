"""Dropout of whole rows and of single entries of sparse features: the product skips what was dropped."""

import numpy as np
import torch
from jaxtyping import Float
from scipy.sparse import csc_array, csr_array
from torch import Tensor

from highwaygraph.nn.dropout import DropoutMasks, dropout
from highwaygraph.nn.spmm import Sparse, csr


class Compact(Sparse):
    """A CSR matrix of the kept entries; it is used once, so that its transpose is not worth sorting."""

    def __init__(self, matrix: csr_array) -> None:
        self.rows = matrix
        start, columns, values = (torch.from_numpy(part) for part in (matrix.indptr, matrix.indices, matrix.data))
        self.matrix = csr(start, columns, values, matrix.shape)

    def with_values(self, values: Tensor) -> "Compact":
        """Return a matrix with the same pattern and other values."""
        return Compact(csr_array((values.numpy(), self.rows.indices, self.rows.indptr), shape=self.rows.shape))

    def times_transpose(self, dense: Tensor) -> Tensor:
        """Return the product of the transpose and a dense matrix, which is read row by row."""
        rows, columns = self.rows.shape
        transpose = csc_array((self.rows.data, self.rows.indices, self.rows.indptr), shape=(columns, rows))
        return torch.from_numpy(transpose @ dense.numpy())


def drop_rows(
    x: Tensor | Sparse, rate: float, masks: DropoutMasks | None, visible: Float[Tensor, "n"] | None
) -> tuple[Tensor | Sparse, Float[Tensor, "n"] | None]:
    """Apply dropout to features some of whose rows are dropped.

    Args:
        x: The features.
        rate: Probability with which an entry is dropped.
        masks: Source of the dropout masks; None drops no entries.
        visible: Factor of every row, 0 for a dropped row; None means 1 for all.

    Returns:
        The features after dropout, and the factors that are still to be applied; of sparse features, none.
    """
    if visible is None or not isinstance(x, Sparse):
        return dropout(x, rate, masks), visible
    factors = visible.numpy()
    rows = np.flatnonzero(factors)
    chosen, scale = x.rows[rows], np.float32(1)
    values, columns, start = chosen.data, chosen.indices, chosen.indptr
    if masks is not None and rate:
        kept, scale = masks.sample_kept(chosen.nnz, rate)
        values, columns, start = values[kept], columns[kept], np.searchsorted(kept, start)
    counts = np.diff(start)
    indptr = np.zeros(len(factors) + 1, dtype=np.int32)
    indptr[rows + 1] = counts
    values = values * np.repeat(factors[rows] * scale, counts)
    return Compact(csr_array((values, columns, np.cumsum(indptr, out=indptr)), shape=x.shape)), None
