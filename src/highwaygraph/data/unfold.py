"""Files that would unfold to far more than they are, told by what they declare before anything is unfolded."""

import math
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import numpy as np

from highwaygraph.errors import DataError

# Up to a GiB, anything goes; beyond, a file may unfold to so many times its size. Bags of words reach 250.
ALWAYS, TIMES = 2**30, 300
SPARSE = "save the features as a sparse matrix (x_indptr, x_indices, x_shape)"


def check_unfolded(path: Path, size: int, remedy: str) -> None:
    """Refuse a file that declares so many bytes when its own size does not go with them."""
    own = path.stat().st_size
    if size > max(ALWAYS, TIMES * own):
        raise DataError(
            f"{path.name} would unfold from {own:,} to {size:,} bytes, more than {TIMES} times its size: {remedy}."
        )


def check_members(path: Path, archive: ZipFile) -> None:
    """Refuse an archive of arrays that unfolds to too much, or whose arrays declare more than the archive holds."""
    members = archive.infolist()
    if any(member.compress_type not in (ZIP_STORED, ZIP_DEFLATED) for member in members):
        # Others may unfold without end, whatever they declare.
        raise DataError(f"{path.name} is not compressed as NumPy does it: write it with numpy.savez_compressed.")
    check_unfolded(path, sum(member.file_size for member in members), SPARSE)
    for member in members:
        if declared(archive, member) > member.file_size:
            raise DataError(f"{path.name} is damaged: {member.filename} declares more than the file holds.")


def declared(archive: ZipFile, member: ZipInfo) -> int:
    """Return how many bytes an array says it has, at least one an entry; none of what is no array or holds objects."""
    with archive.open(member) as file:
        if file.read(len(np.lib.format.MAGIC_PREFIX)) != np.lib.format.MAGIC_PREFIX:
            return 0
        file.seek(0)
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read(file)
    return 0 if kind.hasobject else math.prod(shape) * max(kind.itemsize, 1)
