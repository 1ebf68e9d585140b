"""Two processes that take turns: what a ratio compares is measured seconds apart, in memory of its own."""

import multiprocessing as mp
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from typing import Any

import torch

from highwaygraph.runtime import environment

Call = tuple[Callable[..., Any], tuple[Any, ...]]


class Worker:
    """A fresh process with one thread that runs functions on request and tells its peak memory."""

    def __init__(self, setup: Callable[[], Any], environment: Mapping[str, str] | None = None) -> None:
        context = mp.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, setup), daemon=True)
        with _set(environment or {}):
            self._process.start()
        self.base = self._pipe.recv()

    def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run function(subject, *args) over there, where subject is what setup returned."""
        self._pipe.send((function, args))
        answer = self._pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer

    def peak(self) -> float:
        """Return the MiB of memory that the process needed at its peak beyond what it started with, and end it."""
        self._pipe.send(None)
        peak = float(self._pipe.recv())
        self._process.join()
        return peak - float(self.base)


@contextmanager
def _set(environment: Mapping[str, str]) -> Iterator[None]:
    """Set variables that a process reads as it starts, and put the old ones back."""
    before = dict(os.environ)
    os.environ.update(environment)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _serve(pipe: Connection, setup: Callable[[], Any]) -> None:
    torch.set_num_threads(1)
    subject = setup()
    pipe.send(environment.reset_peak())
    while (request := pipe.recv()) is not None:
        function, args = request
        try:
            pipe.send(function(subject, *args))
        except Exception as error:
            pipe.send(error)
    pipe.send(environment.peak_mib())
