"""The background thread: it suggests, retrains, reports its errors and ends."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
import torch

from highwaygraph.annotation.queue import Queue
from highwaygraph.annotation.session import Given, Session
from highwaygraph.annotation.trainer import FEW, Options, Trainer
from highwaygraph.errors import FailedError
from highwaygraph.runs.calibrated import calibrated_probs
from tests.helpers.annotation import NAMES, TRAIN, cold_graph, named_graph, new_session


def wait_for(condition: Callable[[], Any], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.fixture
def session(tmp_path) -> Session:
    return new_session(tmp_path)


def started(session: Session, queue: Queue, **options: Any) -> Trainer:
    trainer = Trainer(cold_graph(), session, queue, Options(**({"train": TRAIN, "every": 2} | options)))
    trainer.start()
    return trainer


def label(session: Session, trainer: Trainer, *nodes: int) -> None:
    truth = named_graph().y.tolist()
    for node in nodes:
        session.give("w", node, Given("label", NAMES[truth[node]]), None)
        trainer.notify()


def test_it_suggests_from_a_cold_start_and_predicts_after_a_few_labels(session) -> None:
    queue, points = Queue(), []
    trainer = started(session, queue, on_point=points.append)
    try:
        wait_for(lambda: queue.next("w", ()))
        assert trainer.predictions.version == 0
        label(session, trainer, 0, 1, 20, 21, 40)
        wait_for(lambda: trainer.predictions.version)
        label(session, trainer, 41, 2, 22)
        wait_for(lambda: trainer.predictions.classes == NAMES)
        assert trainer.predictions.probs.shape == (60, 3)
        result = trainer._done.result
        assert torch.equal(trainer.predictions.probs, calibrated_probs(result))
        assert not torch.allclose(trainer.predictions.probs, result.predict_proba())
        wait_for(lambda: trainer.status.phase == "idle" and queue.left(session.answers()) >= FEW)
        assert trainer.status.error == ""
        # Nodes that were answered are not suggested.
        assert queue.next("other", session.answers()).row.node not in session.answers()
    finally:
        trainer.close()


def test_answers_without_a_class_are_not_suggested_again(session) -> None:
    queue = Queue()
    for node in range(57):
        session.give("w", node, Given("skipped"), None)
    trainer = started(session, queue)
    try:
        wait_for(lambda: queue.left(session.answers()) == 3)
        for node in range(57, 60):
            session.give("w", node, Given("not sure"), None)
        trainer.notify()
        wait_for(lambda: trainer.status.phase == "idle" and queue.left(session.answers()) == 0)
        assert trainer.status.error == ""
    finally:
        trainer.close()


def test_an_error_is_shown_and_the_next_answer_tries_again(session) -> None:
    failing = threading.Event()
    failing.set()

    def train(graph: Any, on_part: Any) -> Any:
        if failing.is_set():
            raise FailedError("The loss is not a number: lower fit.lr.")
        return TRAIN(graph, on_part)

    trainer = started(session, Queue(), train=train)
    try:
        label(session, trainer, 0, 1, 20, 21)
        wait_for(lambda: trainer.status.error.startswith("The loss is not a number"))
        failing.clear()
        label(session, trainer, 40, 41)
        wait_for(lambda: trainer.predictions.version)
        assert trainer.status.error == ""
    finally:
        trainer.close()


def test_an_answer_does_not_wait_for_a_training(session) -> None:
    release = threading.Event()

    def train(graph: Any, on_part: Any) -> Any:
        on_part("fold 1", 0.25)
        assert release.wait(30)
        return TRAIN(graph, on_part)

    trainer = started(session, Queue(), train=train)
    try:
        label(session, trainer, 0, 1, 20, 21)
        wait_for(lambda: (trainer.status.phase, trainer.status.progress) == ("training", 0.25))
        label(session, trainer, 40, 41)
        assert len(session.answers()) == 6
        release.set()
        # The answers of that time are trained on next.
        wait_for(lambda: trainer.status.labels == 6)
    finally:
        release.set()
        trainer.close()


def test_a_training_that_is_under_way_is_ended(session) -> None:
    begun = threading.Event()

    def train(*_: Any) -> Any:
        while True:
            begun.set()
            time.sleep(0.01)

    trainer = started(session, Queue(), train=train)
    label(session, trainer, 0, 1, 20, 21)
    assert begun.wait(30)
    trainer.close()
    assert not trainer._thread.is_alive()


def test_a_request_retrains_at_once(session) -> None:
    trainer = started(session, Queue(), every=100)
    try:
        label(session, trainer, 0, 1, 20, 21)
        wait_for(lambda: trainer.predictions.version == 1 and trainer.status.phase == "idle")
        label(session, trainer, 40)
        time.sleep(0.2)
        assert trainer.predictions.version == 1
        trainer.notify(retrain=True)
        wait_for(lambda: trainer.predictions.version == 2)
    finally:
        trainer.close()
