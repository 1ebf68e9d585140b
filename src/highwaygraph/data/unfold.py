"""Files that would unfold to far more than they are, told by what they declare before anything is unfolded."""

import math
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import numpy as np

from highwaygraph.errors import DataError

# Up to a GiB, anything goes; beyond, a file may unfold to a hundred times its size.
ALWAYS, TIMES = 2**30, 100


def check_unfolded(path: Path, size: int) -> None:
    """Refuse a file that declares so many bytes when its own size does not go with them."""
    own = path.stat().st_size
    if size > max(ALWAYS, TIMES * own):
        raise DataError(
            f"{path.name} would unfold from {own:,} to {size:,} bytes, more than {TIMES} times: save it uncompressed."
        )


def check_members(path: Path, archive: ZipFile) -> None:
    """Refuse an archive of arrays that unfolds to too much, or whose arrays declare more than the archive holds."""
    members = archive.infolist()
    check_unfolded(path, sum(member.file_size for member in members))
    for member in members:
        if declared(archive, member) > member.file_size:
            raise DataError(f"{path.name} is damaged: {member.filename} declares more than the file holds.")


def declared(archive: ZipFile, member: ZipInfo) -> int:
    """Return how many bytes an array says it has."""
    with archive.open(member) as file:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, kind = read(file)
    return math.prod(shape) * kind.itemsize
