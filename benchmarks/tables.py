"""Reading of two tables compared with `pandas.read_csv` of the same files, for wide and for long tables."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd

import highwaygraph as hg

# Rows and columns of the nodes; there are three edges per node.
SHAPES = ((500, 1_000), (500, 5_000), (500, 20_000), (20_000, 20), (200_000, 20))
REPEATS = 3
LINE = "{rows:,} rows x {columns:,} columns: pandas {pandas_s:.2f} s, hg.load {load_s:.2f} s, {ratio:.1f} x"


def write(folder: Path, rows: int, columns: int) -> None:
    """Write nodes.csv and edges.csv."""
    rng = np.random.default_rng(0)
    nodes = pd.DataFrame(rng.normal(size=(rows, columns)).round(4), columns=[f"c{i}" for i in range(columns)])
    nodes.insert(0, "label", [("a", "b")[i % 2] for i in range(rows)])
    nodes.insert(0, "id", [f"n{i}" for i in range(rows)])
    nodes.to_csv(folder / "nodes.csv", index=False)
    ends = rng.integers(rows, size=(3 * rows, 2))
    pd.DataFrame({"source": [f"n{i}" for i in ends[:, 0]], "target": [f"n{i}" for i in ends[:, 1]]}).to_csv(
        folder / "edges.csv", index=False
    )


def read_with_pandas(folder: Path) -> None:
    """Read both tables as a user would without this package."""
    for name in ("nodes", "edges"):
        pd.read_csv(folder / f"{name}.csv", low_memory=False)


def seconds(function: Callable[[Path], object], folder: Path) -> float:
    """Return the seconds of one call."""
    start = time.perf_counter()
    function(folder)
    return time.perf_counter() - start


def measure(report: Any) -> list[dict[str, Any]]:
    """Return one row per shape: medians over alternating repetitions."""
    found = []
    for rows, columns in SHAPES:
        with tempfile.TemporaryDirectory() as place:
            write(Path(place), rows, columns)
            times = [(seconds(read_with_pandas, Path(place)), seconds(hg.load, Path(place))) for _ in range(REPEATS)]
        theirs, ours = (median(column) for column in zip(*times, strict=True))
        ratio = median(our / their for their, our in times)
        found.append({"rows": rows, "columns": columns, "pandas_s": theirs, "load_s": ours, "ratio": ratio})
        report(LINE.format(**found[-1]))
    return found
