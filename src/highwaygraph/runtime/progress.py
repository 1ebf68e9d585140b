"""Progress bars on a terminal's stderr and in notebooks; nothing is shown in a pipe."""

import math
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Protocol, runtime_checkable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.segment import Segment
from rich.text import Text

from highwaygraph.errors import printable


class PlainConsole(Console):
    """A console that prints names from data as they are: no markup, and control characters as escapes.

    Everything that is printed passes through `render`, tables and progress bars included.
    """

    def __init__(self, *, stderr: bool = False, width: int | None = None) -> None:
        super().__init__(stderr=stderr, width=width, markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield the segments of a renderable; only those of rich itself may control the terminal."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=printable(segment.text))


stderr = PlainConsole(stderr=True)


@runtime_checkable
class EpochRecord(Protocol):
    """The numbers of one epoch that a bar shows."""

    @property
    def round(self) -> int:
        """Number of the round."""
        ...

    @property
    def epoch(self) -> int:
        """Number of the epoch within the round."""
        ...

    @property
    def val(self) -> float:
        """Validation accuracy."""
        ...


@contextmanager
def training_bar(
    title: str, rounds: int, epochs: int, *, shown: bool = True
) -> Iterator[Callable[[EpochRecord], None]]:
    """Show the round, the epoch and the validation accuracy of a training that reports its epochs."""
    if not _is_shown(shown):
        # Older versions of rich end a disabled bar with an empty line.
        yield lambda _: None
        return
    columns = (SpinnerColumn(), _text("description"), BarColumn(30), _text("fields[val]"))
    with Progress(*columns, TimeElapsedColumn(), console=stderr, transient=True) as bar:
        task = bar.add_task(title, total=epochs, val="")

        def report(epoch: EpochRecord) -> None:
            where = f"{title}: round {epoch.round} of at most {rounds}, epoch {epoch.epoch}"
            bar.update(task, completed=epoch.epoch, description=where, val=_validation(epoch.val))

        yield report


@contextmanager
def counting_bar(title: str, done: int, total: int, *, shown: bool = True) -> Iterator[Callable[..., None]]:
    """Show how many of several tasks are finished, a note on them where one is given, and the remaining time."""
    if not _is_shown(shown):
        yield lambda note="": None  # noqa: ARG005 (the interface)
        return
    columns = (SpinnerColumn(), _text("description"), BarColumn(30), MofNCompleteColumn(), _text("fields[note]"))
    with Progress(*columns, TimeRemainingColumn(), console=stderr, transient=True, speed_estimate_period=600) as bar:
        task = bar.add_task(title, total=total, completed=done, note="")
        yield lambda note="": bar.update(task, advance=1, note=note)


def spinner(title: str) -> AbstractContextManager[object]:
    """Show that a task of unknown length is running."""
    return stderr.status(Text(title)) if _is_shown(True) else nullcontext()


def _validation(share: float) -> str:
    """Return the validation accuracy in words, nothing without validation nodes."""
    return "" if math.isnan(share) else f"validation {100 * share:.1f}"


def _text(field: str) -> TextColumn:
    return TextColumn(f"{{task.{field}}}", markup=False)


def _is_shown(wanted: bool) -> bool:
    # rich shows one bar at a time: not those of trainings in other threads.
    alone = threading.current_thread() is threading.main_thread()
    return wanted and alone and (stderr.is_terminal or stderr.is_jupyter)
