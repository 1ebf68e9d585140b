"""Short trainings with trackers, interrupted where a test wants to resume them."""

from typing import Any

import pytest

import highwaygraph as hg
from highwaygraph.runs.history import Epoch
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import checkpoints
from tests.helpers.graphs import block_graph

OPTIONS = {"fit.epochs": 6, "fit.patience": 6, "highway.rounds": 3, "highway.patience": 3, "fit.device": "cpu"}
CONFIG = hg.override(hg.PRESETS["plus"], OPTIONS | {"select.baselines": False, "consistency.ramp": 2})


def train(trackers: list[Any], folder: Any = None, stop: int = 0) -> Result | None:
    """Train three rounds of six epochs; with `stop`, interrupt the training after so many epochs and return None."""
    data, seen = block_graph(), []
    model = hg.models.build("gcn", data, hidden=8)
    saved = None if folder is None else checkpoints(folder, model, data, CONFIG, every=0.0)

    def count(epoch: Epoch) -> None:
        seen.append(epoch)
        if len(seen) == stop:
            raise KeyboardInterrupt

    if not stop:
        return hg.train(model, data, CONFIG, on_epoch=count, checkpoint=saved, trackers=trackers)
    with pytest.raises(KeyboardInterrupt):
        hg.train(model, data, CONFIG, on_epoch=count, checkpoint=saved, trackers=trackers)
    return None


class Recorder:
    """A tracker that stores its calls."""

    def __init__(self, fails: str = "") -> None:
        self.calls: list[tuple[Any, ...]] = []
        self.fails = fails

    def _store(self, name: str, *values: Any) -> None:
        self.calls.append((name, *values))
        if name == self.fails:
            raise ConnectionError("no answer\nfrom the server")

    def on_start(self, start: Any) -> None:
        self._store("on_start", start)

    def on_epoch(self, epoch: Any, step: int) -> None:
        self._store("on_epoch", epoch, step)

    def on_round(self, record: Any, number: int) -> None:
        self._store("on_round", record, number)

    def on_end(self, end: Any) -> None:
        self._store("on_end", end)

    def of(self, name: str) -> list[tuple[Any, ...]]:
        """Return the arguments of all calls of a method."""
        return [values for called, *values in self.calls if called == name]
