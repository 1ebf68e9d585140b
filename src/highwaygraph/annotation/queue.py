"""The queue of suggestions: every window has a node of its own, which stays until it is answered."""

import threading
import time
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from highwaygraph.labelling.table import Suggestion

# Seconds without a request after which the node of a window may go to another one.
LEASE = 60.0


class Lease(NamedTuple):
    """The suggestion of a window, and when the window last requested it."""

    row: Suggestion
    seen: float


class Queue:
    """Suggestions in order; every method may be called from any thread.

    Args:
        clock: Returns seconds.

    Example:
        >>> queue = Queue()
        >>> queue.replace([Suggestion("a", 0, 1.0, "", covered=1), Suggestion("b", 1, 0.5, "", covered=1)])
        >>> [queue.next(window, answered=()).id for window in ("left", "right", "left")]
        ['a', 'b', 'a']
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock, self._clock = threading.Lock(), clock
        self._rows: list[Suggestion] = []
        self._leases: dict[str, Lease] = {}

    def replace(self, rows: Iterable[Suggestion]) -> None:
        """Set the suggestions; nodes that windows show stay with them."""
        with self._lock:
            self._rows = list(rows)

    def next(self, window: str, answered: Collection[int]) -> Suggestion | None:
        """Return the suggestion of a window: the same until it is answered, then the first that no other window has.

        Args:
            window: Id of the window.
            answered: Nodes that need no answer.

        Returns:
            The suggestion; None where none is left.
        """
        with self._lock:
            now = self._clock()
            self._leases = {
                name: lease
                for name, lease in self._leases.items()
                if lease.row.node not in answered and (name == window or now - lease.seen < LEASE)
            }
            taken = {lease.row.node for name, lease in self._leases.items() if name != window}
            own = self._leases.get(window)
            free = (row for row in self._rows if row.node not in answered and row.node not in taken)
            row = own.row if own is not None else next(free, None)
            if row is not None:
                self._leases[window] = Lease(row, now)
            return row

    def release(self, window: str) -> None:
        """Let the window have another node."""
        with self._lock:
            self._leases.pop(window, None)

    def left(self, answered: Collection[int]) -> int:
        """Return the number of suggestions that are neither answered nor shown."""
        with self._lock:
            shown = {lease.row.node for lease in self._leases.values()}
            return sum(row.node not in answered and row.node not in shown for row in self._rows)
