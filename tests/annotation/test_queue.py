"""The queue: a node per window, which stays until it is answered."""

from highwaygraph.annotation.queue import LEASE, Queue
from highwaygraph.labelling.table import Suggestion


def rows(*nodes: int) -> list[Suggestion]:
    return [Suggestion(f"n{node}", node, 1.0, "", covered=1) for node in nodes]


def next_node(queue: Queue, window: str, answered=()) -> int | None:
    offer = queue.next(window, answered)
    return None if offer is None else offer.row.node


def test_windows_have_different_nodes_until_they_are_answered() -> None:
    queue = Queue()
    assert next_node(queue, "a") is None
    queue.replace(rows(5, 6, 7))
    assert [next_node(queue, window) for window in "abab"] == [5, 6, 5, 6]
    assert next_node(queue, "a", {5}) == 7
    assert next_node(queue, "b", {5}) == 6
    assert next_node(queue, "b", {5, 6}) is None


def test_a_node_that_is_shown_survives_new_suggestions() -> None:
    queue = Queue()
    queue.replace(rows(5, 6), model=1)
    next_node(queue, "a")
    queue.replace(rows(8), model=2)
    assert queue.next("a", ()) == (rows(5)[0], 1)
    assert queue.next("a", {5}) == (rows(8)[0], 2)


def test_the_node_of_a_window_that_is_gone_goes_to_another() -> None:
    now = [0.0]
    queue = Queue(lambda: now[0])
    queue.replace(rows(5))
    assert (next_node(queue, "a"), next_node(queue, "b")) == (5, None)
    now[0] = LEASE + 1
    assert next_node(queue, "b") == 5


def test_the_rest_is_counted() -> None:
    queue = Queue()
    queue.replace(rows(5, 6, 7))
    assert queue.left(()) == 3
    next_node(queue, "a")
    assert queue.left({6}) == 1
