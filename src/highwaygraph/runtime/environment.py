"""The process's environment: memory, device, optional packages and versions."""

import ctypes
import math
import platform
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from highwaygraph.errors import ConfigError

# glibc's mallopt options: M_TRIM_THRESHOLD, -1 to never return freed memory to the system, and M_MMAP_MAX, 0 to
# allocate no array by mmap.
SETTINGS = {-1: -1, -4: 0}


def keep_freed_memory() -> None:
    """Make this process keep the memory that a step frees: the next one needs as much, and new pages cost time.

    Only for processes that this package starts; a library does not change the allocator of its caller.
    """
    if platform.libc_ver()[0] == "glibc":
        library = ctypes.CDLL(None)
        for setting, value in SETTINGS.items():
            library.mallopt(setting, value)


def reset_peak() -> float:
    """Return the MiB in use, and reset the peak, as loading may have needed more for a moment."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return peak_mib()


def peak_mib() -> float:
    """Return the peak memory in MiB, NaN where the system does not report it."""
    try:
        return _status("VmHWM")
    except OSError:
        pass
    try:
        import resource
    except ImportError:
        return math.nan
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _status(name: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith(name))


def require_extra(module: str, what: str, extra: str) -> Any:
    """Return the module; the error of a missing one names the extra that installs it."""
    try:
        return import_module(module)
    except ImportError as error:
        name = module.split(".", maxsplit=1)[0].replace("sklearn", "scikit-learn")
        raise ConfigError(f"{what} needs {name}: pip install 'highwaygraph[{extra}]'.") from error


def find_device(name: str) -> torch.device:
    """Return the device of that name; refuse one that is not available."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"Device {name!r} is not available here: use --fit.device auto or cpu.") from error
    return device


def versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results may depend on."""
    packages = ("highwaygraph", "torch", "torch-geometric", "numpy", "scipy")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}
