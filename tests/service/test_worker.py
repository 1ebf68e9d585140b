"""The worker runs one call at a time, and the event loop stays responsive."""

import asyncio
import threading
import time

import pytest

from highwaygraph.service.body import Limits
from highwaygraph.service.refusal import RefusedError
from highwaygraph.service.worker import Worker


def test_calls_run_one_after_the_other_beside_the_event_loop() -> None:
    worker, running, most, threads = Worker(Limits()), 0, 0, set()

    def call() -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        threads.add(threading.current_thread().name)
        time.sleep(0.02)
        running -= 1
        return "done"

    async def main() -> tuple[int, list[str]]:
        calls, turns = asyncio.gather(*(worker.run(call) for _ in range(5))), 0
        while not calls.done():
            await asyncio.sleep(0.001)
            turns += 1
        return turns, await calls

    turns, values = asyncio.run(main())
    worker.close()
    assert (values, most, len(threads)) == (["done"] * 5, 1, 1)
    assert threads != {threading.current_thread().name}
    assert turns > 10


def test_too_many_and_too_slow_calls_are_refused() -> None:
    worker, release = Worker(Limits(timeout=0.05, max_waiting=2)), threading.Event()

    async def main() -> list[object]:
        return await asyncio.gather(*(worker.run(release.wait) for _ in range(3)), return_exceptions=True)

    errors = asyncio.run(main())
    assert all(isinstance(error, RefusedError) for error in errors)
    assert [error.status for error in errors] == [504, 504, 503]
    release.set()
    # The call that waited was cancelled, and both places are free again.
    time.sleep(0.05)
    assert asyncio.run(worker.run(lambda: 7)) == 7
    worker.close()


def test_errors_of_a_call_are_raised() -> None:
    worker = Worker(Limits())
    with pytest.raises(ZeroDivisionError):
        asyncio.run(worker.run(lambda: 1 // 0))
    worker.close()
