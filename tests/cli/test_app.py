"""Tests of Errors, exit codes and interruptions of the command line."""

import os
import subprocess
import sys

import numpy as np
import pytest

from highwaygraph import cli
from highwaygraph.cli import loading, training_run
from tests.helpers.cli import QUICK, run, write_graph
from tests.helpers.graphs import block_graph

X = block_graph().x.numpy()
Y = block_graph().y.numpy()
MASK = block_graph().train_mask.numpy()
BAD_FILES = {
    "NaN or infinite": {"x": np.where(np.arange(X.size).reshape(X.shape) == 5, np.nan, X)},
    "overlap in 30 of 180 nodes": {"val_mask": MASK},
    "below -1": {"y": np.where(Y == 2, -7, Y)},
    "nodes that do not exist": {"edge_index": np.array([[0, 3], [1, 180]])},
    "val_mask is empty": {"val_mask": np.zeros(180, dtype=bool)},
}


@pytest.mark.parametrize("expected", BAD_FILES)
def test_an_invalid_file_is_one_sentence_on_stderr(capsys, tmp_path, expected) -> None:
    source = write_graph(tmp_path / "bad.npz", **BAD_FILES[expected])
    code, out, err = run(capsys, "train", source, *QUICK)
    assert (code, out) == (2, "")
    assert expected in err
    assert len(err.strip().splitlines()) == 1
    assert os.listdir(tmp_path) == ["bad.npz"]


BAD_ARGUMENTS = {
    "Did you mean 'cora'?": ("train", "coar"),
    "Did you mean 'gcn'?": ("train", "--model", "gcm"),
    "Did you mean 'full'?": ("train", "--preset", "fulll"),
    "Did you mean --fit.lr?": ("train", "--fit.lrr", "1"),
    'Did you mean "train"?': ("trian",),
    "lr should be greater than 0": ("train", "--fit.lr", "-1"),
    "fewer than the 500 + 30 asked for": ("train", "--split", "random", "--train", "500"),
    "Choose another folder": ("train", "--out", "/proc/nowhere/run"),
    "is no run folder": ("predict", "nothing"),
    "missing.npz": ("inspect", "missing.npz"),
}


@pytest.mark.parametrize("expected", BAD_ARGUMENTS)
def test_invalid_arguments_are_one_sentence_and_leave_no_file(capsys, tmp_path, expected) -> None:
    code, out, err = run(capsys, *BAD_ARGUMENTS[expected])
    assert (code, out) == (2, "")
    assert expected in err
    assert len(err.strip().splitlines()) == 1
    assert os.listdir(tmp_path) == []


def test_an_unexpected_error_is_exit_code_1_without_traceback(capsys, monkeypatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("disk failure")

    monkeypatch.setattr(loading, "load", broken)
    code, _, err = run(capsys, "inspect", "cora")
    assert (code, err.strip()) == (1, "RuntimeError: disk failure (add --debug for the traceback).")
    with pytest.raises(RuntimeError, match="disk failure"):
        cli.main(["inspect", "cora", "--debug"])


def test_an_interruption_is_exit_code_130_without_traceback(capsys, monkeypatch, tmp_path) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(training_run, "train", stop)
    code, _, err = run(capsys, "train", "cora")
    assert (code, "run the same command again" in err) == (130, True)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_a_failure_has_another_exit_code_than_a_usage_error(capsys, tmp_path) -> None:
    source = write_graph(tmp_path / "toy.npz", x=X * 1e30)
    code, _, err = run(capsys, "train", source, "--fit.lr", "1e10", *QUICK)
    assert (code, "no longer a number" in err) == (1, True)


@pytest.mark.parametrize("given", ["passive", "ACTIVE"])
def test_waiting_threads_sleep_unless_the_user_decides_otherwise(given) -> None:
    # In a process of its own: OpenMP reads the variable when torch is imported.
    script = (
        "import os, sys\nfrom highwaygraph.cli import main\nassert 'torch' not in sys.modules\n"
        "try:\n    main(['--version'])\nfinally:\n    print(os.environ['OMP_WAIT_POLICY'])"
    )
    env = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    chosen = {} if given == "passive" else {"OMP_WAIT_POLICY": given}
    done = subprocess.run([sys.executable, "-c", script], env=env | chosen, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == given


def test_a_process_with_torch_keeps_its_environment(capsys, monkeypatch) -> None:
    monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert "OMP_WAIT_POLICY" not in os.environ
