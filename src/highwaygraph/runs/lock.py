"""The lock and the checkpoint folder of an unfinished run, beside its final folder."""

import os
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

from filelock import FileLock, Timeout

from highwaygraph.errors import RunError, StoppedError
from highwaygraph.runtime import distributed


@contextmanager
def run_lock(out: Path, *, resume: bool, force: bool) -> Iterator[Path]:
    """Lock the checkpoint folder of a run, and remove it when the run is finished.

    Args:
        out: The final folder of the run.
        resume: Use the checkpoints that are there.
        force: Remove them.

    Yields:
        The checkpoint folder.
    """
    folder = out.with_name(f"{out.name}.unfinished")
    if folder.is_symlink():
        raise RunError(f"{folder} is a link, through which no checkpoint is written: remove it.")
    if distributed.rank() > 0:
        distributed.barrier()
        yield folder
        return
    # torchrun restarts the processes without --resume.
    resume = resume or int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")) > 0
    with file_lock(
        folder / "lock", f"{out} is being trained by another process: wait for it, or choose another folder."
    ):
        if _checkpoints(folder) and not (resume or force):
            raise RunError(f"{folder} holds an unfinished run: resume it (--resume), or start again (--force).")
        if not resume:
            for old in _checkpoints(folder):
                old.unlink()
        distributed.barrier()
        try:
            yield folder
        except BaseException:
            if not _checkpoints(folder):
                shutil.rmtree(folder, ignore_errors=True)
            raise
        shutil.rmtree(folder, ignore_errors=True)


def remove_checkpoints(out: Path) -> None:
    """Remove the checkpoint folder of a finished run, whose process was killed before it could do so."""
    if distributed.world_size() == 1 and out.with_name(f"{out.name}.unfinished").is_dir():
        with run_lock(out, resume=True, force=False):
            pass


@contextmanager
def file_lock(path: Path, message: str) -> Iterator[None]:
    """Hold a lock file, which the system releases when the process dies; raise RunError(message) if it is held."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise RunError(message) from error
    except OSError as error:
        raise RunError(f"Cannot write to {path.parent}: {error.strerror}. Choose another folder.") from error
    try:
        yield
    finally:
        with suppress(OSError):
            path.unlink()
        lock.release()


@contextmanager
def graceful_stop(
    folder: Path, command: str, notify: Callable[[str], object] = lambda _: None, *, part: str = "epoch"
) -> Iterator[threading.Event]:
    """Let Ctrl-C and SIGTERM end a training after its epoch, with a checkpoint.

    Args:
        folder: The checkpoint folder.
        command: The command that resumes the training, for the error message.
        notify: Called with a message at the first signal.
        part: The part of the training after which it stops.

    Yields:
        The event that is set by a signal; a second Ctrl-C raises KeyboardInterrupt at once.
    """
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def handle(number: int, _: FrameType | None) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()
        notify(f"Stopping after this {part} ...")

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    except KeyboardInterrupt as error:
        if not _checkpoints(folder):
            raise
        raise StoppedError(f"Stopped; resume with: {command}") from error
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _checkpoints(folder: Path) -> list[Path]:
    return list(folder.glob("*/*.safetensors"))
