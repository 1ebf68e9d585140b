"""Time of a run of `plus`, and of typical training by plain PyG loops with early stopping and with as many epochs."""

from functools import partial
from statistics import median
from typing import Any

import highwaygraph as hg
from benchmarks import ours
from benchmarks.speed import MODELS, available, load, plain_epoch, plain_run
from benchmarks.workers import Worker

LONG = hg.PRESETS["plus"].fit.epochs
"""Most epochs of typical training in the study of `plus`."""


def compare(dataset: str, model: str) -> dict[str, Any]:
    """Return the row of one dataset and network."""
    them, us = Worker(partial(load, dataset)), Worker(partial(load, dataset))
    before, early = them(plain_epoch, model), them(plain_run, model, 0)
    run = us(ours.run, model, "plus", 0)
    long = LONG * median([before, them(plain_epoch, model)])
    for worker in (them, us):
        worker.peak()
    return {"dataset": dataset, "model": model, "plain_early_s": early, "plain_long_s": long, "plus_s": run}


def measure(report: Any) -> list[dict[str, Any]]:
    """Return the rows of the available datasets, reporting each one."""
    rows = []
    for dataset in available():
        for model in MODELS:
            rows.append(row := compare(dataset, model))
            early, long = row["plus_s"] / row["plain_early_s"], row["plus_s"] / row["plain_long_s"]
            report(f"{dataset:9} {model:6} plus {row['plus_s']:.1f} s: {early:.1f} early, {long:.2f} long")
    return rows
