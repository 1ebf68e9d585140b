"""torch's sparse matrices by rows, made without its remarks."""

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
    # torch says once per process that CSR is in beta; the tests compare every product with a dense one.
    warnings.simplefilter("ignore")
    torch.sparse_csr_tensor(torch.tensor([0, 0]), torch.tensor([], dtype=torch.long), torch.tensor([]), size=(1, 1))


def csr(start: Tensor, columns: Tensor, values: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Return the matrix whose row i stands at start[i] to start[i + 1]."""
    # 32-bit indices are what the kernels take: others are copied in every product.
    return torch.sparse_csr_tensor(start.int(), columns.int(), values, size=shape)


# exp(-80) is still a normal float, and sums of millions of such are.
SPREAD = 80.0


# Rows of the other factor that stay in the cache while a part of a transpose goes over them, column by column.
AT_HAND = 512


# Entries that a row of such a part has at least on average, and a whole part, or parts cost more than they save.
FILLED, WORTH = 8, 4096


class Turned(NamedTuple):
    """A transposed matrix in parts that stand side by side, and where they find their values in the upright one."""

    parts: tuple[Tensor, ...]
    order: Tensor

    def with_values(self, values: Tensor) -> "Turned":
        """Return the same pattern with what an upright matrix of these values has there."""
        found = values.index_select(0, self.order).split([part.values().numel() for part in self.parts])
        return Turned(tuple(_like(*both) for both in zip(self.parts, found, strict=True)), self.order)


class Sparse:
    """A matrix in CSR whose transpose is made when the first backward pass asks for it."""

    def __init__(self, matrix: Tensor, turn: Callable[[], Turned]) -> None:
        self.matrix = matrix
        self._turn = turn

    @cached_property
    def turned(self) -> Turned:
        """The transpose."""
        return self._turn()

    @property
    def shape(self) -> torch.Size:
        """Rows and columns."""
        return self.matrix.shape

    def with_values(self, values: Tensor) -> "Sparse":
        """Return a matrix with the same pattern and other values."""
        return Sparse(_like(self.matrix, values), lambda: self.turned.with_values(values))


def sparse(matrix: csr_array) -> Sparse:
    """Prepare a scipy matrix; entries at the same place stay apart and add up in products."""
    values = torch.from_numpy(matrix.data.astype(np.float32, copy=False))

    def turn() -> Turned:
        places = csr_array((np.arange(matrix.nnz), matrix.indices, matrix.indptr), shape=matrix.shape)
        height = _height(matrix)
        turned = [places[row : row + height].T.tocsr() for row in range(0, max(matrix.shape[0], 1), height)]
        orders = [torch.from_numpy(part.data) for part in turned]
        parts = (_csr(p.indptr, p.indices, values[o], p.shape) for p, o in zip(turned, orders, strict=True))
        return Turned(tuple(parts), torch.cat(orders))

    return Sparse(_csr(matrix.indptr, matrix.indices, values, matrix.shape), turn)


def product(matrix: Sparse, dense: Tensor) -> Tensor:
    """Return matrix @ dense, with gradients to the dense factor."""
    return cast(Tensor, _Product.apply(dense, matrix))  # type: ignore[no-untyped-call]


def weighted_product(matrix: Sparse, values: Tensor, dense: Tensor) -> Tensor:
    """Return the product of the pattern with these values and the dense factor, with gradients to both."""
    return cast(Tensor, _WeightedProduct.apply(values, dense, matrix))  # type: ignore[no-untyped-call]


def row_softmax(scores: Tensor, rows: Sparse, row: Tensor) -> Tensor:
    """Return the softmax of the scores over each row's entries; `rows` sums entries by row, `row` names theirs."""
    return cast(Tensor, _RowSoftmax.apply(scores, rows.matrix, row))  # type: ignore[no-untyped-call]


def permute(values: Tensor, order: Tensor, inverse: Tensor) -> Tensor:
    """Return values[order] for a permutation whose inverse is known, so that its gradient is a plain look-up too."""
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
        return _times_turned(ctx.matrix.turned, grad), None


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
        turned = ctx.pattern.turned.with_values(values)
        # Only the products at the pattern's places, never the full rows x columns.
        at_places = torch.sparse.sampled_addmm(ctx.pattern.matrix, grad.contiguous(), dense.T, beta=0.0)
        return at_places.values(), _times_turned(turned, grad), None


class _RowSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, scores: Tensor, rows: Tensor, row: Tensor) -> Tensor:
        powers = _powers(scores, rows, row)
        shares = powers.mul_(_times(rows, powers).reciprocal_().index_select(0, row))
        ctx.rows, ctx.row = rows, row
        ctx.save_for_backward(shares)
        return shares

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        (shares,) = ctx.saved_tensors
        weighted = shares * grad
        return weighted - shares * _times(ctx.rows, weighted).index_select(0, ctx.row), None, None


def _powers(scores: Tensor, rows: Tensor, row: Tensor) -> Tensor:
    """Return exp of the scores, lowered so that none overflows and no row vanishes."""
    low, high = scores.aminmax() if len(scores) else (0.0, 0.0)
    if high - low < SPREAD:
        # One shift for all does as well, and needs no search by row.
        return (scores - high).exp_()
    highest = torch.segment_reduce(scores, "max", offsets=rows.crow_indices(), axis=0)
    return (scores - highest.index_select(0, row)).exp_()


def _times(matrix: Tensor, dense: Tensor) -> Tensor:
    # matrix @ dense would fill the result with zeros first, and copy them once more.
    return dense.new_empty(matrix.shape[0], dense.shape[1]).addmm_(matrix, dense, beta=0)


def _times_turned(turned: Turned, dense: Tensor) -> Tensor:
    first, *others = turned.parts
    done = first.shape[1]
    total = _times(first, dense[:done])
    for part in others:
        total.addmm_(part, dense[done : done + part.shape[1]])
        done += part.shape[1]
    return total


def _height(matrix: csr_array) -> int:
    """Return how many rows a part of the transpose takes: all of them unless many parts are quicker."""
    rows, columns = matrix.shape
    parts = -(-rows // AT_HAND)
    return AT_HAND if matrix.nnz >= parts * max(FILLED * columns, WORTH) else max(rows, 1)


def _csr(indptr: NDArray[Any], indices: NDArray[Any], values: Tensor, shape: tuple[int, ...]) -> Tensor:
    return csr(torch.from_numpy(indptr), torch.from_numpy(indices), values, shape)


def _like(matrix: Tensor, values: Tensor) -> Tensor:
    return csr(matrix.crow_indices(), matrix.col_indices(), values, tuple(matrix.shape))
