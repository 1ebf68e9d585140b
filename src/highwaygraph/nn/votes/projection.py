"""A low-rank basis of a wide feature matrix: the randomised range finder of Halko, Martinsson and Tropp (2011)."""

import torch
from jaxtyping import Float
from torch import Generator, Tensor

from highwaygraph.nn.votes.rows import Chunk, Rows, times, transpose_times


def row_space(rows: Rows, rank: int, rng: Generator) -> Float[Tensor, "f r"] | None:
    """Return an orthonormal basis that approximates the leading right singular vectors; None where it is not needed.

    Args:
        rows: The feature matrix.
        rank: Columns of the basis; a matrix with fewer rows or columns needs none.
        rng: Random numbers of the start.

    Returns:
        The basis, in two passes over the rows, or None.
    """
    if min(rows.width, rows.count) <= rank:
        return None
    start = torch.randn(rows.width, rank, generator=rng)
    found = start.new_zeros(rows.width, rank)
    for chunk in rows:
        found += transpose_times(chunk, times(chunk, start))
    basis: Tensor = torch.linalg.qr(found).Q
    return basis


def project(chunk: Chunk, basis: Float[Tensor, "f r"] | None) -> Float[Tensor, "m r"]:
    """Return the rows of a chunk in the basis, or the dense rows themselves without one."""
    if basis is not None:
        return times(chunk, basis)
    return chunk if isinstance(chunk, Tensor) else chunk.matrix.to_dense()
