"""Files that declare more than they hold: each is read in a process of its own, which measures its memory."""

import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

LIMIT = 1024.0
"""MiB that SECURITY.md states: so many a small file may take."""
FACTOR, SECONDS, SLACK = 3, 60, 1024.0
RESULT = "measured: "


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
        """What is wrong, empty where nothing is."""
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
    words = [sys.executable, "-m", "tests.helpers.declared_sizes", name, str(folder)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as one:
        outcome = _watch(one)
        text = one.communicate()[0].decode()
    if RESULT not in text:
        return Measured(outcome or f"exit status {one.returncode}", 0.0, 0.0, 0.0)
    return Measured(*json.loads(text.rpartition(RESULT)[2]))


def _watch(process: "subprocess.Popen[bytes]") -> str:
    """Wait for the process; kill it where it takes far more than the bar, and return why."""
    start, most = time.monotonic(), FACTOR * LIMIT + SLACK
    while process.poll() is None:
        if time.monotonic() - start > SECONDS:
            process.kill()
            return f"nothing after {SECONDS} s"
        if (held := _mib("VmRSS", process.pid)) > most:
            process.kill()
            return f"killed at {held:,.0f} MiB"
        time.sleep(0.01)
    return ""


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


if __name__ == "__main__":
    sys.stdout.write(f"\n{RESULT}{json.dumps(_read(sys.argv[1], Path(sys.argv[2])))}\n")
