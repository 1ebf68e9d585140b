"""A low-rank basis of a wide feature matrix, and its rows in that basis."""

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from highwaygraph.nn.functional import linear
from highwaygraph.nn.range_finder import range_finder
from highwaygraph.nn.votes.rows import Chunk, Rows


def row_space(rows: Rows, rank: int, rng: Generator) -> Float[Tensor, "f r"] | None:
    """Return an orthonormal basis that approximates the leading right singular vectors; None where it is not needed.

    Args:
        rows: The feature matrix.
        rank: Columns of the basis; a matrix with fewer rows or columns needs none.
        rng: Random numbers of the start.

    Returns:
        The basis, in one pass over the rows, or None.
    """
    if min(rows.width, rows.count) <= rank:
        return None
    return range_finder(rows.gram_times, torch.randn(rows.width, rank, generator=rng))


def project(chunk: Chunk, basis: Float[Tensor, "f r"] | None) -> Float[Tensor, "m r"]:
    """Return the rows of a chunk in the basis, or the dense rows themselves without one."""
    if basis is not None:
        return linear(chunk, basis.T)
    return chunk if isinstance(chunk, Tensor) else chunk.matrix.to_dense()
