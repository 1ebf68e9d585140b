"""The queue of suggestions: every window has a node of its own, which stays until it is answered."""

import threading
import time
from collections.abc import Callable, Collection, Iterable
from typing import NamedTuple

from highwaygraph.labelling.table import Suggestion

# Seconds without a request after which the node of a window may go to another one.
LEASE = 60.0


class Offer(NamedTuple):
    """A suggestion, and the model that it rests on."""

    row: Suggestion
    model: int
    """Number of trainings before it."""


class Lease(NamedTuple):
    """The suggestion of a window, and when the window last requested it."""

    offer: Offer
    seen: float

    @property
    def node(self) -> int:
        """The node of the suggestion."""
        return self.offer.row.node


class Queue:
    """Suggestions in order; every method may be called from any thread.

    Args:
        clock: Returns seconds.

    Example:
        >>> queue = Queue()
        >>> queue.replace([Suggestion("a", 0, 1.0, "", covered=1), Suggestion("b", 1, 0.5, "", covered=1)])
        >>> [queue.next(window, answered=()).row.id for window in ("left", "right", "left")]
        ['a', 'b', 'a']
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._lock, self._clock = threading.Lock(), clock
        self._offers: list[Offer] = []
        self._leases: dict[str, Lease] = {}

    def replace(self, rows: Iterable[Suggestion], model: int = 0) -> None:
        """Set the suggestions; nodes that windows show stay with them.

        Args:
            rows: The suggestions in order.
            model: Number of trainings before them.
        """
        with self._lock:
            self._offers = [Offer(row, model) for row in rows]

    def next(self, window: str, answered: Collection[int]) -> Offer | None:
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
                if lease.node not in answered and (name == window or now - lease.seen < LEASE)
            }
            taken = {lease.node for name, lease in self._leases.items() if name != window}
            own = self._leases.get(window)
            free = (one for one in self._offers if one.row.node not in answered and one.row.node not in taken)
            offer = own.offer if own is not None else next(free, None)
            if offer is not None:
                self._leases[window] = Lease(offer, now)
            return offer

    def left(self, answered: Collection[int]) -> int:
        """Return the number of suggestions that are neither answered nor shown."""
        with self._lock:
            shown = {lease.node for lease in self._leases.values()}
            return sum(one.row.node not in answered and one.row.node not in shown for one in self._offers)
