"""Decompression limits: files are refused by the sizes they declare, before anything is decompressed."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from highwaygraph.errors import DataError

# Up to a GiB is always allowed; beyond, a file may decompress to MAX_RATIO times its size. Bags of words reach 250.
ALWAYS_ALLOWED, MAX_RATIO = 2**30, 300


# Bytes of memory that an entry of an array takes on the way to a graph: ids become Python objects, edges are stored in
# both directions. Other arrays take 8.
COSTS = {"x": 4, "y": 32, "edge_index": 32, "ids": 64, "classes": 64}


SPARSE = "save the features as a sparse matrix (x_indptr, x_indices, x_shape)"


def allowed(own: int) -> int:
    """Return the bytes that a file of that size may take in memory."""
    return max(ALWAYS_ALLOWED, MAX_RATIO * own)


def check_decompressed(path: Path, size: int, remedy: str) -> None:
    """Refuse a file that decompresses to more bytes than the limit for its size."""
    own = path.stat().st_size
    if size > allowed(own):
        raise DataError(
            f"{path.name} would decompress from {own:,} to {size:,} bytes, more than {MAX_RATIO} times its size: "
            f"{remedy}."
        )


def check_members(path: Path, archive: ZipFile) -> None:
    """Refuse an archive above the decompression limit, or whose arrays declare more than the archive holds."""
    members = archive.infolist()
    if any(member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for member in members):
        # Other methods may decompress without end, whatever they declare.
        raise DataError(f"{path.name} is not compressed as NumPy does it: write it with numpy.savez_compressed.")
    check_decompressed(path, sum(member.file_size for member in members), SPARSE)
    total = 0
    for member in members:
        entries, size = declared_size(archive, member)
        if size > member.file_size:
            raise DataError(f"{path.name} is damaged: {member.filename} declares more than the file holds.")
        total += max(size, entries * COSTS.get(member.filename.removesuffix(".npy"), 8))
    check_decompressed(path, total, SPARSE)


def declared_size(archive: ZipFile, member: ZipInfo) -> tuple[int, int]:
    """Return the entries and bytes, at least one an entry, that an array declares; 0 for other members and objects."""
    with archive.open(member) as file:
        if file.read(len(np.lib.format.MAGIC_PREFIX)) != np.lib.format.MAGIC_PREFIX:
            return 0, 0
        file.seek(0)
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read(file)
    entries = 0 if kind.hasobject else math.prod(shape)
    return entries, entries * max(kind.itemsize, 1)


def check_dense(shape: Sequence[int], itemsize: int, own: int) -> None:
    """Raise ValueError where a table is negative, or larger than a file of that size may take in memory."""
    if len(shape) != 2 or min(shape) < 0:
        raise ValueError(f"there is no table of shape {tuple(shape)}")
    # Features become 32-bit numbers, whatever they are stored as.
    if math.prod(shape) * max(itemsize, 4) > allowed(own):
        raise ValueError(
            f"a table of {shape[0]:,} x {shape[1]:,} is more than {MAX_RATIO} times the {own:,} bytes that are stored"
        )


def dense(
    values: NDArray[Any], indices: NDArray[Any], indptr: NDArray[Any], shape: tuple[int, ...], own: int
) -> NDArray[Any]:
    """Return the dense matrix of a CSR matrix; raise ValueError where it is invalid, as scipy does not check indices.

    Args:
        values: The entries.
        indices: Their columns.
        indptr: The end of every row.
        shape: Number of rows and columns.
        own: Bytes of the file that declares them, which limit the size of the matrix.
    """
    check_dense(shape, values.itemsize, own)
    if len(indptr) != shape[0] + 1:
        raise ValueError(f"a shape of {shape} does not go with {len(indptr)} ends of rows")
    if not len(indices) == len(values) == indptr[-1] or indptr[0] != 0 or bool((indptr[1:] < indptr[:-1]).any()):
        raise ValueError("the ends of rows do not go with the entries")
    if len(indices) and not 0 <= int(indices.min()) <= int(indices.max()) < shape[1]:
        raise ValueError(f"an entry lies beyond {shape[1]} columns")
    table: NDArray[Any] = csr_array((values, indices, indptr), shape=shape).toarray()
    return table
