"""Epochs and whole runs compared with the plain PyG loop, on the paper's datasets and networks."""

import time
from contextlib import suppress
from functools import partial
from itertools import product
from statistics import median
from typing import Any

from torch.optim import Adam

import highwaygraph as hg
from benchmarks import ours, plain
from benchmarks.workers import Worker
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.features import prepare_features
from highwaygraph.training import step
from highwaygraph.training.batches import full_graph_data

DATASETS, MODELS = ("cora", "citeseer", "pubmed"), ("gcn", "gat", "sage", "hyper")
LINE = (
    "{dataset} {model}: plain {plain_epoch_ms:.1f} ms, ours {typical_epoch_ms:.2f} ms per epoch, {epoch_ratio:.1f} x; "
    "pairs x {pair_ratio:.3f}; full run / plain run {run_ratio:.3f}"
)
REPEATS, PLAIN_EPOCHS, OUR_EPOCHS, PAIR_EPOCHS = 5, 4, 30, 300


def load(dataset: str) -> Graph:
    """Return the dataset with its first random split."""
    return hg.split(hg.load(dataset), train=20, val=30, seed=0)


def plain_epoch(data: Graph, model: str) -> float:
    """Return the median seconds of a plain epoch."""
    return median(plain.train(data, model, seed=0, epochs=PLAIN_EPOCHS, patience=PLAIN_EPOCHS)[1:])


def our_epoch(data: Graph, model: str, preset: str) -> float:
    """Return the median seconds of one of our epochs."""
    return median(ours.epochs(data, model, preset, OUR_EPOCHS))


def our_pair_ratio(data: Graph, model: str) -> float:
    """Return the ratio of epoch times with and without the pair loss, of two trainings that alternate by epoch."""
    trainings = [Training(data, model, preset) for preset in ("typical", "without-explicit")]
    times = [[training.epoch() for training in trainings] for _ in range(PAIR_EPOCHS)]
    alone, paired = (median(column) for column in zip(*times[PAIR_EPOCHS // 10 :], strict=True))
    return paired / alone


class Training:
    """A round that is trained one epoch at a time, by the steps of the engine."""

    def __init__(self, data: Graph, model: str, preset: str) -> None:
        self.config = hg.PRESETS[preset]
        self.model = hg.models.build(model, data)
        self.round_data = full_graph_data(
            self.model, prepare_features(self.model, data, self.config.fit), data, self.config, 1
        )
        self.adam = Adam(self.model.parameters(), lr=self.config.fit.lr, weight_decay=5e-4, fused=True)

    def epoch(self) -> float:
        """Train one epoch and return its seconds."""
        start = time.perf_counter()
        step.step(self.model, self.round_data, self.adam, self.config, 1)
        step.validate(self.model, self.round_data, self.config)
        return time.perf_counter() - start


def plain_run(data: Graph, model: str, seed: int) -> float:
    """Return the seconds of a plain typical run with early stopping."""
    return sum(plain.train(data, model, seed))


def compare(dataset: str, model: str) -> dict[str, Any]:
    """Return one row: medians over alternating repetitions, with ratios taken within each repetition."""
    them, us = Worker(partial(load, dataset)), Worker(partial(load, dataset))
    epochs = [
        (them(plain_epoch, model), us(our_epoch, model, "typical"), us(our_epoch, model, "without-explicit"))
        for _ in range(REPEATS)
    ]
    pairs = [us(our_pair_ratio, model) for _ in range(REPEATS)]
    runs = [(them(plain_run, model, seed), us(ours.run, model, "full", seed)) for seed in range(REPEATS)]
    return {
        "dataset": dataset,
        "model": model,
        "plain_epoch_ms": 1e3 * median(e[0] for e in epochs),
        "typical_epoch_ms": 1e3 * median(e[1] for e in epochs),
        "pair_epoch_ms": 1e3 * median(e[2] for e in epochs),
        "epoch_ratio": median(e[0] / e[1] for e in epochs),
        "pair_ratio": median(pairs),
        "plain_run_s": median(r[0] for r in runs),
        "full_run_s": median(r[1] for r in runs),
        "run_ratio": median(r[1] / r[0] for r in runs),
        "plain_peak_mib": them.peak(),
        "our_peak_mib": us.peak(),
    }


def available() -> list[str]:
    """Return the datasets that can be loaded."""
    found = []
    for dataset in DATASETS:
        with suppress(hg.DataError):
            hg.load(dataset)
            found.append(dataset)
    return found


def measure(report: Any) -> list[dict[str, Any]]:
    """Return the rows of the available datasets, reporting each one."""
    report(f"datasets that are not available: {set(DATASETS) - set(available()) or 'none'}")
    rows = []
    for dataset, model in product(available(), MODELS):
        rows.append(compare(dataset, model))
        report(LINE.format(**rows[-1]))
    return rows
