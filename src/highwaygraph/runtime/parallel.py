"""Independent cells in parallel, one thread each: results do not depend on the number or the place of workers."""

import multiprocessing as mp
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any, Literal, TypeVar

import torch

from highwaygraph.errors import ConfigError, FailedError
from highwaygraph.runtime.environment import keep_freed_memory

Cell = TypeVar("Cell")


Output = TypeVar("Output")


Launcher = Literal["local", "ray"]


# Environment variables that are passed to workers on other hosts.
PASSED_ON = ("HIGHWAYGRAPH_DATA",)


WORKER_ENDED = (
    "A worker process was killed, perhaps because memory ran out: run the same command again with fewer workers; "
    "finished cells are kept."
)


# Quota and period of processor time in a Linux container: in one file, or, in older kernels, in two.
QUOTA_FILES = (
    ("/sys/fs/cgroup/cpu.max",),
    ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
)


def cores() -> int:
    """Return the number of cores that this process may use, at most the processor time that its container may use."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min([count, *(limit for files in QUOTA_FILES if (limit := _quota(files)))])


def _quota(files: Iterable[str]) -> int:
    """Return the cores that a container's quota amounts to, 0 without a quota."""
    try:
        quota, period = (int(part) for part in " ".join(Path(file).read_text() for file in files).split())
        return max(-(-quota // period), 1) if quota > 0 else 0
    except (OSError, ValueError, ZeroDivisionError):
        return 0


def map_unordered(
    function: Callable[[Cell], Output],
    cells: Iterable[Cell],
    workers: int = 0,
    launcher: Launcher = "local",
    *,
    alone: bool = False,
    import_main: bool = True,
) -> Iterator[tuple[Cell, Output]]:
    """Yield every cell with its result as soon as it is finished.

    Args:
        function: Computes the result of a cell.
        cells: The inputs.
        workers: Number of processes; 0 for one per core, 1 for this process.
        launcher: "local", or "ray" for as many workers as the Ray cluster has cores.
        alone: Run the cells one by one, each in a fresh process.
        import_main: Import the caller's script in every worker. Without it, a script needs no
            `if __name__ == "__main__"`, but function and cells must not be defined in it.
    """
    workers = 1 if alone else workers or cores()
    if launcher == "ray":
        return _on_ray(function, cells)
    if workers == 1 and not alone:
        return _in_this_process(function, cells)
    return _in_processes(function, cells, workers, 1 if alone else None, import_main=import_main)


def _in_processes(
    function: Callable[[Cell], Output], cells: Iterable[Cell], workers: int, tasks: int | None, *, import_main: bool
) -> Iterator[tuple[Cell, Output]]:
    # Spawned, not forked: a fork of a process that has used threads may deadlock.
    spawn = mp.get_context("spawn")
    others = set(mp.active_children())
    pool = ProcessPoolExecutor(workers, spawn, initializer=_start_worker, max_tasks_per_child=tasks)
    try:
        with _without_interrupts(), nullcontext() if import_main else _without_main():
            # Workers start as cells are submitted.
            waiting = {pool.submit(_compute, function, cell): cell for cell in cells}
        for done in as_completed(waiting):
            yield waiting[done], done.result()
    except BrokenProcessPool as error:
        raise FailedError(WORKER_ENDED) from error
    except BaseException:
        # Nobody receives the results of the cells that are still running.
        for worker in set(mp.active_children()) - others:
            worker.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back while processes start, which inherit this: it would end their imports with a traceback each."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        # A signal that was held back arrives here.
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _without_main() -> Iterator[None]:
    """Start processes that do not import the caller's script, as multiprocessing does where it finds one."""
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _compute(function: Callable[[Cell], Output], cell: Cell) -> Output:
    """Compute a cell, which Ctrl-C ends; a worker that waits ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return function(cell)
    finally:
        signal.signal(signal.SIGINT, before)


def _start_worker() -> None:
    """Set up a worker: one thread, no Ctrl-C between cells, and an end with its parent, which may be killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        # A signal that was held back during the imports has been discarded: it is ignored.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    torch.set_num_threads(1)
    keep_freed_memory()
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = mp.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _on_ray(function: Callable[[Cell], Output], cells: Iterable[Cell]) -> Iterator[tuple[Cell, Output]]:
    try:
        import ray
    except ImportError as error:
        raise ConfigError("The launcher ray needs Ray: pip install 'highwaygraph[ray]'.") from error
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        ray.init(address="auto", log_to_driver=False)
    except ConnectionError as error:
        raise FailedError("No Ray cluster was found: run `ray start --head` first, or set RAY_ADDRESS.") from error
    work: Any = ray.remote(num_cpus=1)(_on_worker)
    try:
        waiting = {work.remote(function, cell, passed): cell for cell in cells}
        while waiting:
            for done in ray.wait(list(waiting))[0]:
                yield waiting.pop(done), ray.get(done)
    except (ray.exceptions.WorkerCrashedError, ray.exceptions.OutOfMemoryError, ray.exceptions.NodeDiedError) as error:
        raise FailedError(WORKER_ENDED) from error
    finally:
        ray.shutdown()


def _on_worker(function: Callable[[Cell], Output], cell: Cell, passed: dict[str, str]) -> Output:
    os.environ.update(passed)
    torch.set_num_threads(1)
    return function(cell)


def _in_this_process(function: Callable[[Cell], Output], cells: Iterable[Cell]) -> Iterator[tuple[Cell, Output]]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for cell in cells:
            yield cell, function(cell)
    finally:
        torch.set_num_threads(threads)
