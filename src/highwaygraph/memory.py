"""How much memory this process needed at its peak, where the system tells."""

import math
from pathlib import Path


def forget_peak() -> float:
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
