"""Reading of CSV and Parquet tables compared with Arrow alone on the same files, in CPU seconds of one thread."""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

import highwaygraph as hg
from highwaygraph.data.tables.files import read_table

ROWS, EDGES_PER_NODE, REPEATS = 100_000, 5, 5
LINE = "{suffix}, {ids} ids{text}: Arrow {arrow_s:.3f} s, tables {tables_s:.3f} s, hg.load {load_s:.3f} s"


def node_table(rows: int, ids: Any, *, text: bool) -> pd.DataFrame:
    """Return numbers, a category, a date, a flag and, if asked for, a text of eight words per node."""
    rng = np.random.default_rng(0)
    numbers = {f"x{i}": rng.normal(size=rows).round(4) for i in range(6)}
    words = np.array([f"word{i}" for i in range(2_000)])
    texts = {"abstract": [" ".join(row) for row in words[rng.integers(2_000, size=(rows, 8))]]} if text else {}
    return pd.DataFrame(
        {
            "id": ids,
            "label": np.array(["a", "b", "c", "d"])[rng.integers(4, size=rows)],
            **numbers,
            "age": rng.integers(90, size=rows),
            "city": np.array(["Bern", "Oslo", "Paris", "Riga", "Rome", "Wien"])[rng.integers(6, size=rows)],
            "joined": (np.datetime64("2015-01-01") + rng.integers(3_000, size=rows)).astype(str),
            "member": np.array(["true", "false"])[rng.integers(2, size=rows)],
            **texts,
        }
    )


def write(folder: Path, suffix: str, kind: str, *, text: bool, rows: int = ROWS) -> None:
    """Write a table of nodes and one of edges."""
    ids = np.arange(rows) if kind == "integer" else np.array([f"n{i:07d}" for i in range(rows)])
    rng = np.random.default_rng(1)
    ends = rng.integers(rows, size=(2, EDGES_PER_NODE * rows))
    weight = rng.random(ends.shape[1]).round(3)
    edges = pd.DataFrame({"source": ids[ends[0]], "target": ids[ends[1]], "weight": weight})
    for name, table in (("nodes", node_table(rows, ids, text=text)), ("edges", edges)):
        path = folder / f"{name}.{suffix}"
        if suffix == "csv":
            table.to_csv(path, index=False)
        else:
            table.to_parquet(path, index=False)


def with_arrow(folder: Path) -> None:
    """Read both files as Arrow does."""
    for path in folder.iterdir():
        (pyarrow.csv.read_csv if path.suffix == ".csv" else pyarrow.parquet.read_table)(path)


def as_tables(folder: Path) -> None:
    """Read both files as checked tables, without inference of types and without a graph."""
    for path in folder.iterdir():
        read_table(path)


def seconds(work: Callable[[Path], object], folder: Path) -> float:
    """Return the CPU seconds of one call."""
    start = time.process_time()
    work(folder)
    return time.process_time() - start


def measure(report: Any) -> list[dict[str, Any]]:
    """Return one row per format, kind of ids and presence of text: medians over alternating repetitions."""
    pa.set_cpu_count(1)
    pa.set_io_thread_count(1)
    found = []
    for suffix in ("csv", "parquet"):
        for kind, text in (("integer", False), ("text", False), ("text", True)):
            with tempfile.TemporaryDirectory() as place:
                write(Path(place), suffix, kind, text=text)
                works = (with_arrow, as_tables, hg.load)
                times = [[seconds(work, Path(place)) for work in works] for _ in range(REPEATS)]
            arrow, tables, loaded = (median(column) for column in zip(*times, strict=True))
            row = {"suffix": suffix, "ids": kind, "text": text, "arrow_s": arrow, "tables_s": tables, "load_s": loaded}
            row["tables_speed"] = median(each[0] / each[1] for each in times)
            row["load_speed"] = median(each[0] / each[2] for each in times)
            found.append(row)
            report(LINE.format(**row | {"text": ", with text" if text else ""}))
    return found
