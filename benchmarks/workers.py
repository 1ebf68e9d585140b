"""Worker processes that alternate, so that both sides of a ratio are measured within seconds, in separate memory."""

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
    """A fresh process with one thread that runs functions and reports its peak memory."""

    def __init__(self, setup: Callable[[], Any], environment: Mapping[str, str] | None = None) -> None:
        context = mp.get_context("spawn")
        self._pipe, remote = context.Pipe()
        self._process = context.Process(target=_serve, args=(remote, setup), daemon=True)
        with _set(environment or {}):
            self._process.start()
        self.base = self._pipe.recv()

    def __call__(self, function: Callable[..., Any], *args: Any) -> Any:
        """Return function(subject, *args) of the worker process, where subject is the value of setup."""
        self._pipe.send((function, args))
        result = self._pipe.recv()
        if isinstance(result, Exception):
            raise result
        return result

    def peak(self) -> float:
        """End the process and return its peak memory in MiB beyond that after setup."""
        self._pipe.send(None)
        peak = float(self._pipe.recv())
        self._process.join()
        return peak - float(self.base)


@contextmanager
def _set(environment: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables within the block."""
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
