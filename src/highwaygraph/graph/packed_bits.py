"""Rows of truth values packed into integers, and their union over the neighbours of every node."""

import numpy as np
import torch
from jaxtyping import Bool, Integer
from torch import Tensor

from highwaygraph.graph.csr import CSR

# Integers by their bytes; wider rows are several of the widest. Signed, as torch does not index every unsigned type.
WORDS = {1: np.uint8, 2: np.int16, 4: np.int32, 8: np.int64}


# Times eight bytes of 0 or 1, it has byte i in bit 56 + i.
GATHER = np.uint64(0x0102040810204080)


def pack_bits(mask: Bool[Tensor, "n g"]) -> Integer[Tensor, "n w"]:
    """Return every row of a mask as the bits of one integer, or of several where it is wider than 64.

    Args:
        mask: A row per node.

    Returns:
        Integers of the smallest type that holds a row.

    Example:
        >>> import torch
        >>> pack_bits(torch.tensor([[True, False, True], [False, True, False]])).tolist()
        [[5], [2]]
    """
    # NumPy's packbits takes as long for a row of one as for a row of many: here, a product packs eight columns.
    padded = np.zeros((len(mask), -(-mask.size(1) // 8) * 8), dtype=np.uint8)
    padded[:, : mask.size(1)] = mask.numpy()
    packed = ((padded.view("<u8") * GATHER) >> np.uint64(56)).astype(np.uint8)
    width = next((size for size in WORDS if packed.shape[1] <= size), -(-packed.shape[1] // 8) * 8)
    if width > packed.shape[1]:
        packed = np.pad(packed, ((0, 0), (0, width - packed.shape[1])))
    return torch.from_numpy(packed.view(WORDS[min(width, 8)]))


def unpack_bits(words: Integer[Tensor, "n w"], groups: int) -> Bool[Tensor, "n g"]:
    """Return the mask of `groups` columns that the words were packed from.

    Example:
        >>> import torch
        >>> unpack_bits(torch.tensor([[5], [2]], dtype=torch.uint8), 3).tolist()
        [[True, False, True], [False, True, False]]
    """
    packed = words.numpy().view(np.uint8)
    bits = np.unpackbits(packed, axis=1, count=groups, bitorder="little")
    return torch.from_numpy(bits.view(np.bool_))


def or_neighbors(rows: CSR, low: int, high: int, words: Integer[Tensor, "n w"]) -> Integer[Tensor, "r w"]:
    """Return the union of the neighbours' bits for the target nodes low to high.

    Args:
        rows: The adjacency.
        low: First target node.
        high: Node after the last target node.
        words: The bits of every node.
    """
    begin, end = int(rows.rowptr[low]), int(rows.rowptr[high])
    starts = (rows.rowptr[low : high + 1] - begin).numpy()
    # torch selects from a vector several times faster than from a matrix of one column.
    table = words.flatten() if words.size(1) == 1 else words
    # One row of zeros at the end is the start of empty segments there.
    gathered = table.new_zeros((end - begin + 1, *table.shape[1:]))
    torch.index_select(table, 0, rows.col[begin:end], out=gathered[:-1])
    found = np.bitwise_or.reduceat(gathered.numpy(), starts[:-1], axis=0)
    # NumPy takes one entry of an empty segment.
    found[starts[1:] == starts[:-1]] = 0
    return torch.from_numpy(found).view(-1, words.size(1))
