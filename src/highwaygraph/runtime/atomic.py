"""Atomic writes: a file or folder appears complete or not at all, also after a crash."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def write_atomic(path: Path, content: bytes, mode: int = 0o600) -> None:
    """Write a temporary file beside the path, wait until it is on disk, and move it there.

    Args:
        path: The file, which is replaced if it exists.
        content: All of its bytes.
        mode: Permissions of the file; private unless `shared_mode()` is given.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    fsync(path.parent)


@contextmanager
def staged_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder beside the path that is moved there, synced to disk, when the block succeeds.

    A folder that is there already is replaced; if that fails, it stays as it was. Parents are created.
    """
    path = path.absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.", suffix=".part") as temporary:
        staged = Path(temporary, "new")
        staged.mkdir()
        yield staged
        fsync_tree(staged)
        _swap(staged, path, Path(temporary, "old"))
        fsync(path.parent)


def _swap(staged: Path, path: Path, old: Path) -> None:
    """Move the new folder into the place of the old one, or leave the old one where it was."""
    replaced = path.exists()
    if replaced:
        os.replace(path, old)
    try:
        os.replace(staged, path)
    except BaseException:
        if replaced:
            os.replace(old, path)
        raise


def shared_mode() -> int:
    """Return the permissions that a new file has by default; temporary files are private."""
    # There is no way to read the mask without setting it.
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


def fsync(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on disk."""
    if path.is_dir():
        # Windows opens no folders, and some network disks sync none: both keep names by themselves.
        with suppress(OSError):
            _sync(os.open(path, os.O_RDONLY))
    else:
        _sync(os.open(path, os.O_RDWR))


def _sync(handle: int) -> None:
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def fsync_tree(folder: Path) -> None:
    """Wait until a folder and everything in it are on disk."""
    for inner in folder.iterdir():
        fsync_tree(inner) if inner.is_dir() else fsync(inner)
    fsync(folder)


def remove_leftovers(folder: Path, name: str) -> None:
    """Remove the temporary files and folders that a killed process left beside the path of that name."""
    for left in folder.glob(f".{name}.*.part"):
        # Between the dots stand eight letters that tempfile chose; any other name is the user's.
        if len(left.name) == len(name) + 15:
            shutil.rmtree(left) if left.is_dir() else left.unlink()
