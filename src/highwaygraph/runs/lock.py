"""A run that is not finished: a folder beside its place, with a lock and checkpoints, gone when the run is there."""

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
from highwaygraph.runtime.atomic import remove_leftovers


@contextmanager
def run_lock(out: Path, *, resume: bool, force: bool) -> Iterator[Path]:
    """Hold the folder for checkpoints of the run that will be at `out`, and remove it when the run is finished."""
    folder = out.with_name(f"{out.name}.unfinished")
    if distributed.rank() > 0:
        distributed.barrier()
        yield folder
        return
    # Where torchrun starts everybody again, nobody is asked.
    resume = resume or int(os.environ.get("TORCHELASTIC_RESTART_COUNT", "0")) > 0
    with file_lock(
        folder / "lock", f"{out} is being trained by another process: wait for it, or choose another folder."
    ):
        if _checkpoints(folder) and not (resume or force):
            raise RunError(f"{folder} holds an unfinished run: go on with it (--resume), or begin anew (--force).")
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
        remove_leftovers(out.parent, out.name)


@contextmanager
def file_lock(path: Path, otherwise: str) -> Iterator[None]:
    """Hold a lock that the system takes back from a dead process, or say why it cannot be had."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = FileLock(path)
        lock.acquire(timeout=0)
    except Timeout as error:
        raise RunError(otherwise) from error
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
    folder: Path, words: str, notify: Callable[[str], object] = lambda _: None
) -> Iterator[threading.Event]:
    """Let Ctrl-C and SIGTERM end trainings after their epoch, with a checkpoint and a word on how to go on."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return

    def ask(number: int, _: FrameType | None) -> None:
        if stop.is_set() and number == signal.SIGINT:
            raise KeyboardInterrupt
        stop.set()
        notify("Stopping after this epoch ...")

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    except KeyboardInterrupt as error:
        if not _checkpoints(folder):
            raise
        raise StoppedError(f"Stopped; go on with: {words}") from error
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _checkpoints(folder: Path) -> list[Path]:
    return list(folder.glob("*/*.safetensors"))
