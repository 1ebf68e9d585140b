"""Training with this library, timed through its public API."""

import time
from itertools import pairwise

import highwaygraph as hg
from highwaygraph.graph.graph import Graph


def epochs(data: Graph, model_name: str, preset: str, count: int, **changes: object) -> list[float]:
    """Train one round and return the seconds of every epoch but the first."""
    fixed = {"highway.rounds": 1, "fit.epochs": count, "fit.patience": count, "fit.device": "cpu"}
    config = hg.override(hg.PRESETS[preset], fixed | changes)
    marks: list[float] = []
    hg.train(hg.models.build(model_name, data), data, config, on_epoch=lambda _: marks.append(time.perf_counter()))
    return [after - before for before, after in pairwise(marks)]


def run(data: Graph, model_name: str, preset: str, seed: int) -> float:
    """Return the seconds of a whole run, with rounds, highways and preparation."""
    start = time.perf_counter()
    config = hg.override(hg.PRESETS[preset], {"fit.num_threads": 1})
    hg.train(hg.models.build(model_name, data), data, config, seed=seed)
    return time.perf_counter() - start
