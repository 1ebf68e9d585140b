"""Files that declare more than they hold: each is read in a process of its own, which measures its memory."""

import json
import resource
import time
from pathlib import Path
from typing import Any, NamedTuple

from tests.helpers.forked import CONTEXT

LIMIT = 1024.0
"""MiB that SECURITY.md states: so many a small file may take."""
FACTOR, SECONDS, SLACK = 3, 60, 1024.0


class Measured(NamedTuple):
    """How a process read a file: refused, read, or the error that it failed with."""

    outcome: str
    mib: float
    """Memory at its peak, beyond what it took before reading."""
    reserved: float
    """Address space at its peak, beyond the same."""
    seconds: float

    @property
    def fault(self) -> str:
        """The fault, empty where there is none."""
        if self.outcome not in ("refused", "read"):
            return self.outcome
        most = max(self.mib, self.reserved)
        return f"{most:,.0f} MiB, more than {FACTOR} times {LIMIT:,.0f}" if most > FACTOR * LIMIT else ""


def make_all(names: list[str], folder: Path) -> None:
    """Make the files of these names, each in a folder of its own."""
    from tests.helpers.declared_sources import SIZES

    for number, name in enumerate(names):
        (folder / str(number)).mkdir()
        _path(name, folder).write_text(str(SIZES[name].make(folder / str(number))))


def _path(name: str, folder: Path) -> Path:
    """Return the file that holds the path of the file of that name."""
    return folder / f"{name.replace(' ', '-').replace(':', '')}.txt"


def measure(name: str, folder: Path) -> Measured:
    """Return how a process reads the file of that name, which was made in the folder."""
    found = _path(name, folder).with_suffix(".json")
    process = CONTEXT.Process(target=_report, args=(name, folder, found))
    process.start()
    outcome = _watch(process)
    if not found.is_file():
        return Measured(outcome or f"exit status {process.exitcode}", 0.0, 0.0, 0.0)
    return Measured(*json.loads(found.read_text()))


def _watch(process: Any) -> str:
    """Wait for the process; kill it where it takes far more than the bar, and return why."""
    start, most, outcome = time.monotonic(), FACTOR * LIMIT + SLACK, ""
    while process.is_alive() and not outcome:
        process.join(0.01)
        held = _mib("VmRSS", process.pid)
        if held > most:
            outcome = f"killed at {held:,.0f} MiB"
        elif time.monotonic() - start > SECONDS:
            outcome = f"nothing after {SECONDS} s"
    if outcome:
        process.kill()
    process.join()
    return outcome


def _mib(name: str, process: int | str = "self") -> float:
    """Return an entry of /proc/PID/status in MiB, 0 where the process has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith(f"{name}:")), 0.0)


def _read(name: str, folder: Path) -> Measured:
    from highwaygraph.errors import HighwayError
    from tests.helpers.declared_sources import SIZES

    path = Path(_path(name, folder).read_text())
    held, reserved, start = _mib("VmRSS"), _mib("VmSize"), time.monotonic()
    try:
        SIZES[name].read(path)
        outcome = "read"
    except HighwayError as error:
        outcome = "refused" if str(error) else "refused without a sentence"
    except BaseException as error:
        outcome = f"{type(error).__name__}: {str(error)[:200]}"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Measured(outcome, peak - held, _mib("VmPeak") - reserved, time.monotonic() - start)


def _report(name: str, folder: Path, found: Path) -> None:
    """Read a file and write what was measured."""
    found.write_text(json.dumps(_read(name, folder)))
