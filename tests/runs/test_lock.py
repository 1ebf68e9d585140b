import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from highwaygraph.errors import RunError, StoppedError
from highwaygraph.runs.lock import file_lock, graceful_stop, run_lock
from highwaygraph.training.checkpoints import Checkpoints, Snapshot


def checkpoint(folder: Path) -> Path:
    Checkpoints(folder / "highways", {}).save(Snapshot({}, {}))
    return folder


def test_the_checkpoint_folder_is_removed_when_the_run_is_finished(tmp_path) -> None:
    with run_lock(tmp_path / "run", resume=False, force=False) as folder:
        checkpoint(folder)
        assert folder == tmp_path / "run.unfinished"
    assert not os.listdir(tmp_path)


def test_checkpoints_stay_until_resumed_or_replaced(tmp_path) -> None:
    out = tmp_path / "run"
    with pytest.raises(KeyError), run_lock(out, resume=False, force=False) as folder:
        checkpoint(folder)
        raise KeyError
    with pytest.raises(RunError, match="--resume.*--force"), run_lock(out, resume=False, force=False):
        pass
    with pytest.raises(KeyError), run_lock(out, resume=True, force=False) as folder:
        assert list(folder.glob("highways/*.safetensors"))
        raise KeyError
    with run_lock(out, resume=False, force=True) as folder:
        assert not list(folder.glob("highways/*.safetensors"))


def test_a_failure_before_any_checkpoint_leaves_no_folder(tmp_path) -> None:
    with pytest.raises(KeyError), run_lock(tmp_path / "run", resume=False, force=False):
        raise KeyError
    assert not os.listdir(tmp_path)


def test_a_held_lock_is_refused(tmp_path) -> None:
    with (
        file_lock(tmp_path / "lock", "taken"),
        pytest.raises(RunError, match="taken"),
        file_lock(tmp_path / "lock", "taken"),
    ):
        pass
    with file_lock(tmp_path / "lock", "taken"):
        pass
    assert not os.listdir(tmp_path)


def test_the_lock_of_a_dead_process_is_released(tmp_path) -> None:
    script = (
        "import pathlib, sys, time\nfrom highwaygraph.runs.lock import file_lock\n"
        "with file_lock(pathlib.Path(sys.argv[1]), 'x'):\n    print('held', flush=True)\n    time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", script, tmp_path / "lock"], stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    with pytest.raises(RunError, match="taken"), file_lock(tmp_path / "lock", "taken"):
        pass
    process.kill()
    process.wait()
    process.stdout.close()
    assert (tmp_path / "lock").exists()
    with file_lock(tmp_path / "lock", "taken"):
        pass


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_stop_a_training_with_a_checkpoint(tmp_path, number) -> None:
    checkpoints = Checkpoints(tmp_path / "c", {})
    before = signal.getsignal(number)
    with pytest.raises(StoppedError, match="resume with: highway"), graceful_stop(tmp_path, "highway ...") as stop:
        os.kill(os.getpid(), number)
        assert stop.wait(5)
        checkpoints.save(Snapshot({}, {}))
        raise KeyboardInterrupt
    assert signal.getsignal(number) is before


def test_a_second_ctrl_c_interrupts_at_once(tmp_path) -> None:
    with pytest.raises(KeyboardInterrupt), graceful_stop(tmp_path, ""):
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.1)
        time.sleep(5)


def test_a_checkpoint_folder_that_is_a_link_is_refused(tmp_path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run.unfinished").symlink_to(tmp_path / "elsewhere")
    message = "is a link, through which no checkpoint is written"
    with pytest.raises(RunError, match=message), run_lock(tmp_path / "run", resume=False, force=True):
        pass
    assert not list((tmp_path / "elsewhere").iterdir())
