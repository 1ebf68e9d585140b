"""Threads by the amount of work, set for one Python thread and restored."""

import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import pytest
import torch

from highwaygraph.runtime import threads
from highwaygraph.runtime.threads import WORK_PER_THREAD, choose_threads, interrupt, own_threads


@pytest.fixture(autouse=True)
def _four_cores(monkeypatch):
    monkeypatch.setenv("OMP_WAIT_POLICY", "PASSIVE")
    monkeypatch.setattr(threads, "cores", lambda: 4)
    with own_threads(8):
        yield


@pytest.mark.parametrize(("work", "count"), [(0, 1), (0.9, 1), (1.9, 1), (2.0, 2), (3.5, 3), (100.0, 4)])
def test_a_thread_is_worth_its_work_up_to_the_cores(work, count) -> None:
    assert choose_threads(int(work * WORK_PER_THREAD)) == count


def test_there_are_never_more_than_torch_has() -> None:
    with own_threads(2):
        assert choose_threads(100 * WORK_PER_THREAD) == 2


@pytest.mark.parametrize("policy", ["", "active"])
def test_threads_that_keep_a_core_busy_while_they_wait_are_not_used(monkeypatch, policy) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", policy)
    assert choose_threads(100 * WORK_PER_THREAD) == 1


def test_the_number_of_the_user_is_taken() -> None:
    assert choose_threads(0, wanted=9) == 9


def test_the_number_is_restored_after_an_error() -> None:
    with pytest.raises(KeyError), own_threads(3):
        assert torch.get_num_threads() == 3
        raise KeyError
    assert torch.get_num_threads() == 8


def test_blocks_nest() -> None:
    with own_threads(3):
        with own_threads(2):
            assert torch.get_num_threads() == 2
        assert torch.get_num_threads() == 3


# In a process of its own: every thread of this one may have a number already.
SCRIPT = """
import threading, torch
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from highwaygraph.runtime.threads import own_threads
torch.set_num_threads(5)
with own_threads(2), ThreadPoolExecutor(1) as pool:
    print(torch.get_num_threads(), pool.submit(torch.get_num_threads).result())
with ThreadPoolExecutor(1) as pool:
    print(torch.get_num_threads(), pool.submit(torch.get_num_threads).result())
"""


def test_threads_that_start_meanwhile_have_the_callers_number() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], env=os.environ, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["2", "5", "5", "5"]


def test_two_threads_have_a_number_of_their_own() -> None:
    together = threading.Barrier(2)

    def number(count: int) -> list[int]:
        before = torch.get_num_threads()
        with own_threads(count):
            together.wait(timeout=60)
            inside = torch.get_num_threads()
            together.wait(timeout=60)
        return [inside, torch.get_num_threads() - before]

    with ThreadPoolExecutor(2) as pool:
        assert list(pool.map(number, [2, 3])) == [[2, 0], [3, 0]]
    assert torch.get_num_threads() == 8


def test_a_busy_thread_is_interrupted() -> None:
    begun, ended = threading.Event(), []

    def work() -> None:
        try:
            while True:
                begun.set()
                torch.ones(4) + 1
        except TimeoutError:
            ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(30)
    interrupt(thread, TimeoutError)
    assert ended == [True]
    # One that has ended is left alone.
    interrupt(thread, TimeoutError)


def test_an_error_that_python_ignores_is_raised_again_without_a_message(capsys) -> None:
    begun, finalised = threading.Event(), []

    class Finalised:
        def __del__(self) -> None:
            begun.set()
            finalised.append(True)
            # The first error is raised here, where Python ignores it.
            while len(finalised) == 1:
                pass

    def work() -> None:
        Finalised()
        with suppress(TimeoutError):
            while True:
                pass

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(30)
    interrupt(thread, TimeoutError, every=0.1)
    assert not thread.is_alive()
    assert capsys.readouterr().err == ""
