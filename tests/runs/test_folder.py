import os
import stat
from pathlib import Path

import pytest
import torch

from highwaygraph.errors import FailedError, RunError
from highwaygraph.runs import folder as run_folder

CONTENTS = run_folder.Contents(
    config={"config": {"seed": 1}},
    rounds=[{"epochs": 3}],
    history=[{"epoch": 1}, {"epoch": 2}],
    meta={"best_round": 1},
    model={"weight": torch.arange(6.0).reshape(2, 3).T},
    graph={"y": torch.tensor([0, 1])},
    predictions="id,class\na,b\n",
)


def test_a_written_run_is_read_unchanged(tmp_path: Path) -> None:
    again = run_folder.read(run_folder.write(tmp_path / "deep" / "run", CONTENTS))
    for name in ("config", "rounds", "history", "meta", "predictions"):
        assert getattr(again, name) == getattr(CONTENTS, name)
    assert torch.equal(again.model["weight"], CONTENTS.model["weight"])
    assert torch.equal(again.graph["y"], CONTENTS.graph["y"])
    assert os.listdir(tmp_path / "deep") == ["run"]


def test_all_files_have_the_same_permissions(tmp_path: Path) -> None:
    run = run_folder.write(tmp_path / "run", CONTENTS)
    modes = {stat.S_IMODE(file.stat().st_mode) for file in run.iterdir()}
    assert len(modes) == 1


def test_tied_weights_are_written_twice(tmp_path: Path) -> None:
    shared = torch.ones(3)
    contents = run_folder.Contents({}, [], [], {}, {"a": shared, "b": shared}, {}, "")
    assert set(run_folder.read(run_folder.write(tmp_path / "run", contents)).model) == {"a", "b"}


def test_an_existing_run_is_replaced_with_force_only(tmp_path: Path) -> None:
    run = run_folder.write(tmp_path / "run", CONTENTS)
    with pytest.raises(RunError, match="exists already"):
        run_folder.write(run, CONTENTS)
    (run / "stale.txt").write_text("old")
    run_folder.write(run, CONTENTS, force=True)
    assert not (run / "stale.txt").exists()


def test_a_folder_that_is_no_run_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter1.tex").write_text("years of work")
    with pytest.raises(RunError, match="is no run folder and will not be replaced"):
        run_folder.write(tmp_path / "thesis", CONTENTS, force=True)
    assert (tmp_path / "thesis" / "chapter1.tex").read_text() == "years of work"


def test_a_failure_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(run_folder, "save_file", full)
    with pytest.raises(FailedError, match="No space left on device"):
        run_folder.write(tmp_path / "run", CONTENTS)
    assert os.listdir(tmp_path) == []


def test_an_unwritable_folder_is_refused_before_training() -> None:
    with pytest.raises(RunError, match="Cannot write to"):
        run_folder.check_writable(Path("/proc/nowhere/run"))


@pytest.mark.parametrize(
    "name", ["config.json", "rounds.json", "history.jsonl", "model.safetensors", "graph.safetensors"]
)
def test_damage_is_reported(tmp_path: Path, name) -> None:
    run = run_folder.write(tmp_path / "run", CONTENTS)
    (run / name).write_bytes(b"\x00{")
    with pytest.raises(RunError, match="is damaged"):
        run_folder.read(run)


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="is no run folder: it does not exist; give the folder that highway train"):
        run_folder.read(tmp_path / "nothing")
    with pytest.raises(RunError, match="is no run folder"):
        run_folder.read(tmp_path)


def test_a_file_among_the_parents_is_refused_before_training(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="is a file"):
        run_folder.check_writable(tmp_path / "file" / "run")


def test_a_failed_replacement_restores_the_old_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_folder.write(tmp_path / "run", CONTENTS)
    replace = os.replace

    def second_fails(source: Path, target: Path) -> None:
        if Path(source).name == "new" and Path(target) == run:
            raise OSError(5, "Input/output error")
        replace(source, target)

    monkeypatch.setattr(os, "replace", second_fails)
    with pytest.raises(FailedError, match="Input/output error"):
        run_folder.write(run, CONTENTS, force=True)
    assert run_folder.read(run).meta == CONTENTS.meta


def test_every_file_of_a_run_is_verified(tmp_path) -> None:
    path = run_folder.write(tmp_path / "run", CONTENTS)
    assert "model.safetensors" in run_folder.verify(path)
    content = bytearray((path / "model.safetensors").read_bytes())
    content[-1] ^= 1
    (path / "model.safetensors").write_bytes(content)
    for check in (run_folder.verify, run_folder.read):
        with pytest.raises(RunError, match="model.safetensors does not match its checksum"):
            check(path)
    (path / "rounds.json").unlink()
    content[-1] ^= 1
    (path / "model.safetensors").write_bytes(content)
    with pytest.raises(RunError, match=r"rounds.json is missing"):
        run_folder.verify(path)
    (path / "SHA256SUMS").unlink()
    with pytest.raises(RunError, match="it has no SHA256SUMS"):
        run_folder.verify(path)
    with pytest.raises(RunError, match="no run folder"):
        run_folder.verify(tmp_path)


def test_a_link_to_nothing_is_refused_before_training(tmp_path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nothing")
    for path in (tmp_path / "link", tmp_path / "link" / "run"):
        for force in (False, True):
            with pytest.raises(RunError, match="is a link to .*nothing, which does not exist"):
                run_folder.check_writable(path, force=force)


def test_a_link_to_a_run_stays_a_link(tmp_path) -> None:
    run = run_folder.write(tmp_path / "run", CONTENTS)
    (tmp_path / "link").symlink_to(run)
    (run / "stale.txt").touch()
    run_folder.write(tmp_path / "link", CONTENTS, force=True)
    assert (tmp_path / "link").is_symlink()
    assert not (run / "stale.txt").exists()
