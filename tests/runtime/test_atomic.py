import os

import pytest

from highwaygraph.runtime.atomic import fsync_tree, remove_leftovers, write_atomic


def test_a_file_is_replaced_as_a_whole(tmp_path) -> None:
    write_atomic(tmp_path / "a", b"one")
    write_atomic(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["a"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failing_disk_leaves_the_old_file(tmp_path, monkeypatch, step) -> None:
    write_atomic(tmp_path / "a", b"one")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="No space"):
        write_atomic(tmp_path / "a", b"two")
    assert (tmp_path / "a").read_bytes() == b"one"
    assert os.listdir(tmp_path) == ["a"]


def test_everything_below_a_folder_is_settled(tmp_path, monkeypatch) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "file").write_text("x")
    settled = []
    monkeypatch.setattr(os, "fsync", lambda handle: settled.append(os.fstat(handle).st_ino))
    fsync_tree(tmp_path)
    assert settled == [p.stat().st_ino for p in (tmp_path / "in" / "file", tmp_path / "in", tmp_path)]


def test_only_what_was_left_behind_is_swept(tmp_path) -> None:
    for name in (".run.abcd1234.part", "run", ".run.mine.part", ".runs.abcd1234.part", "x.run.abcd1234.part"):
        (tmp_path / name).write_text("x")
    (tmp_path / ".run.wxyz5678.part").mkdir()
    remove_leftovers(tmp_path, "run")
    assert sorted(os.listdir(tmp_path)) == [".run.mine.part", ".runs.abcd1234.part", "run", "x.run.abcd1234.part"]
