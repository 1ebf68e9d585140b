"""The rows of a view, a feature matrix whose nodes vote, in chunks and scaled to a mean length of 1."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import torch
from jaxtyping import Float
from torch import Tensor

from highwaygraph.nn.features import to_csr
from highwaygraph.nn.functional import linear
from highwaygraph.nn.spmm import Sparse, sparse

Chunk: TypeAlias = Tensor | Sparse


# Entries of a chunk in memory: 64 MiB in single precision.
CHUNK_ENTRIES = 2**24


# Part of non-zeros below which products with a sparse chunk are faster.
SPARSE_BELOW = 0.1


class Rows:
    """The rows of a matrix, divided by the root mean square of their lengths; chunks are made when they are read.

    Args:
        x: The matrix, in memory or memory-mapped.
        prepare: Applied to every chunk first, for example the scaling of the features.
        length: The root mean square length of the prepared rows; computed unless given.

    Example:
        >>> rows = Rows(torch.tensor([[3.0, 4.0], [0.0, 5.0]]))
        >>> rows.times(torch.eye(2))
        tensor([[0.6000, 0.8000],
                [0.0000, 1.0000]])
    """

    def __init__(
        self, x: Float[Tensor, "n f"], prepare: Callable[[Tensor], Tensor] | None = None, length: float | None = None
    ) -> None:
        self.count, self.width = x.shape
        self._x, self._prepare = x, prepare
        # One chunk stays in memory; of several, each is made again in every pass.
        only = self._prepared(0) if self._step >= self.count else None
        self.length = length or self._mean_length([only] if only is not None else None)
        self._only = None if only is None else self._divided(only)

    @property
    def _step(self) -> int:
        return max(CHUNK_ENTRIES // max(self.width, 1), 1)

    def __iter__(self) -> Iterator[Chunk]:
        if self._only is not None:
            yield self._only
            return
        for start in range(0, self.count, self._step):
            yield self._divided(self._prepared(start))

    def times(self, dense: Float[Tensor, "f k"]) -> Float[Tensor, "n k"]:
        """Return the product of the rows and a dense matrix."""
        return torch.cat([linear(chunk, dense.T) for chunk in self])

    def gram_times(self, dense: Float[Tensor, "f k"]) -> Float[Tensor, "f k"]:
        """Return the product of X'X and a dense matrix, X being the rows."""
        total = torch.zeros_like(dense)
        for chunk in self:
            total += _transpose_times(chunk, linear(chunk, dense.T))
        return total

    def transpose_times(self, dense: Float[Tensor, "n k"]) -> Float[Tensor, "f k"]:
        """Return the product of the transposed rows and a dense matrix."""
        total, start = dense.new_zeros(self.width, dense.size(1)), 0
        for chunk in self:
            stop = start + chunk.shape[0]
            total += _transpose_times(chunk, dense[start:stop])
            start = stop
        return total

    def _prepared(self, start: int) -> Tensor:
        chunk = self._x[start : start + self._step].float()
        return chunk if self._prepare is None else self._prepare(chunk).float()

    def _mean_length(self, parts: Iterable[Tensor] | None) -> float:
        if parts is None:
            parts = (self._prepared(start) for start in range(0, self.count, self._step))
        return (sum(float(part.square().sum()) for part in parts) / max(self.count, 1)) ** 0.5 or 1.0

    def _divided(self, part: Tensor) -> Chunk:
        part = part / self.length
        return sparse(to_csr(part.numpy())) if part.count_nonzero() < SPARSE_BELOW * part.numel() else part


def _transpose_times(chunk: Chunk, dense: Float[Tensor, "m k"]) -> Float[Tensor, "f k"]:
    return chunk.times_transpose(dense) if isinstance(chunk, Sparse) else chunk.T @ dense
