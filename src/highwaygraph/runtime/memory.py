"""The memory that this process can still take: of the machine, and within the limit of its container or job."""

import math
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import NamedTuple

import torch

from highwaygraph.runtime.environment import find_device

MEMINFO, GROUPS, MOUNT = Path("/proc/meminfo"), Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")


class _Files(NamedTuple):
    """Names of a control group's files: the limit, the use, and the statistics with the name of the file cache."""

    limit: str
    used: str
    cache: str


# Linux has two versions of control groups; in the first, memory has a hierarchy of its own.
VERSIONS = {
    "": _Files("memory.max", "memory.current", "inactive_file"),
    "memory": _Files("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}


def available_bytes(device: str = "cpu") -> float:
    """Return the bytes that can be allocated without swapping.

    Args:
        device: The device of a training, as in `fit.device`.

    Returns:
        On a CPU the least of the machine's available memory and the rest of every control group's limit; on a GPU its
        free memory; infinity where the system does not report it.

    Example:
        >>> available_bytes() > 0
        True
    """
    chosen = find_device(device)
    if chosen.type == "cuda":
        return float(torch.cuda.mem_get_info(chosen)[0])
    return min([_machine(MEMINFO), *_groups(GROUPS, MOUNT)])


def _machine(meminfo: Path) -> float:
    try:
        lines = meminfo.read_text().splitlines()
        return next(1024.0 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration, ValueError, IndexError):
        return math.inf


def _groups(groups: Path, mount: Path) -> Iterator[float]:
    """Yield the rest of the limit of this process's control groups and of all groups above them."""
    try:
        entries = [line.split(":", 2) for line in groups.read_text().splitlines()]
    except OSError:
        return
    for controllers, files in VERSIONS.items():
        for _, names, path in (entry for entry in entries if len(entry) == 3):
            if controllers in names.split(","):
                # In a container the path may be that of the host, and the own group is mounted at the top.
                for folder in (PurePosixPath(path), *PurePosixPath(path).parents):
                    yield _rest(mount / controllers / str(folder).lstrip("/"), files)


def _rest(folder: Path, files: _Files) -> float:
    """Return the limit of a control group minus its use, in which the file cache that can be dropped has no part."""
    try:
        limit, used = (int((folder / name).read_text()) for name in (files.limit, files.used))
    except (OSError, ValueError):
        # There is no such group, or its limit is "max".
        return math.inf
    try:
        stats = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
        cache = int(stats.get(files.cache, 0))
    except (OSError, ValueError):
        cache = 0
    return float(max(limit - max(used - cache, 0), 0))
