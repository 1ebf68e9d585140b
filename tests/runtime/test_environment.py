import math
import platform
import subprocess
import sys

from highwaygraph.runtime import environment


def test_the_peak_counts_from_the_reset() -> None:
    # In a process of its own: memory that earlier tests have freed would be used again.
    script = (
        "import torch\nfrom highwaygraph.runtime import environment\nheld = environment.reset_peak()\n"
        "matrix = torch.ones(64 * 2**18)\nprint(environment.peak_mib() - held)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert 60 < float(done.stdout) < 120


def test_an_unknown_peak_is_nan(monkeypatch) -> None:
    monkeypatch.setattr(environment, "_status", lambda _: (_ for _ in ()).throw(OSError))
    assert environment.peak_mib() > 0
    monkeypatch.setitem(__import__("sys").modules, "resource", None)
    assert math.isnan(environment.peak_mib())


def test_what_a_step_frees_is_kept() -> None:
    script = (
        "import resource, torch\nfrom highwaygraph.runtime import environment as memory\n{}\n"
        "def faults():\n    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt\n"
        "for _ in range(30): torch.ones(2**23)\nbefore = faults()\n"
        "for _ in range(10): torch.ones(2**23)\nprint(faults() - before)"
    )
    kept, usual = (
        int(subprocess.run([sys.executable, "-c", script.format(word)], capture_output=True, check=True).stdout)
        for word in ("memory.keep_freed_memory()", "")
    )
    # 32 MiB ten times are 81,920 pages of 4 KiB, which glibc hands back each time unless it is told.
    assert platform.libc_ver()[0] != "glibc" or kept < usual / 2
