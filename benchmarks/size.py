"""The default command without options on large graphs: seconds, peak memory, and accuracy by distance."""

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from benchmarks.large import GraphSpec, write

# Graphs by number of nodes; each is generated from its own seed.
GRAPHS = {10**5: 5, 10**6: 5}
LARGEST = 10**7
# Hops from which a node is remote.
REMOTE = ("4", "5+")
LINE = (
    "{nodes:,} nodes, graph {seed}: {seconds:.0f} s (processor {processor_s:.0f} s, expected {expected_s:.0f}), "
    "{peak_mib:,.0f} MiB (expected {expected_mib:,.0f}), remote {remote:.2%}, typical {typical_remote:.2%}"
)


def run(folder: Path) -> dict[str, Any]:
    """Return time, memory and scores of `highway train FOLDER`, and the estimates of `highway inspect FOLDER`."""
    expected = json.loads(_highway("inspect", str(folder), "--json")[0])["estimate"]
    with tempfile.TemporaryDirectory() as place:
        start = time.perf_counter()
        text, used = _highway("train", str(folder), "--out", f"{place}/run", "--json")
        seconds = time.perf_counter() - start
    found = json.loads(text)
    return {
        "seconds": seconds,
        "processor_s": used.ru_utime + used.ru_stime,
        "peak_mib": used.ru_maxrss / 1024,
        "expected_s": expected["seconds"],
        "expected_mib": expected["mib"],
        "rounds": [{name: r[name] for name in ("epochs", "test", "edges_added", "seconds")} for r in found["rounds"]],
        "answer": found["answer"],
        "test": found["test"],
        "typical_test": found["typical"]["test"],
        "remote": remote(found["hops"]),
        "typical_remote": remote(found["typical"]["hops"]),
    }


def _highway(*arguments: str) -> tuple[str, Any]:
    """Return stdout of the command and the resources that it used, with as many threads as it chooses."""
    env = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    with tempfile.TemporaryFile("w+") as out:
        command = [sys.executable, "-m", "highwaygraph", *arguments]
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env=env)
        # Of this process alone: the usage of all children so far would hold the largest peak.
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise RuntimeError(f"{' '.join(command)} ended with exit code {os.waitstatus_to_exitcode(status)}.")
        out.seek(0)
        return out.read(), used


def remote(hops: list[dict[str, Any]]) -> float:
    """Return the accuracy of the remote nodes."""
    own = [hop for hop in hops if hop["hops"] in REMOTE and hop["nodes"]]
    return math.fsum(hop["accuracy"] * hop["nodes"] for hop in own) / sum(hop["nodes"] for hop in own)


def gain(rows: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the mean gain over typical training on remote nodes, and its standard error over the graphs."""
    each = [row["remote"] - row["typical_remote"] for row in rows]
    return fmean(each), stdev(each) / math.sqrt(len(each)) if len(each) > 1 else math.nan


def measure_sizes(graphs: dict[int, int], report: Any) -> list[dict[str, Any]]:
    """Return a row per graph; graphs are kept in the folder of HIGHWAYGRAPH_SCRATCH, for the next measurement."""
    scratch = Path(os.environ.get("HIGHWAYGRAPH_SCRATCH", tempfile.gettempdir())) / "highwaygraph-scale"
    rows = []
    for nodes, count in graphs.items():
        for seed in range(count):
            folder = write(scratch / (str(nodes) if not seed else f"{nodes}-{seed}"), GraphSpec(nodes, seed=seed))
            rows.append({"nodes": nodes, "seed": seed, **run(folder)})
            report(LINE.format(**rows[-1]))
        mean, error = gain(rows[-count:])
        report(f"{nodes:,} nodes: {100 * mean:+.2f} points on remote nodes, standard error {100 * error:.2f}")
    return rows


def measure(report: Any) -> list[dict[str, Any]]:
    """Return the rows of five graphs per size."""
    return measure_sizes(GRAPHS, report)


def measure_largest(report: Any) -> list[dict[str, Any]]:
    """Return the row of one graph with ten million nodes, which needs 16 GiB of memory."""
    return measure_sizes({LARGEST: 1}, report)
