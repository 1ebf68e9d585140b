"""How much memory this process needed at its peak, where the system tells, and what it keeps for the next step."""

import ctypes
import math
import platform
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch

from highwaygraph.errors import ConfigError

# glibc's numbers for two settings: from how much free memory on it is handed back, -1 for never, even of tables of
# gigabytes; and how many tables are mapped.
SETTINGS = {-1: -1, -4: 0}


def keep_freed_memory() -> None:
    """Let this process keep the memory that a step frees: the next one needs as much, and new pages cost time.

    For processes of our own only; what another program does with its memory is not for a library to say.
    """
    if platform.libc_ver()[0] == "glibc":
        library = ctypes.CDLL(None)
        for setting, value in SETTINGS.items():
            library.mallopt(setting, value)


def reset_peak() -> float:
    """Return the MiB held now, and let the peak count from here: loading may have needed more for a moment."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
        return _status("VmRSS")
    except OSError:
        return peak_mib()


def peak_mib() -> float:
    """Return the MiB held at the peak, NaN where nothing is known."""
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
    """Return the module, or say which extra brings it."""
    try:
        return import_module(module)
    except ImportError as error:
        name = module.split(".", maxsplit=1)[0].replace("sklearn", "scikit-learn")
        raise ConfigError(f"{what} needs {name}: pip install 'highwaygraph[{extra}]'.") from error


def find_device(name: str) -> torch.device:
    """Return the device of that name, refusing one that this machine does not have."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(f"Device {name!r} is not available here: use --fit.device auto or cpu.") from error
    return device


def versions() -> dict[str, str]:
    """Return the versions that a number may depend on."""
    packages = ("highwaygraph", "torch", "torch-geometric", "numpy", "scipy")
    return {"python": platform.python_version()} | {name: version(name) for name in packages}
