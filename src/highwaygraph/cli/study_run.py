"""Studies run from the command line."""

from pathlib import Path
from typing import Any

from highwaygraph.runs.lock import file_lock
from highwaygraph.runtime.parallel import Launcher
from highwaygraph.runtime.progress import counting_bar
from highwaygraph.study.aggregate import Row, aggregate
from highwaygraph.study.records import read_records, run
from highwaygraph.study.spec import Study, cell_key, cells, read_study, shipped_studies


def run_study(
    name: str, only: dict[str, str], folder: Path, workers: int, launcher: Launcher = "local"
) -> tuple[Study, list[Row]]:
    """Run the missing cells of a study with a progress bar.

    Args:
        name: Name of a shipped study, or path of a TOML file.
        only: Values by axis that select the cells.
        folder: Folder of the result records.
        workers: Cells that run in parallel; 0 means one per core.
        launcher: Where the cells run.

    Returns:
        The study and the aggregated rows of the selected cells.
    """
    study = read_study(name)
    wanted, path = cells(study, only), folder / f"{study.name}.jsonl"
    keys = {cell_key(cell) for cell in wanted}
    done = sum(cell_key(found.cell) in keys for found in read_records(path))
    busy = f"{path} is being written by another process: wait for it, or choose another folder with --out."
    with file_lock(path.with_name(f".{path.name}.lock"), busy), counting_bar(study.name, done, len(wanted)) as count:
        for _ in run(study, wanted, path, workers, launcher):
            count()
    return study, aggregate(study, (found for found in read_records(path) if cell_key(found.cell) in keys))


def shipped(folder: Path) -> list[dict[str, Any]]:
    """Return the shipped studies with their number of cells and of finished cells."""
    found = []
    for name in shipped_studies():
        study = read_study(name)
        every = {cell_key(cell) for cell in cells(study)}
        done = {cell_key(r.cell) for r in read_records(folder / f"{name}.jsonl")} & every
        found.append({"name": name, "title": study.title, "cells": len(every), "done": len(done)})
    return found
