"""One thread for the BLAS of NumPy and SciPy, whose waiting threads keep cores busy, as those of OpenMP do."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Let OpenBLAS use one thread within the block; torch's own products do not change.

    An optimiser of SciPy calls BLAS for vectors of a few hundred numbers, thousands of times. A second thread gains
    nothing there, and on a machine with other work every call waits for it. The number is that of the process: where
    blocks of several Python threads overlap, the first one sets and restores it.

    Example:
        >>> with one_blas_thread():
        ...     pass
    """
    with _controller().limit(limits=1):
        yield


@cache
def _controller() -> Any:
    # Created at first use, when the libraries of the caller are loaded.
    return ThreadpoolController().select(internal_api="openblas")
