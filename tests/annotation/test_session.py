"""The answers of a session: never lost, whoever writes at the same time and whenever the process is killed."""

import multiprocessing as mp
import os
import random
import signal
import threading
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from highwaygraph.annotation.label_store import LabelStore
from highwaygraph.annotation.session import Given, Session
from highwaygraph.data.label_file import read_answers
from highwaygraph.errors import DataError, FailedError
from highwaygraph.service.refusal import RefusedError
from tests.helpers.annotation import NAMES, cold_graph, new_session

RED, BLUE, UNSURE = Given("label", "red"), Given("label", "blue"), Given("not sure")


def on_disk(folder: Path) -> dict[int, str]:
    path = folder / "labels.csv"
    found = read_answers(path, cold_graph()) if path.exists() else []
    return {answer.node: answer.label or answer.kind for answer in found}


def test_every_answer_is_on_disk_at_once_and_in_the_next_session(tmp_path) -> None:
    session = new_session(tmp_path)
    session.give("w", 3, RED, None)
    assert on_disk(tmp_path) == {3: "red"}
    session.give("w", 4, UNSURE, None)
    session.give("w", 5, Given("skipped"), None)
    assert on_disk(tmp_path) == {3: "red", 4: "not sure", 5: "skipped"}
    later = new_session(tmp_path)
    assert later.answers() == session.answers()
    assert later.find(4) == UNSURE
    assert later.find(9) is None


def test_the_version_grows_with_every_change(tmp_path) -> None:
    session = new_session(tmp_path)
    versions = [session.version]
    for action in (
        lambda: session.give("w", 3, RED, None),
        lambda: session.give("w", 3, BLUE, RED),
        lambda: session.undo("w"),
    ):
        action()
        versions.append(session.version)
    assert versions == sorted(set(versions))
    session.give("w", 3, RED, RED)
    assert session.version == versions[-1]


def test_another_window_does_not_replace_an_answer_that_it_has_not_seen(tmp_path) -> None:
    session = new_session(tmp_path)
    session.give("left", 3, RED, None)
    with pytest.raises(RefusedError, match=r"answered elsewhere in the meantime \(red\): look at it again"):
        session.give("right", 3, BLUE, None)
    assert on_disk(tmp_path) == {3: "red"}
    session.give("right", 3, RED, None)
    session.give("right", 3, BLUE, RED)
    assert on_disk(tmp_path) == {3: "blue"}


def test_undo_takes_back_the_last_answer_of_its_window(tmp_path) -> None:
    session = new_session(tmp_path)
    session.give("left", 3, RED, None)
    session.give("right", 4, BLUE, None)
    session.give("left", 3, BLUE, RED)
    assert session.undo("left") == 3
    assert on_disk(tmp_path) == {3: "red", 4: "blue"}
    assert session.undo("left") == 3
    assert not session.can_undo("left")
    with pytest.raises(RefusedError, match="There is no answer to undo"):
        session.undo("left")
    assert session.undo("right") == 4
    assert on_disk(tmp_path) == {}


def test_undo_keeps_the_answer_of_another_window(tmp_path) -> None:
    session = new_session(tmp_path)
    session.give("left", 3, RED, None)
    session.give("right", 3, BLUE, RED)
    with pytest.raises(RefusedError, match="nothing is undone"):
        session.undo("left")
    assert on_disk(tmp_path) == {3: "blue"}


def test_answers_of_an_earlier_session_can_be_undone(tmp_path) -> None:
    new_session(tmp_path).give("old", 3, RED, None)
    session = new_session(tmp_path)
    assert session.can_undo("w")
    assert session.undo("w") == 3
    assert on_disk(tmp_path) == {}


def test_a_new_class_is_kept_in_order(tmp_path) -> None:
    session = new_session(tmp_path)
    session.give("w", 3, Given("label", "pink"), None)
    assert session.classes == [*NAMES, "pink"]
    session.undo("w")
    # Its key stays for the rest of the session.
    assert session.classes == [*NAMES, "pink"]
    session.give("w", 3, Given("label", "teal"), None)
    assert new_session(tmp_path).classes == [*NAMES, "teal"]


def test_edits_of_the_file_by_another_program_are_kept(tmp_path) -> None:
    session = new_session(tmp_path)
    session.give("w", 3, RED, None)
    with (tmp_path / "labels.csv").open("a") as file:
        file.write("n9,green,label,\n")
    session.give("w", 4, BLUE, None)
    assert on_disk(tmp_path) == {3: "red", 9: "green", 4: "blue"}
    (tmp_path / "labels.csv").write_text("id,class\nn3,rde\n")
    with pytest.raises(DataError, match="names 1 class that the graph does not have"):
        session.give("w", 5, BLUE, None)
    assert (tmp_path / "labels.csv").read_text() == "id,class\nn3,rde\n"


def test_an_answer_that_cannot_be_written_does_not_count(tmp_path, monkeypatch) -> None:
    session = new_session(tmp_path)
    session.give("w", 3, RED, None)

    def fail(*_: object) -> None:
        raise FailedError("Cannot write.")

    monkeypatch.setattr(LabelStore, "write", fail)
    with pytest.raises(FailedError):
        session.give("w", 4, BLUE, None)
    assert session.find(4) is None
    with pytest.raises(FailedError):
        session.undo("w")
    assert session.find(3) == RED
    assert session.can_undo("w")


class Windows(RuleBasedStateMachine):
    """Two windows answer and undo in any order; a dictionary is the reference."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(os.environ["HIGHWAY_TEST_FOLDER"])
        (self.folder / "labels.csv").unlink(missing_ok=True)
        self.session = new_session(self.folder, cold_graph())
        self.expected: dict[int, Given] = {}

    @rule(
        window=st.sampled_from("ab"),
        node=st.integers(0, 3),
        given=st.sampled_from([RED, BLUE, UNSURE]),
        fresh=st.booleans(),
    )
    def answer(self, window: str, node: int, given: Given, fresh: bool) -> None:
        present = self.expected.get(node)
        try:
            self.session.give(window, node, given, present if fresh else None)
        except RefusedError:
            assert present is not None
            assert not fresh
            assert present != given
        else:
            assert present is None or fresh or present == given
            self.expected[node] = given

    @rule(window=st.sampled_from("ab"))
    def undo(self, window: str) -> None:
        before = dict(self.expected)
        try:
            node = self.session.undo(window)
        except RefusedError:
            assert self.session.answers().keys() == before.keys()
        else:
            found = self.session.find(node)
            self.expected.pop(node)
            if found is not None:
                self.expected[node] = found

    @invariant()
    def the_file_holds_the_answers(self) -> None:
        assert on_disk(self.folder) == {node: given.text for node, given in self.expected.items()}


def test_two_windows_in_any_order(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HIGHWAY_TEST_FOLDER", str(tmp_path))
    Windows.TestCase.settings = settings(
        max_examples=15, stateful_step_count=12, suppress_health_check=list(HealthCheck), deadline=None
    )
    Windows.TestCase("runTest").runTest()


@settings(max_examples=6, deadline=None)
@given(st.lists(st.lists(st.integers(0, 59), min_size=1, max_size=8), min_size=2, max_size=4))
def test_threads_that_answer_at_once_lose_nothing(tmp_path_factory, parts) -> None:
    folder = tmp_path_factory.mktemp("labels")
    session = new_session(folder)
    refused: list[int] = []

    def label(window: int, nodes: list[int]) -> None:
        for node in nodes:
            try:
                session.give(f"w{window}", node, Given("label", NAMES[window % 3]), None)
            except RefusedError:
                refused.append(node)

    threads = [threading.Thread(target=label, args=part) for part in enumerate(parts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    saved = on_disk(folder)
    assert saved.keys() == {node for nodes in parts for node in nodes}
    # Every answer either is in the file or was refused, as another window had been first.
    for window, nodes in enumerate(parts):
        assert all(saved[node] == NAMES[window % 3] or node in refused for node in nodes)


def _answer_until_killed(folder: Path, written: "mp.connection.Connection") -> None:
    session = new_session(folder)
    for node in range(60):
        if session.find(node) is None:
            session.give("w", node, RED if node % 2 else BLUE, None)
            written.send(node)


def _received(reader: "mp.connection.Connection") -> int | None:
    """Return the next node that was acknowledged, None after the last one of a process that ended."""
    try:
        return int(reader.recv())
    except EOFError:
        return None


def test_no_answer_is_lost_when_the_process_is_killed(tmp_path) -> None:
    context, rng = mp.get_context("fork"), random.Random(0)
    acknowledged: set[int] = set()
    kills = 0
    while len(acknowledged) < 60:
        reader, writer = context.Pipe(duplex=False)
        process = context.Process(target=_answer_until_killed, args=(tmp_path, writer))
        process.start()
        writer.close()
        # Killed after a few answers, however fast the machine is.
        for _ in range(rng.randint(1, 8)):
            if (node := _received(reader)) is None:
                break
            acknowledged.add(node)
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        kills += process.exitcode == -signal.SIGKILL
        while (node := _received(reader)) is not None:
            acknowledged.add(node)
        saved = on_disk(tmp_path)
        assert acknowledged <= saved.keys()
        # At most one answer was written and not acknowledged.
        acknowledged |= saved.keys()
        assert all(label == ("red" if node % 2 else "blue") for node, label in saved.items())
    assert kills > 2
    Session(LabelStore(tmp_path / "labels.csv", cold_graph()), NAMES).give("w", 0, RED, BLUE)
    assert [path.name for path in tmp_path.iterdir()] == ["labels.csv"]
