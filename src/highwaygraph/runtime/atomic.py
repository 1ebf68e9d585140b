"""Files that are there whole or not at all, also after a crash."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path


def write_atomic(path: Path, content: bytes) -> None:
    """Write beside the place, wait until the disk has it, and move it there."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    fsync(path.parent)


def fsync(place: Path) -> None:
    """Wait until the disk has a file, or the names that a folder holds."""
    if place.is_dir():
        # Windows opens no folders, and some network disks settle none: both keep names by themselves.
        with suppress(OSError):
            _sync(os.open(place, os.O_RDONLY))
    else:
        _sync(os.open(place, os.O_RDWR))


def _sync(handle: int) -> None:
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fsync_tree(folder: Path) -> None:
    """Wait until the disk has a folder with everything in it."""
    for inner in folder.iterdir():
        fsync_tree(inner) if inner.is_dir() else fsync(inner)
    fsync(folder)


def remove_leftovers(folder: Path, name: str) -> None:
    """Remove what a killed process left of a file or folder of that name that it was writing."""
    for left in folder.glob(f".{name}.*.part"):
        # Between the dots stand eight letters that tempfile chose; anything else is somebody's own.
        if len(left.name) == len(name) + 15:
            shutil.rmtree(left) if left.is_dir() else left.unlink()
