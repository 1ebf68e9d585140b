"""The number of torch's threads in a training: a rule without clocks, so that two runs choose the same.

OpenMP's threads meet at the end of every operation. By default a thread that waits there keeps its core busy; on a
machine with other work it thereby holds up the very thread that it waits for, and small operations become many times
slower than with one thread. With OMP_WAIT_POLICY=passive, which the command line sets, waiting threads sleep.
"""

import ctypes
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import torch

from highwaygraph.runtime.parallel import cores

T = TypeVar("T")

# Multiplications per step that one thread does about as fast as two; measured on 3 to 300 thousand nodes.
WORK_PER_THREAD = 64_000_000

WAIT_POLICY = "OMP_WAIT_POLICY"

# Held while a thread sets its number and restores the one that new threads start with.
_setting = threading.Lock()


def choose_threads(work: int, wanted: int = 0) -> int:
    """Return the number of threads for an amount of work per step.

    Args:
        work: About how many multiplications a step takes.
        wanted: The user's number, which is returned if it is not 0.

    Returns:
        One where a second thread gains nothing, or where waiting threads keep a core busy. Otherwise as many as the
        work is worth, at most torch's number (OMP_NUM_THREADS, `torch.set_num_threads`) and the available cores.

    Example:
        >>> choose_threads(work=10**6), choose_threads(work=10**6, wanted=3)
        (1, 3)
    """
    if wanted:
        return wanted
    if os.environ.get(WAIT_POLICY, "").lower() != "passive":
        return 1
    return max(1, min(torch.get_num_threads(), cores(), work // WORK_PER_THREAD))


@contextmanager
def own_threads(count: int) -> Iterator[None]:
    """Set the number of torch's threads for this Python thread, and restore it at the end of the block.

    Args:
        count: The number.

    Example:
        >>> before = torch.get_num_threads()
        >>> with own_threads(3):
        ...     inside = torch.get_num_threads()
        >>> inside, torch.get_num_threads() == before
        (3, True)
    """
    before = torch.get_num_threads()
    if count == before:
        yield
        return
    _set_threads(count)
    try:
        yield
    finally:
        _set_threads(before)


def interrupt(thread: threading.Thread, error: type[BaseException], every: float = 5.0) -> None:
    """Raise an error in another thread, at its next line of Python, and return when the thread has ended.

    Args:
        thread: The thread, such as one that trains a model that nobody waits for any more.
        error: The class of the error, which the thread has to expect.
        every: Seconds after which it is raised again.
    """
    # A training has no place of its own to look for a request to end that is soon enough: a fold may take minutes.
    with _hidden_where_ignored(error):
        while thread.is_alive() and thread.ident is not None:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident), ctypes.py_object(error))
            thread.join(every)


@contextmanager
def _hidden_where_ignored(error: type[BaseException]) -> Iterator[None]:
    """Print nothing where Python ignores the error: in a finaliser or the callback of a weak reference."""
    before = sys.unraisablehook
    sys.unraisablehook = lambda found: None if found.exc_type is error else before(found)
    try:
        yield
    finally:
        sys.unraisablehook = before


def _set_threads(count: int) -> None:
    """Set the number of this Python thread only.

    torch also keeps the last number that any thread has set, for threads that start later: another training must not
    start with the number of this one.
    """
    with _setting:
        default = _in_new_thread(torch.get_num_threads)
        torch.set_num_threads(count)
        _in_new_thread(lambda: torch.set_num_threads(default))


def _in_new_thread(function: Callable[[], T]) -> T:
    results: list[T] = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]
