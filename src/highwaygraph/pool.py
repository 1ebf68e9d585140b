"""Independent cells on all cores, one thread each: the answer does not depend on how many run at once."""

import multiprocessing as mp
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import TypeVar

import torch

Cell = TypeVar("Cell")
Answer = TypeVar("Answer")


def cores() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def each(function: Callable[[Cell], Answer], cells: Iterable[Cell], workers: int = 0) -> Iterator[tuple[Cell, Answer]]:
    """Yield every cell with its answer as it is finished; 0 workers means one per core, 1 works in this process."""
    workers = workers or cores()
    if workers == 1:
        yield from _here(function, cells)
        return
    # Spawned, not forked: a fork of a process that has used threads may never wake up.
    pool = ProcessPoolExecutor(workers, mp.get_context("spawn"), initializer=torch.set_num_threads, initargs=(1,))
    try:
        waiting = {pool.submit(function, cell): cell for cell in cells}
        for done in as_completed(waiting):
            yield waiting[done], done.result()
    finally:
        pool.shutdown(cancel_futures=True)


def _here(function: Callable[[Cell], Answer], cells: Iterable[Cell]) -> Iterator[tuple[Cell, Answer]]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        for cell in cells:
            yield cell, function(cell)
    finally:
        torch.set_num_threads(threads)
