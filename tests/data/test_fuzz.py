"""Corrupted files of every kind: an error or a valid result, never a traceback, a hang or all of the memory."""

import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

from tests.helpers.fuzzing import KINDS, fuzz
from tests.helpers.table_fuzz import AGAIN, cases, run


@pytest.mark.parametrize("kind", KINDS)
def test_corrupted_files(tmp_path, kind) -> None:
    went, failures = fuzz(kind, tmp_path, range(25), seed=0)
    assert not failures
    # A checkpoint that is none is passed over.
    assert went["refused"] or "checkpoint" in kind


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_corrupted_files(tmp_path, kind) -> None:
    _, failures = fuzz(kind, tmp_path, range(round(800 * KINDS[kind].share)), seed=1)
    assert not failures


def compared(count: int, start: int = 0) -> None:
    """Compare so many written-and-read tables with their truth; all failures are named."""
    faults = [f"{' '.join(map(str, case))}: {found}" for case, found in run(cases(count, start)) if found]
    assert not faults, "\n".join([f"{len(faults)} of {count}; one again: {AGAIN}", *faults[:20]])


def test_tables_are_read_as_they_were_written() -> None:
    compared(50)


@pytest.mark.slow
def test_many_tables_are_read_as_they_were_written() -> None:
    compared(2000, start=50)
