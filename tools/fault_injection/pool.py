"""Work that is divided among processes, with its progress on stderr."""

import multiprocessing as mp
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

T, R = TypeVar("T"), TypeVar("R")
SHOWN_EVERY = 10.0


def spread(function: Callable[[T], R], items: Iterable[T], title: str) -> Iterator[R]:
    """Yield the result of every item as it is finished, computed by as many processes as there are processors."""
    listed = list(items)
    start = shown = time.monotonic()
    context = mp.get_context("spawn")
    # Processes leave temporary files behind when they are killed; all are in one folder.
    with TemporaryDirectory() as place, ProcessPoolExecutor(os.cpu_count(), context, _prepare, (place,)) as pool:
        left: set[Any] = {pool.submit(function, item) for item in listed}
        while left:
            done, left = wait(left, timeout=SHOWN_EVERY, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()
            now = time.monotonic()
            if now - shown > SHOWN_EVERY or not left:
                shown = now
                print(f"{title}: {len(listed) - len(left)} of {len(listed)}, {now - start:.0f} s", file=sys.stderr)


def _prepare(place: str) -> None:
    import torch

    tempfile.tempdir = place
    torch.set_num_threads(1)


def chunks(count: int, size: int) -> list[range]:
    """Return the numbers below a count in chunks."""
    return [range(low, min(low + size, count)) for low in range(0, count, size)]
