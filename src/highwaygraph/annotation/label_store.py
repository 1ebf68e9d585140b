"""The label file of a session: locked for one process, and rewritten as a whole after every answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from highwaygraph.data.label_file import Answer, class_list, format_answers, read_answers
from highwaygraph.errors import FailedError
from highwaygraph.graph.graph import Graph
from highwaygraph.runs.lock import file_lock
from highwaygraph.runtime.atomic import reason, remove_leftovers, write_atomic

Answers = dict[int, Answer]
Signature = tuple[int, int, int] | None


class LabelStore:
    """Reads and writes a label file; a file that another program has changed is read again before it is written.

    Args:
        path: The CSV file; it is created by the first answer.
        graph: The graph of the labels.
    """

    def __init__(self, path: Path, graph: Graph) -> None:
        self.path, self._graph = path, graph
        self._classes = class_list(graph)
        self._ids = graph.ids or range(graph.num_nodes)
        self._read: Signature = None

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the file, which the system releases when the process dies."""
        message = f"{self.path} is open in another highway label: stop that one, or choose another file with --labels."
        with file_lock(self.path.with_name(f".{self.path.name}.lock"), message):
            remove_leftovers(self.path.parent, self.path.name)
            yield

    def read(self) -> Answers:
        """Return the answers in the file, oldest first; none where there is no file."""
        before = self._signature()
        found = [] if before is None else read_answers(self.path, self._graph, rewritten=True)
        self._read = before
        return {answer.node: answer for answer in found}

    def is_changed(self) -> bool:
        """Return whether another program has changed the file since it was read or written."""
        return self._signature() != self._read

    def write(self, answers: Answers) -> None:
        """Replace the file by one with these answers; it is on disk when this returns."""
        try:
            write_atomic(self.path, format_answers(answers.values(), self._ids, self._classes).encode())
        except OSError as error:
            raise FailedError(
                f"Cannot write {self.path} ({reason(error)}): the answer is not saved, make room and repeat it."
            ) from error
        self._read = self._signature()

    def _signature(self) -> Signature:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino
