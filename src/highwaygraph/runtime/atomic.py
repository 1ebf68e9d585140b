"""Atomic writes: a file or folder appears complete or not at all, also after a crash or on a full disk.

Everything is written into a temporary folder beside its path and renamed. A rename replaces a symbolic link and
never follows it. A temporary folder is locked while its process lives; one that is not locked is removed by the next
write of the same path.
"""

import errno
import os
import shutil
import stat
import string
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

try:
    import fcntl
except ImportError:  # pragma: no cover (Windows has no fcntl)
    fcntl = None  # type: ignore[assignment]


# Letters that tempfile chooses from, and their number in a name.
LETTERS, NUM_LETTERS = set(string.ascii_lowercase + string.digits + "_"), 8


def write_atomic(path: Path, content: bytes) -> None:
    """Write a file as a whole.

    Args:
        path: The file, which is replaced if it exists.
        content: All of its bytes.
    """
    with staged_file(path) as staged:
        staged.write_bytes(content)


@contextmanager
def staged_file(path: Path) -> Iterator[Path]:
    """Yield a path of the same name in a temporary folder; its file is moved to `path` when the block succeeds."""
    with staged_files([path]) as (staged,):
        yield staged


@contextmanager
def staged_files(paths: Sequence[Path]) -> Iterator[list[Path]]:
    """Yield paths of the same names in a temporary folder; no file is replaced unless all could be written.

    Args:
        paths: Files of one folder; a file that exists keeps its permissions.

    Yields:
        Where to write them.
    """
    modes = [_mode(path) for path in paths]
    with temporary_folder(paths[0]) as temporary:
        staged = [temporary / path.name for path in paths]
        yield staged
        for one, mode in zip(staged, modes, strict=True):
            fsync(one)
            one.chmod(mode)
        for one, path in zip(staged, paths, strict=True):
            os.replace(one, path)
        fsync(paths[0].parent)


@contextmanager
def staged_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder beside the path that is moved there, synced to disk, when the block succeeds.

    A folder that is there already is replaced; if that fails, it stays as it was. Parents are created. A link to a
    folder stays a link: the folder that it leads to is replaced.
    """
    path = path.resolve() if path.is_dir() else path.absolute()
    path.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(path) as temporary:
        staged = temporary / "new"
        staged.mkdir()
        yield staged
        fsync_tree(staged)
        _swap(staged, path, temporary / "old")
        fsync(path.parent)


def remove_leftovers(folder: Path, name: str | None = None) -> None:
    """Remove the temporary files and folders that killed processes left beside the path of a name, or of any."""
    with suppress(OSError):
        for left in folder.iterdir():
            target = _target(left)
            if target is not None and name in (None, target.name):
                _remove_leftover(left, target)


def _target(path: Path) -> Path | None:
    """Return the path beside which a temporary file or folder was made, None for any other name."""
    head, _, letters = path.stem.rpartition(".")
    temporary = path.suffix == ".part" and len(letters) == NUM_LETTERS and LETTERS.issuperset(letters)
    return path.with_name(head[1:]) if temporary and head.startswith(".") and len(head) > 1 else None


def reason(error: Exception) -> str:
    """Return the cause of a failed write for an error message."""
    return getattr(error, "strerror", None) or str(error)


def _mode(path: Path) -> int:
    """Return the permissions of the file to write; refuse to replace a folder, a device or a pipe."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "it is no regular file")
    return stat.S_IMODE(path.stat().st_mode) if path.is_file() and not path.is_symlink() else shared_mode()


@contextmanager
def temporary_folder(path: Path) -> Iterator[Path]:
    """Yield a new folder beside the path, which is removed at the end; remove those of dead processes first."""
    remove_leftovers(path.parent, path.name)
    folder, handle = _locked_folder(path)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        _close(handle)


def _locked_folder(path: Path) -> tuple[Path, int | None]:
    while True:
        folder = Path(tempfile.mkdtemp(dir=path.parent, prefix=f".{path.name}.", suffix=".part"))
        handle = _lock(folder, wait=True)
        # Another process may have removed the folder before it was locked.
        if folder.exists():
            return folder, handle
        _close(handle)


def _lock(folder: Path, *, wait: bool) -> int | None:
    """Return an open handle that locks the folder until it is closed, None where that is not possible."""
    if fcntl is None:  # pragma: no cover
        return None
    handle = None
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        # Held by a running process, or a disk without locks: then leftovers stay.
        _close(handle)
        return None
    return handle


def _close(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _remove_leftover(left: Path, target: Path) -> None:
    if left.is_symlink() or not left.is_dir():
        left.unlink(missing_ok=True)
        return
    handle = _lock(left, wait=False)
    if handle is None:
        return
    if (left / "old").exists() and not target.exists():
        # Killed between two renames, while the old folder was in neither place.
        os.replace(left / "old", target)
    shutil.rmtree(left, ignore_errors=True)
    _close(handle)


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
