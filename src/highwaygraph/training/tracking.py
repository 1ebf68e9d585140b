"""Calls the trackers of a training; one that fails is left out, and the training continues."""

import math
import uuid
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from torch import nn

from highwaygraph.config import Config
from highwaygraph.errors import FailedError, HighwayError, HighwayWarning
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import network_of
from highwaygraph.nn.modules import num_classes
from highwaygraph.options import dotted
from highwaygraph.runs.history import Epoch, OnEpoch, Round
from highwaygraph.runs.outputs import plain_name
from highwaygraph.runs.result import Result
from highwaygraph.runs.trackers.protocol import RunEnd, RunStart, Status, Tracker
from highwaygraph.runtime.distributed import rank

Facts = dict[str, str | int | float | bool]


class Tracking:
    """The trackers of one training, and the number of its epochs."""

    def __init__(self, trackers: Sequence[Tracker], name: str, facts: Facts) -> None:
        self._given, self._trackers = tuple(trackers), list[Tracker]()
        self._name, self._facts = name, facts
        self._step = 0

    def start(self, id: str, step: int) -> None:
        """Start all trackers; raise the first error, because nothing is trained yet.

        Args:
            id: The id of the training.
            step: Number of epochs that are trained already.
        """
        self._step = step
        begun = RunStart(id, f"{self._name}-{id[:8]}", self._facts, step)
        for tracker in self._given:
            try:
                tracker.on_start(begun)
            except HighwayError:
                raise
            except Exception as error:
                raise FailedError(
                    f"The tracker {type(tracker).__name__} does not start ({_reason(error)}): "
                    "correct its settings, or leave it out."
                ) from error
            self._trackers.append(tracker)

    def on_epoch(self, epoch: Epoch) -> None:
        """Pass an epoch on."""
        self._step += 1
        self._call(lambda tracker: tracker.on_epoch(epoch, self._step))

    def on_round(self, record: Round, number: int) -> None:
        """Pass a finished round on."""
        self._call(lambda tracker: tracker.on_round(record, number))

    def end(self, status: Status, result: Result | None = None) -> None:
        """Pass the outcome on."""
        outcome = RunEnd(status, {} if result is None else result_metrics(result))
        self._call(lambda tracker: tracker.on_end(outcome))
        self._trackers.clear()

    def _call(self, action: Callable[[Tracker], object]) -> None:
        for tracker in tuple(self._trackers):
            try:
                action(tracker)
            except Exception as error:
                # A run may have taken hours: its records are in the result anyway.
                self._trackers.remove(tracker)
                name = type(tracker).__name__
                text = f"The tracker {name} failed and is left out from now on ({_reason(error)}); the run continues."
                warnings.warn(text, HighwayWarning, stacklevel=3)


@contextmanager
def tracking(trackers: Sequence[Tracker], model: nn.Module, graph: Graph, config: Config) -> Iterator[Tracking | None]:
    """Yield the trackers of a training, None without any; those of a training that does not finish are ended too."""
    if not trackers or rank() > 0:
        yield None
        return
    network = network_of(model)
    name = network.model if network else type(model).__name__
    tracked = Tracking(trackers, plain_name(f"{graph.name or 'graph'}-{name}"), run_facts(model, graph, config))
    try:
        yield tracked
    except BaseException as error:
        tracked.end("failed" if isinstance(error, Exception) else "interrupted")
        raise


def observer(on_epoch: OnEpoch, tracked: Tracking | None) -> OnEpoch:
    """Return the function that is called with every epoch: the one given, and that of the trackers if there are any."""
    if tracked is None:
        return on_epoch

    def observe(epoch: Epoch) -> None:
        on_epoch(epoch)
        tracked.on_epoch(epoch)

    return observe


def new_id() -> str:
    """Return the id of a new training; the generators of random numbers have no part in it."""
    return uuid.uuid4().hex[:16]


def run_facts(model: nn.Module, graph: Graph, config: Config) -> Facts:
    """Return the options by dotted name, with the sizes of the graph, of its split and of the model."""
    network = network_of(model)
    options = {**dotted(config), **(dotted(network, "network.") if network else {})}
    masks = {f"data.{name}": int(graph[f"{name}_mask"].sum()) for name in ("train", "val", "test")}
    sizes = {"data.nodes": graph.num_nodes, "data.features": graph.x.size(1), "data.classes": num_classes(graph)}
    weights = {"model": type(model).__name__, "model.parameters": sum(p.numel() for p in model.parameters())}
    values = {**weights, "data": str(graph.name), **sizes, **masks, **options}
    return {name: one if isinstance(one, str | int | float) else str(one) for name, one in values.items()}


def result_metrics(result: Result) -> dict[str, float]:
    """Return the scores of the answer and of typical training, without those that cannot be computed."""
    scores: dict[str, float] = {
        "result/val": result.val,
        "result/test": result.test,
        "result/best_round": result.best_round,
        "result/rounds": len(result.rounds),
        "result/highways": result.highways.size(1),
    }
    if result.baseline is not None:
        scores |= {"typical/val": result.baseline.round.val, "typical/test": result.baseline.round.test}
    return {name: float(value) for name, value in scores.items() if not math.isnan(value)}


def _reason(error: Exception) -> str:
    """Return the first line of an error with its type."""
    text = str(error).strip().splitlines()
    return f"{type(error).__name__}: {text[0]}" if text else type(error).__name__
