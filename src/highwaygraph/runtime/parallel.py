"""Independent cells on all cores, one thread each: the answer does not depend on how many run at once, or where."""

import multiprocessing as mp
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from threading import Thread
from typing import Any, Literal, TypeVar

import torch

from highwaygraph.errors import ConfigError, FailedError
from highwaygraph.runtime.environment import keep_freed_memory

Cell = TypeVar("Cell")


Answer = TypeVar("Answer")


Launcher = Literal["local", "ray"]


# What workers elsewhere have to know of this process.
PASSED_ON = ("HIGHWAYGRAPH_DATA",)


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_unordered(
    function: Callable[[Cell], Answer],
    cells: Iterable[Cell],
    workers: int = 0,
    launcher: Launcher = "local",
    *,
    alone: bool = False,
) -> Iterator[tuple[Cell, Answer]]:
    """Yield every cell with its answer as it is finished; 0 workers means one per core, 1 works in this process.

    Cells that want to be alone run one by one, each in a fresh process. Ray runs as many as its cluster has cores for.
    """
    workers = 1 if alone else workers or cores()
    if launcher == "ray":
        return _on_ray(function, cells)
    if workers == 1 and not alone:
        return _here(function, cells)
    return _in_processes(function, cells, workers, 1 if alone else None)


def _in_processes(
    function: Callable[[Cell], Answer], cells: Iterable[Cell], workers: int, tasks: int | None
) -> Iterator[tuple[Cell, Answer]]:
    # Spawned, not forked: a fork of a process that has used threads may never wake up.
    spawn = mp.get_context("spawn")
    pool = ProcessPoolExecutor(workers, spawn, initializer=_begin, max_tasks_per_child=tasks)
    try:
        waiting = {pool.submit(function, cell): cell for cell in cells}
        for done in as_completed(waiting):
            yield waiting[done], done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Set up a worker: one thread, and no life beyond its parent's, who may be killed without a word."""
    torch.set_num_threads(1)
    keep_freed_memory()
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = mp.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _on_ray(function: Callable[[Cell], Answer], cells: Iterable[Cell]) -> Iterator[tuple[Cell, Answer]]:
    try:
        import ray
    except ImportError as error:
        raise ConfigError("The launcher ray needs Ray: pip install 'highwaygraph[ray]'.") from error
    passed = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    try:
        ray.init(address="auto", log_to_driver=False)
    except ConnectionError as error:
        raise FailedError("No Ray cluster was found: run `ray start --head` first, or set RAY_ADDRESS.") from error
    work: Any = ray.remote(num_cpus=1)(_elsewhere)
    try:
        waiting = {work.remote(function, cell, passed): cell for cell in cells}
        while waiting:
            for done in ray.wait(list(waiting))[0]:
                yield waiting.pop(done), ray.get(done)
    finally:
        ray.shutdown()


def _elsewhere(function: Callable[[Cell], Answer], cell: Cell, passed: dict[str, str]) -> Answer:
    os.environ.update(passed)
    torch.set_num_threads(1)
    return function(cell)


def _here(function: Callable[[Cell], Answer], cells: Iterable[Cell]) -> Iterator[tuple[Cell, Answer]]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for cell in cells:
            yield cell, function(cell)
    finally:
        torch.set_num_threads(threads)
