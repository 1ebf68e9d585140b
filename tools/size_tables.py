"""The section of docs/scale.md on the default command, from the measurements of `python -m benchmarks size`."""

import math
from itertools import groupby
from statistics import fmean, median
from typing import Any

from benchmarks.size import gain
from tools.pages import table

Rows = list[dict[str, Any]]


def by_size(rows: Rows) -> dict[int, Rows]:
    """Return the rows of each number of nodes."""
    ordered = sorted(rows, key=lambda row: (row["nodes"], row["seed"]))
    return {nodes: list(own) for nodes, own in groupby(ordered, key=lambda row: int(row["nodes"]))}


def default_runs(rows: Rows) -> str:
    """Return time, memory and accuracy on remote nodes by size, with the estimates of `highway inspect`."""
    heads = ["nodes", "graphs", "seconds", "processor s", "expected s", "peak GiB", "expected GiB"]
    heads += ["`plus`, 4 hops and more (%)", "typical (%)", "difference"]
    lines = []
    for nodes, own in by_size(rows).items():
        mean, error = gain(own)
        lines.append([
            f"{nodes:,}",
            str(len(own)),
            _range(own, "seconds", 1),
            _range(own, "processor_s", 1),
            _range(own, "expected_s", 1),
            _range(own, "peak_mib", 1024, ".1f"),
            _range(own, "expected_mib", 1024, ".1f"),
            f"{100 * fmean(row['remote'] for row in own):.2f}",
            f"{100 * fmean(row['typical_remote'] for row in own):.2f}",
            f"{100 * mean:+.2f}" + ("" if math.isnan(error) else f" ± {100 * error:.2f}"),
        ])  # fmt: skip
    return table(heads, lines)


def time_slope(rows: Rows) -> str:
    """Return the slope of processor time over nodes from the smallest to the largest size."""
    sizes = by_size(rows)
    (first, small), *_, (last, large) = sizes.items()
    times = [median(row["processor_s"] for row in own) for own in (small, large)]
    return f"{math.log(times[1] / times[0]) / math.log(last / first):.2f} from {first:,} to {last:,} nodes"


def _range(rows: Rows, name: str, unit: float, form: str = ".0f") -> str:
    least, most = (format(pick(row[name] for row in rows) / unit, form) for pick in (min, max))
    return least if least == most else f"{least} to {most}"
