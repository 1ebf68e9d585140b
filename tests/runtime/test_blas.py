"""One thread of OpenBLAS within a block, also where blocks of several threads overlap."""

import threading

import pytest
import scipy.optimize  # noqa: F401 (loads SciPy's BLAS)
from threadpoolctl import threadpool_info, threadpool_limits

from highwaygraph.runtime.blas import one_blas_thread


def threads() -> set[int]:
    return {library["num_threads"] for library in threadpool_info() if library["internal_api"] == "openblas"}


@pytest.fixture(autouse=True)
def _two_threads():
    with threadpool_limits(2, user_api="blas"):
        if threads() != {2}:
            pytest.skip("NumPy and SciPy do not use OpenBLAS with threads here")
        yield


def test_the_block_has_one_thread_and_restores_the_number() -> None:
    with one_blas_thread():
        assert threads() == {1}
    assert threads() == {2}


def test_the_number_is_restored_after_an_error() -> None:
    with pytest.raises(KeyError), one_blas_thread():
        raise KeyError
    assert threads() == {2}


def test_overlapping_blocks_of_two_threads_leave_the_number_as_it_was() -> None:
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with one_blas_thread():
            entered.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with one_blas_thread():
        thread.start()
        assert entered.wait(10)
        assert threads() == {1}
    leave.set()
    thread.join()
    assert threads() == {2}
