"""The label file of a session: one process at a time, all or nothing."""

import os
from pathlib import Path

import pytest

from highwaygraph.annotation.label_store import LabelStore
from highwaygraph.data.label_file import Answer
from highwaygraph.errors import FailedError, RunError
from tests.helpers.annotation import cold_graph

RED = Answer(1, "label", "red", "now")


def new_store(folder: Path) -> LabelStore:
    return LabelStore(folder / "labels.csv", cold_graph())


def test_no_file_is_no_answers_and_the_first_write_creates_it(tmp_path) -> None:
    store = new_store(tmp_path)
    assert store.read() == {}
    assert not store.path.exists()
    store.write({1: RED})
    assert (store.read(), store.is_changed()) == ({1: RED}, False)


def test_another_process_is_refused(tmp_path) -> None:
    with (
        new_store(tmp_path).locked(),
        pytest.raises(RunError, match="labels.csv is open in another highway label: stop that one"),
        new_store(tmp_path).locked(),
    ):
        pass
    with new_store(tmp_path).locked():
        assert [path.name for path in tmp_path.iterdir()] == [".labels.csv.lock"]
    assert not list(tmp_path.iterdir())


def test_a_change_by_another_program_is_noticed(tmp_path) -> None:
    store = new_store(tmp_path)
    store.write({1: RED})
    store.path.write_text("id,class\nn5,blue\n")
    assert store.is_changed()
    assert list(store.read()) == [5]
    assert not store.is_changed()
    store.path.unlink()
    assert store.is_changed()
    assert store.read() == {}


def test_a_failed_write_is_one_sentence_and_the_file_stays(tmp_path, monkeypatch) -> None:
    store = new_store(tmp_path)
    store.write({1: RED})
    before = store.path.read_text()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(FailedError, match="No space left on device.: the answer is not saved"):
        store.write({})
    assert store.path.read_text() == before
