"""Time of `highway report` on Cora and a generated graph, each in a process of its own, and that of its imports."""

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

import highwaygraph as hg
from benchmarks.generate import generate

REPEATS = 3
QUICK = {"fit.epochs": 20, "highway.rounds": 2}
LARGE = QUICK | {"pairs.strategy": "random", "pairs.limit": 50_000}
# As the command imports them, some parts of PyG at their first use.
IMPORTS = """
from highwaygraph.cli.deferred_imports import deferred_imports
with deferred_imports():
    import highwaygraph.report.run_page
"""
LIBRARY = ["-c", IMPORTS]


def cpu_seconds(arguments: list[str]) -> float:
    """Return the CPU seconds of a Python process of one thread."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, *arguments], env=os.environ | {"OMP_NUM_THREADS": "1"}, check=True, stdout=subprocess.DEVNULL
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def save_runs(folder: Path) -> dict[str, int]:
    """Write a run with typical training beside it on Cora, and one on 100,000 nodes; return the nodes of each."""
    cora = hg.split(hg.load("cora"), train=20, val=30, seed=0)
    graphs = {"cora": (cora, "plus", QUICK), "generated": (generate(100_000, labels=200), "full", LARGE)}
    for name, (data, preset, changes) in graphs.items():
        config = hg.override(hg.PRESETS[preset], changes)
        hg.train(hg.models.build("gcn", data), data, config, seed=0).save(folder / name)
    return {name: data.num_nodes for name, (data, *_) in graphs.items()}


def measure(report: Any) -> list[dict[str, Any]]:
    """Return one row per run: medians over alternating repetitions."""
    with tempfile.TemporaryDirectory() as place:
        sizes = save_runs(Path(place))
        turns = [
            {"import": cpu_seconds(LIBRARY)}
            | {name: cpu_seconds(["-m", "highwaygraph", "report", f"{place}/{name}"]) for name in sizes}
            for _ in range(REPEATS)
        ]
    imports = median(turn["import"] for turn in turns)
    found = []
    for name, nodes in sizes.items():
        row = {"run": name, "nodes": nodes, "cpu_s": median(turn[name] for turn in turns), "import_s": imports}
        found.append(row)
        report(f"{name}: {row['cpu_s']:.1f} s, of which imports of the library {imports:.1f} s")
    return found
