"""Fault injection itself: every part runs, files outside of an output are guarded, and the page can be filled."""

from pathlib import Path

import pytest

from tests.helpers import guarded
from tools.fault_injection.page import CORRUPTED, page
from tools.fault_injection.pool import chunks


def test_chunks_hold_every_number_once() -> None:
    assert [list(chunk) for chunk in chunks(5, 2)] == [[0, 1], [2, 3], [4]]


def test_the_page_has_a_place_for_every_count() -> None:
    counts = {
        "tables": {"compared": 5000, "flawed": 800},
        "hostile": {"hostile": 300, "full disk": 50, "killed": 60},
        "sizes": {"tried": 24, "mib": 31.3},
        "kills": {"trainings": 100, "runs": 8, "studies": 50},
        CORRUPTED: {"csv": {"refused": 12_345, "read": 1}, "seconds": 1.0},
        "calls": {"refused": 1700, "trained": 300},
        "load": {"cells": 200},
        "soak": {"rounds": 1500, "mib": [100.0, 101.0], "files": [8, 8]},
    }
    assert "12,346 files, 0 failures" in page(counts)


def test_a_change_outside_of_the_output_is_found(tmp_path) -> None:
    for name in ("work/out", "work/run", "guarded"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "guarded/victim.txt").write_text("old")
    before = guarded.snapshot(tmp_path)
    (tmp_path / "work/out/new.csv").write_text("a,b")
    assert not guarded.changes(before, guarded.snapshot(tmp_path))
    (tmp_path / "guarded/victim.txt").write_text("new")
    (tmp_path / "work/stray.txt").touch()
    found = guarded.changes(before, guarded.snapshot(tmp_path))
    assert found == ["guarded/victim.txt changed", "work/stray.txt appeared"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tables", CORRUPTED, "hostile", "sizes"])
def test_every_part_runs_without_a_failure(tmp_path: Path, name) -> None:
    from tools.fault_injection.parts import PARTS

    assert PARTS[name](tmp_path, 0.03)["failures"] == []
