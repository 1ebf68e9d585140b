import os

import pytest
import torch

from highwaygraph.errors import FailedError, RunError
from highwaygraph.training.checkpoints import Checkpoints, Snapshot


def numbered(number: int) -> Snapshot:
    return Snapshot({"number": number, "name": "ü"}, {"a": torch.arange(number), "b": torch.eye(3).T[:2]})


def test_the_last_checkpoint_is_read(tmp_path) -> None:
    checkpoints = Checkpoints(tmp_path / "c", {"seed": 0})
    assert checkpoints.latest() is None
    for number in range(1, 5):
        checkpoints.save(numbered(number))
    assert len(os.listdir(tmp_path / "c")) == 2
    found = Checkpoints(tmp_path / "c", {"seed": 0}).latest()
    assert found.facts == {"number": 4, "name": "ü"}
    assert torch.equal(found.tensors["a"], torch.arange(4))
    assert torch.equal(found.tensors["b"], torch.eye(3)[:2])


@pytest.mark.parametrize("fault", ["cut", "flipped", "empty"])
def test_a_corrupted_checkpoint_is_skipped_with_a_warning(tmp_path, fault) -> None:
    checkpoints = Checkpoints(tmp_path, {})
    checkpoints.save(numbered(1))
    checkpoints.save(numbered(2))
    last = sorted(tmp_path.iterdir())[-1]
    content = last.read_bytes()
    last.write_bytes({"cut": content[:-5], "flipped": content[:-1] + bytes([content[-1] ^ 1]), "empty": b""}[fault])
    with pytest.warns(UserWarning, match="is corrupted .* the checkpoint before it is used"):
        assert checkpoints.latest().facts["number"] == 1


def test_checkpoints_of_another_training_are_refused(tmp_path) -> None:
    Checkpoints(tmp_path, {"seed": 0}).save(numbered(1))
    with pytest.raises(RunError, match="other options or data"):
        Checkpoints(tmp_path, {"seed": 1}).latest()


def test_partial_files_of_a_killed_process_are_removed(tmp_path) -> None:
    (tmp_path / ".00000001-abc.safetensors.abcd1234.part").write_bytes(b"half")
    assert Checkpoints(tmp_path, {}).latest() is None
    assert not os.listdir(tmp_path)


def test_a_full_disk_is_reported(tmp_path, monkeypatch) -> None:
    checkpoints = Checkpoints(tmp_path, {})
    checkpoints.save(numbered(1))

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(FailedError, match="No space left on device"):
        checkpoints.save(numbered(2))
    assert checkpoints.latest().facts["number"] == 1


def test_checkpoints_take_a_small_fraction_of_the_time(tmp_path, monkeypatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    checkpoints = Checkpoints(tmp_path, {}, every=10.0)
    assert not checkpoints.due()
    now[0] = 10
    assert checkpoints.due()
    monkeypatch.setattr("highwaygraph.training.checkpoints.write_atomic", lambda *_: now.__setitem__(0, 12.0))
    checkpoints.save(numbered(1))
    now[0] = 51
    assert not checkpoints.due()
    now[0] = 52
    assert checkpoints.due()
