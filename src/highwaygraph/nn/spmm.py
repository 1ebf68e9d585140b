"""Sparse matrix products on CSR tensors with prepared transposes for the backward pass."""

import warnings
from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor
from torch.autograd.function import once_differentiable

with warnings.catch_warnings():
    # torch warns once per process that CSR is in beta; the tests compare every product with a dense one.
    warnings.simplefilter("ignore")
    torch.sparse_csr_tensor(torch.tensor([0, 0]), torch.tensor([], dtype=torch.long), torch.tensor([]), size=(1, 1))


def csr(start: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return a CSR tensor without torch's beta warning; row i is at start[i] to start[i + 1]."""
    # The kernels take 32-bit indices: others are copied in every product.
    return torch.sparse_csr_tensor(start.int(), columns.int(), values, size=shape)


# exp(-80) is still a normal float, and sums of millions of such are.
SPREAD = 80.0


# Rows of the dense factor that stay in the cache while a block of a transpose is multiplied with them.
CACHED_ROWS = 512


# Entries of a block's row on average, and of a whole block, below which splitting into blocks costs more than it saves.
MIN_ROW_ENTRIES, MIN_BLOCK_ENTRIES = 8, 4096


class Transpose(NamedTuple):
    """A transposed matrix as blocks of its columns."""

    blocks: tuple[Tensor, ...]
    order: Tensor
    """For each entry of the blocks, its position among the entries of the original matrix."""

    def with_values(self, values: Tensor) -> "Transpose":
        """Return the transpose of the original matrix with these values instead."""
        split = values.index_select(0, self.order).split([block.values().numel() for block in self.blocks])
        return Transpose(tuple(_like(*both) for both in zip(self.blocks, split, strict=True)), self.order)


class Sparse:
    """A CSR matrix whose transpose is computed in the first backward pass."""

    def __init__(self, matrix: Tensor, make_transpose: Callable[[], Transpose]) -> None:
        self.matrix = matrix
        self._make_transpose = make_transpose

    @cached_property
    def transpose(self) -> Transpose:
        """The transpose."""
        return self._make_transpose()

    @cached_property
    def rows(self) -> csr_array:
        """The same matrix for scipy, which shares its memory."""
        parts = self.matrix.values(), self.matrix.col_indices(), self.matrix.crow_indices()
        return csr_array(tuple(part.numpy() for part in parts), shape=tuple(self.matrix.shape))

    @property
    def shape(self) -> torch.Size:
        """Rows and columns."""
        return self.matrix.shape

    def times_transpose(self, dense: Tensor) -> Tensor:
        """Return the product of the transpose and a dense matrix."""
        return _times_transpose(self.transpose, dense)

    def with_values(self, values: Tensor) -> "Sparse":
        """Return a matrix with the same pattern and other values."""
        return Sparse(_like(self.matrix, values), lambda: self.transpose.with_values(values))


def sparse(matrix: csr_array) -> Sparse:
    """Prepare a scipy matrix; duplicate entries are not merged and add up in products."""
    values = torch.from_numpy(matrix.data.astype(np.float32, copy=False))

    def make_transpose() -> Transpose:
        positions = csr_array((np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
        height = _block_rows(matrix)
        blocks = [positions[row : row + height].T.tocsr() for row in range(0, max(matrix.shape[0], 1), height)]
        orders = [torch.from_numpy(block.data) for block in blocks]
        filled = (_csr(b.indptr, b.indices, values[o], b.shape) for b, o in zip(blocks, orders, strict=True))
        return Transpose(tuple(filled), torch.cat(orders))

    return Sparse(_csr(matrix.indptr, matrix.indices, values, matrix.shape), make_transpose)


def product(matrix: Sparse, dense: Tensor) -> Tensor:
    """Return matrix @ dense, with gradients to the dense factor."""
    return cast(Tensor, _Product.apply(dense, matrix))  # type: ignore[no-untyped-call]


def weighted_product(matrix: Sparse, values: Tensor, dense: Tensor) -> Tensor:
    """Return the product of the pattern with these values and the dense factor, with gradients to both."""
    return cast(Tensor, _WeightedProduct.apply(values, dense, matrix))  # type: ignore[no-untyped-call]


def row_softmax(scores: Tensor, rows: Sparse, row: Tensor) -> Tensor:
    """Return the softmax of the scores within each row; `rows` sums entries by row, `row` is the row of each entry."""
    return cast(Tensor, _RowSoftmax.apply(scores, rows.matrix, row))  # type: ignore[no-untyped-call]


def permute(values: Tensor, order: Tensor, inverse: Tensor) -> Tensor:
    """Return values[order] for a permutation; with its inverse given, the gradient is an index_select too."""
    return cast(Tensor, _Permute.apply(values, order, inverse))  # type: ignore[no-untyped-call]


class _Permute(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, order: Tensor, inverse: Tensor) -> Tensor:
        ctx.inverse = inverse
        return values.index_select(0, order)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return grad.index_select(0, ctx.inverse), None, None


class _Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, dense: Tensor, matrix: Sparse) -> Tensor:
        ctx.matrix = matrix
        return _times(matrix.matrix, dense)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return ctx.matrix.times_transpose(grad), None


class _WeightedProduct(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, dense: Tensor, pattern: Sparse) -> Tensor:
        ctx.pattern = pattern
        ctx.save_for_backward(values, dense)
        return _times(_like(pattern.matrix, values), dense)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        values, dense = ctx.saved_tensors
        transpose = ctx.pattern.transpose.with_values(values)
        # Only the products at the pattern's entries, never the full rows x columns.
        at_entries = torch.sparse.sampled_addmm(ctx.pattern.matrix, grad.contiguous(), dense.T, beta=0.0)
        return at_entries.values(), _times_transpose(transpose, grad), None


class _RowSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, rows: Tensor, row: Tensor) -> Tensor:
        powers = _powers(scores, rows, row)
        softmax = powers.mul_(_times(rows, powers).reciprocal_().index_select(0, row))
        ctx.rows, ctx.row = rows, row
        ctx.save_for_backward(softmax)
        return softmax

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        (softmax,) = ctx.saved_tensors
        weighted = softmax * grad
        return weighted - softmax * _times(ctx.rows, weighted).index_select(0, ctx.row), None, None


def _powers(scores: Tensor, rows: Tensor, row: Tensor) -> Tensor:
    """Return exp of the scores, shifted so that none overflows and no row becomes 0."""
    low, high = scores.aminmax() if len(scores) else (0.0, 0.0)
    if high - low < SPREAD:
        # One shift for all suffices, without a maximum by row.
        return (scores - high).exp_()
    highest = torch.segment_reduce(scores, "max", offsets=rows.crow_indices(), axis=0)
    return (scores - highest.index_select(0, row)).exp_()


def _times(matrix: Tensor, dense: Tensor) -> Tensor:
    # matrix @ dense would fill the result with zeros first, and copy them once more.
    return dense.new_empty(matrix.shape[0], dense.shape[1]).addmm_(matrix, dense, beta=0)


def _times_transpose(transpose: Transpose, dense: Tensor) -> Tensor:
    first, *others = transpose.blocks
    done = first.shape[1]
    total = _times(first, dense[:done])
    for block in others:
        total.addmm_(block, dense[done : done + block.shape[1]])
        done += block.shape[1]
    return total


def _block_rows(matrix: csr_array) -> int:
    """Return how many rows of the matrix a block of its transpose covers: all of them unless blocks are faster."""
    rows, columns = matrix.shape
    blocks = -(-rows // CACHED_ROWS)
    enough = blocks * max(MIN_ROW_ENTRIES * columns, MIN_BLOCK_ENTRIES)
    return CACHED_ROWS if matrix.nnz >= enough else max(rows, 1)


def _csr(indptr: NDArray[Any], indices: NDArray[Any], values: Tensor, shape: tuple[int, ...]) -> Tensor:
    return csr(torch.from_numpy(indptr), torch.from_numpy(indices), values, shape)


def _like(matrix: Tensor, values: Tensor) -> Tensor:
    return csr(matrix.crow_indices(), matrix.col_indices(), values, tuple(matrix.shape))
