"""Corrupted files of every kind: an error or a valid result, never a traceback, a hang or all of the memory."""

import random
import resource
import shutil
import signal
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

from highwaygraph.errors import HighwayError
from tests.helpers.fuzzing import KINDS, corrupted, is_valid
from tests.helpers.table_fuzz import AGAIN, cases, run

SECONDS, GIB = 30, 2**30


@pytest.fixture(autouse=True)
def _limited() -> Iterator[None]:
    """Allow 4 GiB beyond what is held, and half a minute for each input."""

    def late(*_: object) -> None:
        raise TimeoutError(f"nothing after {SECONDS} s")

    before, handler = resource.getrlimit(resource.RLIMIT_AS), signal.signal(signal.SIGALRM, late)
    held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (held + 4 * GIB, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, before)
    signal.signal(signal.SIGALRM, handler)


def fuzz(kind: str, folder: Path, count: int, seed: int) -> dict[str, int]:
    """Corrupt a file so many times and count the outcomes."""
    chosen, read = KINDS[kind], KINDS[kind].read
    (folder / "whole").mkdir()
    original, went = chosen.make(folder / "whole"), {"refused": 0, "read": 0}
    assert is_valid(read(original))
    for number in range(count):
        place = folder / "corrupted"
        place.mkdir()
        path = corrupted(chosen, original, place, random.Random(f"{kind} {seed} {number}"))
        signal.alarm(SECONDS)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                assert is_valid(read(path)), f"{kind} {seed} {number}"
            went["read"] += 1
        except HighwayError as error:
            went["refused"] += bool(str(error))
        except Exception as error:
            raise AssertionError(f"{kind}, input {number} of seed {seed}: {type(error).__name__}: {error}") from error
        finally:
            signal.alarm(0)
        shutil.rmtree(place)
    return went


@pytest.mark.parametrize("kind", KINDS)
def test_corrupted_files(tmp_path, kind) -> None:
    went = fuzz(kind, tmp_path, 25, seed=0)
    # A checkpoint that is none is passed over.
    assert went["refused"] or "checkpoint" in kind


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_corrupted_files(tmp_path, kind) -> None:
    many = round(800 * KINDS[kind].share)
    assert sum(fuzz(kind, tmp_path, many, seed=1).values()) == many


def compared(count: int, start: int = 0) -> None:
    """Compare so many written-and-read tables with their truth; all failures are named."""
    faults = [f"{' '.join(map(str, case))}: {found}" for case, found in run(cases(count, start)) if found]
    assert not faults, "\n".join([f"{len(faults)} of {count}; one again: {AGAIN}", *faults[:20]])


def test_tables_are_read_as_they_were_written() -> None:
    compared(50)


@pytest.mark.slow
def test_many_tables_are_read_as_they_were_written() -> None:
    compared(2000, start=50)
