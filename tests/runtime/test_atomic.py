import os
import signal
import stat
from pathlib import Path

import pytest

from highwaygraph.runtime.atomic import fsync_tree, remove_leftovers, staged_files, staged_folder, write_atomic


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


def killed(path: Path, *, swapped: bool = False) -> None:
    """Write a folder in a process that is killed before its end, or between the two renames."""
    child = os.fork()
    if not child:
        replace = os.replace
        os.replace = lambda *ends: replace(*ends) if ends[1].name == "old" else os.kill(os.getpid(), signal.SIGKILL)
        with staged_folder(path) as staged:
            (staged / "half").write_text("x")
            if not swapped:
                os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_the_next_write_removes_the_folder_of_a_killed_process(tmp_path) -> None:
    killed(tmp_path / "graph")
    assert [path.suffix for path in tmp_path.iterdir()] == [".part"]
    with staged_folder(tmp_path / "graph") as staged:
        (staged / "whole").touch()
    assert os.listdir(tmp_path) == ["graph"]


def test_the_folder_of_a_running_process_stays(tmp_path) -> None:
    with staged_folder(tmp_path / "graph") as first:
        (first / "first").touch()
        remove_leftovers(tmp_path, "graph")
        with staged_folder(tmp_path / "graph") as second:
            (second / "second").touch()
    assert os.listdir(tmp_path / "graph") == ["first"]


def test_a_folder_is_restored_that_was_between_two_renames(tmp_path) -> None:
    with staged_folder(tmp_path / "[run]") as staged:
        (staged / "old").touch()
    killed(tmp_path / "[run]", swapped=True)
    assert not (tmp_path / "[run]").exists()
    remove_leftovers(tmp_path, "[run]")
    assert os.listdir(tmp_path) == ["[run]"]
    assert os.listdir(tmp_path / "[run]") == ["old"]


def test_a_leftover_that_is_a_link_is_not_followed(tmp_path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    (tmp_path / ".run.abcd1234.part").symlink_to(tmp_path / "mine")
    remove_leftovers(tmp_path, "run")
    assert os.listdir(tmp_path) == ["mine"]
    assert os.listdir(tmp_path / "mine") == ["file"]


def test_a_file_keeps_its_permissions_and_a_link_is_replaced(tmp_path) -> None:
    (tmp_path / "private").write_text("old")
    (tmp_path / "private").chmod(0o600)
    (tmp_path / "link").symlink_to(tmp_path / "private")
    with staged_files([tmp_path / "private", tmp_path / "link"]) as (private, link):
        private.write_text("new")
        link.write_text("other")
    assert (tmp_path / "private").read_text() == "new"
    assert stat.S_IMODE((tmp_path / "private").stat().st_mode) == 0o600
    assert not (tmp_path / "link").is_symlink()


def test_folders_and_devices_are_not_replaced(tmp_path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    for path in (tmp_path, tmp_path / "link"):
        with pytest.raises(IsADirectoryError, match="it is a folder"):
            write_atomic(path, b"x")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="it is no regular file"):
        write_atomic(tmp_path / "pipe", b"x")
