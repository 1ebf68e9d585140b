"""The features that two nodes share: their cosine similarity, and the columns with the largest part in it."""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

# Entries of two gathered matrices in memory at a time.
CHUNK_ENTRIES = 2**22


class SharedFeatures(NamedTuple):
    """Similarity of the two ends of every edge."""

    similarity: Float[Tensor, "k"]
    """Cosine similarity of the features."""
    columns: Int[Tensor, "k most"]
    """Columns with the largest part in it, largest first; -1 where fewer have a positive part."""


def shared_features(x: Float[Tensor, "n f"], edges: Int[Tensor, "2 k"], most: int = 3) -> SharedFeatures:
    """Return the similarity of the ends of edges, and the columns that it comes from.

    The cosine similarity of two nodes is a sum over columns; the part of a column is the product of both entries.

    Args:
        x: The features, scaled as for the model.
        edges: The edges.
        most: Columns per edge.

    Returns:
        The similarity and the columns of every edge, in chunks: memory does not grow with the number of edges times f.

    Example:
        >>> x = torch.tensor([[1.0, 0.0, 2.0], [0.0, 0.0, 3.0]])
        >>> shared_features(x, torch.tensor([[0], [1]]), most=2).columns
        tensor([[ 2, -1]])
    """
    step = max(CHUNK_ENTRIES // max(x.size(1), 1), 1)
    found = [_shared(x, part, min(most, x.size(1))) for part in edges.split(step, dim=1)]
    if not found:
        return SharedFeatures(torch.empty(0), torch.empty(0, most, dtype=torch.long))
    return SharedFeatures(*(torch.cat(parts) for parts in zip(*found, strict=True)))


def _shared(x: Tensor, edges: Tensor, most: int) -> SharedFeatures:
    source, target = (F.normalize(x[end].float(), dim=1) for end in edges)
    parts = source * target
    largest = parts.topk(most, dim=1)
    return SharedFeatures(parts.sum(dim=1), largest.indices.where(largest.values > 0, -1))
