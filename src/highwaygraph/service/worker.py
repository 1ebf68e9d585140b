"""One thread that computes predictions, so that the event loop stays responsive."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from highwaygraph.service.body import Limits
from highwaygraph.service.refusal import RefusedError

T = TypeVar("T")


class Worker:
    """Runs calls one after the other in one thread; refuses them while too many wait.

    Args:
        limits: The number of calls that may wait, and the seconds until a call is given up.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._free = threading.BoundedSemaphore(limits.max_waiting)
        self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="predict")

    async def run(self, call: Callable[[], T]) -> T:
        """Return the value of a call.

        Args:
            call: Takes no arguments; its errors are raised here.

        Returns:
            The value.

        Raises:
            RefusedError: 503 where too many calls wait, 504 where the call takes too long.
        """
        if not self._free.acquire(blocking=False):
            raise RefusedError(
                503, "Too many requests wait for predictions: send this one again.", {"retry-after": "1"}
            )
        future = self._pool.submit(call)
        future.add_done_callback(lambda _: self._free.release())
        # A call that has begun cannot be stopped; one that still waits is cancelled.
        done, _ = await asyncio.wait([waiting := asyncio.wrap_future(future)], timeout=self._limits.timeout)
        if not done:
            waiting.cancel()
            seconds = f"{self._limits.timeout:g} seconds"
            raise RefusedError(504, f"The predictions took more than {seconds}: send fewer nodes, or raise --timeout.")
        return waiting.result()

    def close(self) -> None:
        """Finish the present call and cancel those that wait."""
        self._pool.shutdown(wait=True, cancel_futures=True)
