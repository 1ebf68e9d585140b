"""Available memory: of the machine, and within the limits of control groups."""

import math
from pathlib import Path

import pytest

from highwaygraph.runtime import memory

MIB = 2**20


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the mount point of control groups on a machine with 1000 MiB of available memory."""
    (tmp_path / "meminfo").write_text("MemTotal: 9999999 kB\nMemAvailable: 1024000 kB\n")
    (tmp_path / "cgroup").write_text("")
    for name, file in (("MEMINFO", "meminfo"), ("GROUPS", "cgroup"), ("MOUNT", "mount")):
        monkeypatch.setattr(memory, name, tmp_path / file)
    return tmp_path / "mount"


def group(folder: Path, limit: str, used: int, cache: int = 0, *, first: bool = False) -> None:
    """Write the files of a control group, of the first version or the second."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ("memory.limit_in_bytes", "memory.usage_in_bytes") if first else ("memory.max", "memory.current")
    for name, value in zip(names, (limit, used), strict=True):
        (folder / name).write_text(f"{value}\n")
    (folder / "memory.stat").write_text(f"anon 5\n{'total_' * first}inactive_file {cache}\n")


@pytest.mark.usefixtures("system")
def test_without_a_limit_it_is_that_of_the_machine() -> None:
    assert memory.available_bytes() == 1000 * MIB


def test_limit_of_a_container_without_its_file_cache(system: Path) -> None:
    memory.GROUPS.write_text("0::/\n")
    group(system, str(300 * MIB), 200 * MIB, 150 * MIB)
    assert memory.available_bytes() == 250 * MIB


def test_the_least_limit_of_all_groups_above(system: Path) -> None:
    memory.GROUPS.write_text("0::/jobs/mine\n")
    group(system / "jobs/mine", "max", 10 * MIB)
    group(system / "jobs", str(90 * MIB), 50 * MIB)
    assert memory.available_bytes() == 40 * MIB


def test_groups_of_the_first_version(system: Path) -> None:
    memory.GROUPS.write_text("5:cpu:/other\n4:memory:/jobs\n")
    group(system / "memory/jobs", str(100 * MIB), 130 * MIB, 50 * MIB, first=True)
    assert memory.available_bytes() == 20 * MIB


def test_more_used_than_allowed_is_nothing_left(system: Path) -> None:
    memory.GROUPS.write_text("0::/\n")
    group(system, str(100 * MIB), 120 * MIB)
    assert memory.available_bytes() == 0


@pytest.mark.usefixtures("system")
def test_a_system_that_reports_nothing() -> None:
    memory.MEMINFO.unlink()
    memory.GROUPS.unlink()
    assert memory.available_bytes() == math.inf
