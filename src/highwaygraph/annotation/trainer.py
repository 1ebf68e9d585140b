"""The background thread of a session: it suggests nodes and retrains the model while answers are saved."""

import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from torch import Tensor

from highwaygraph.annotation.curve import CurvePoint
from highwaygraph.annotation.queue import Queue
from highwaygraph.annotation.scores import Trained, is_trainable
from highwaygraph.annotation.session import Session
from highwaygraph.data.label_file import apply_answers
from highwaygraph.errors import HighwayError
from highwaygraph.graph.graph import Graph
from highwaygraph.labelling.suggest import suggest
from highwaygraph.labelling.table import SuggestionTable
from highwaygraph.runs.calibrated import calibrated_probs
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result
from highwaygraph.runtime.threads import interrupt

# Suggestions that are computed at once, and the number left at which more are computed.
BATCH, FEW = 10, 3

OnPart = Callable[[str, float], None]
Train = Callable[[Graph, OnPart], Trained]


class Predictions(NamedTuple):
    """The predictions of the last model."""

    version: int
    """0 before the first training."""
    classes: list[str]
    probs: Tensor | None


@dataclass(frozen=True)
class Status:
    """The state of the thread, for the page."""

    phase: str = "starting"
    """starting, suggesting, training or idle."""
    detail: str = ""
    progress: float = 0.0
    """Part of the training that is done, 0 to 1."""
    labels: int = 0
    """Labels of the last training."""
    error: str = ""
    """Sentence of the last error; empty after a success."""


@dataclass
class _Done:
    """The labels that the thread has dealt with."""

    trained: int = 0
    """Version of the session at the last training."""
    count: int = 0
    """Answers at the last training."""
    result: Result | None = None
    suggested: tuple[int, int] = (-1, -1)
    """Version of the session and number of trainings at the last suggestions."""


class _StopError(BaseException):
    """Ends the thread, also in the middle of a training; no handler of other errors takes it."""


@dataclass
class Options:
    """Options of the thread."""

    train: Train
    """Trains and scores."""
    on_point: Callable[[CurvePoint], None] = field(default=lambda _: None)
    """Called with every point of the curve."""
    every: int = 5
    """Answers after which the model is retrained."""
    seed: int = 0


class Trainer:
    """Suggests and retrains in one thread, so that a request for an answer never waits for either.

    Args:
        graph: The graph without the answers.
        session: The answers.
        queue: Receives the suggestions.
        options: Options.
    """

    def __init__(self, graph: Graph, session: Session, queue: Queue, options: Options) -> None:
        self._graph, self._session, self._queue, self._options = graph, session, queue, options
        self._wake, self._stop, self._requested = threading.Event(), threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name="retrain", daemon=True)
        self._done = _Done()
        self.status = Status()
        self.predictions = Predictions(0, [], None)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def notify(self, *, retrain: bool = False) -> None:
        """Wake the thread after an answer, or to retrain at once."""
        if retrain:
            self._requested.set()
        self._wake.set()

    def close(self) -> None:
        """End the thread, also in the middle of a training."""
        self._stop.set()
        self._wake.set()
        # A thread that waits ends by itself.
        self._thread.join(0.2)
        interrupt(self._thread, _StopError)

    def _run(self) -> None:
        with suppress(_StopError):
            self._work()

    def _work(self) -> None:
        while True:
            # In this order: `close` sets the other event first, so that none of the two is missed.
            self._wake.clear()
            if self._stop.is_set():
                return
            try:
                busy = self._suggest_if_few() or self._train_if_due()
            except Exception as error:
                busy = self._on_error(error)
            if not busy:
                self.status = replace(self.status, phase="idle", detail="", progress=0.0)
                self._wake.wait()

    def _on_error(self, error: Exception) -> bool:
        """Show the error on the page; the thread waits until the answers change."""
        if not isinstance(error, HighwayError):
            traceback.print_exc()
        sentence = str(error) if isinstance(error, HighwayError) else f"{type(error).__name__}: {error}."
        self.status = replace(self.status, error=sentence)
        return False

    def _suggest_if_few(self) -> bool:
        # The version first: an answer in between counts as a change later.
        version, answers, model = self._session.version, self._session.answers(), self.predictions.version
        is_new_model, is_changed = model != self._done.suggested[1], version != self._done.suggested[0]
        if not is_new_model and not (is_changed and self._queue.left(answers) < FEW):
            return False
        self._done.suggested = version, model
        self.status = replace(self.status, phase="suggesting", progress=0.0)
        # In the order of the model's classes, which the reasons name.
        graph = apply_answers(self._graph, answers.values(), self.predictions.classes)
        skipped = [node for node in answers if graph.y[node] < 0]
        count = min(BATCH, int((graph.y < 0).sum()) - len(skipped))
        self._queue.replace(self._suggest(graph, count, skipped) if count else (), model)
        return True

    def _suggest(self, graph: Graph, count: int, skipped: list[int]) -> SuggestionTable:
        ids = graph.ids or range(graph.num_nodes)
        skip = [ids[node] for node in skipped]
        return suggest(graph, count, self._done.result, seed=self._options.seed, skip=skip)

    def _train_if_due(self) -> bool:
        version, answers = self._session.version, self._session.answers()
        graph = apply_answers(self._graph, answers.values())
        labels = sum(answer.kind == "label" for answer in answers.values())
        changed = version != self._done.trained
        is_due = abs(labels - self._done.count) >= self._options.every or self._requested.is_set()
        first = self.predictions.version == 0
        if not changed or not (is_due or first) or not is_trainable(graph):
            self._requested.clear()
            return False
        self._requested.clear()
        self._done.trained, self._done.count = version, labels
        self._train(graph)
        return True

    def _train(self, graph: Graph) -> None:
        labelled = int((graph.y >= 0).sum())
        self.status = Status("training", "", 0.0, labelled)
        trained = self._options.train(graph, self._on_part)
        self._done.result = trained.result
        probs = calibrated_probs(trained.result)
        self.predictions = Predictions(self.predictions.version + 1, class_names(graph, probs.size(1)), probs)
        if trained.point is not None:
            self._options.on_point(trained.point)

    def _on_part(self, detail: str, progress: float) -> None:
        self.status = replace(self.status, detail=detail, progress=min(1.0, progress))
