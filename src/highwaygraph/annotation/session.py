"""The answers of a session: shared by all windows, versioned, and written to the label file one by one."""

import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

from highwaygraph.annotation.label_store import Answers, LabelStore
from highwaygraph.data.label_file import Answer, Kind
from highwaygraph.service.refusal import RefusedError

MOST_CHARACTERS = 200
"""Most characters of the name of a class."""


class Given(NamedTuple):
    """An answer without its node and time, as a window sends and shows it."""

    kind: Kind
    label: str = ""

    @property
    def text(self) -> str:
        """The class, or the kind of an answer without one."""
        return self.label or self.kind


class Change(NamedTuple):
    """One answer of the history, which may be undone."""

    window: str | None
    """The window that gave it; None for answers of an earlier session."""
    node: int
    before: Answer | None
    after: Answer


class Session:
    """The answers in memory and on disk; every method may be called from any thread.

    Args:
        store: The label file.
        classes: The classes of the graph, in the order of their keys.
    """

    def __init__(self, store: LabelStore, classes: Iterable[str]) -> None:
        self._store, self._lock = store, threading.RLock()
        self._classes = dict.fromkeys(classes)
        self._answers: Answers = {}
        self._history: list[Change] = []
        self.version = 0
        """Number of changes since the start."""
        self._reload()

    @property
    def classes(self) -> list[str]:
        """The classes: those of the graph, then the others in the order of their first label."""
        with self._lock:
            return list(self._classes)

    def answers(self) -> Answers:
        """Return a copy of all answers, oldest first."""
        with self._lock:
            return dict(self._answers)

    def find(self, node: int) -> Given | None:
        """Return the answer to a node, None where it has none."""
        with self._lock:
            found = self._answers.get(node)
            return None if found is None else Given(found.kind, found.label)

    def give(self, window: str, node: int, given: Given, seen: Given | None) -> None:
        """Save an answer; it is on disk when this returns.

        Args:
            window: Id of the window that sends it.
            node: The node.
            given: The answer.
            seen: The answer to this node that the window shows; another one is not replaced.

        Raises:
            RefusedError: 409 where another window has answered differently; the file is as before.
        """
        with self._lock:
            self._refresh()
            before = self._answers.get(node)
            current = None if before is None else Given(before.kind, before.label)
            if current == given:
                # The same answer again, for example after a response that was lost.
                return
            if current is not None and current != seen:
                raise RefusedError(
                    409, f"This node was answered elsewhere in the meantime ({current.text}): look at it again."
                )
            answer = Answer(node, given.kind, given.label, _now())
            self._write({**_without(self._answers, node), node: answer})
            self._history.append(Change(window, node, before, answer))

    def undo(self, window: str) -> int:
        """Take back the last answer of a window, or of an earlier session, and return its node.

        Raises:
            RefusedError: 409 where there is none, or where another window has changed it since.
        """
        with self._lock:
            self._refresh()
            place = self._last(window)
            if place is None:
                raise RefusedError(409, "There is no answer to undo.")
            change = self._history[place]
            if self._answers.get(change.node) != change.after:
                del self._history[place]
                raise RefusedError(409, "That node was answered elsewhere in the meantime: nothing is undone.")
            rest = _without(self._answers, change.node)
            self._write(rest if change.before is None else {**rest, change.node: change.before})
            del self._history[place]
            return change.node

    def can_undo(self, window: str) -> bool:
        """Return whether a window has an answer to take back."""
        with self._lock:
            return self._last(window) is not None

    def _last(self, window: str) -> int | None:
        own = (place for place, change in enumerate(self._history) if change.window in (window, None))
        return max(own, default=None)

    def _refresh(self) -> None:
        if self._store.is_changed():
            self._reload()

    def _reload(self) -> None:
        """Read the file; its answers win over those in memory, which are in it unless its user has removed them."""
        self._answers = self._store.read()
        # Answers that the file no longer has cannot be undone; those that it has beyond the history can.
        kept = [change for change in self._history if self._answers.get(change.node) == change.after]
        known = {change.node for change in kept}
        others = [Change(None, node, None, found) for node, found in self._answers.items() if node not in known]
        self._history = [*others, *kept]
        self._add_classes()
        self.version += 1

    def _write(self, answers: Answers) -> None:
        self._store.write(answers)
        # Only now: an answer that is not on disk does not count.
        self._answers = answers
        self._add_classes()
        self.version += 1

    def _add_classes(self) -> None:
        self._classes.update(dict.fromkeys(found.label for found in self._answers.values() if found.label))


def _without(answers: Answers, node: int) -> Answers:
    return {other: answer for other, answer in answers.items() if other != node}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
