"""Names from data are text: control characters are shown as escapes, and markup as it is written."""

import json
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

from highwaygraph.cli.output import print_error, print_result
from highwaygraph.runtime import progress
from highwaygraph.runtime.progress import PlainConsole
from tests.helpers.cli import QUICK, run, write_graph
from tests.helpers.hostile import FIXTURES, checksums

ESCAPES = "\x1b]0;title\x07\x1b[2J\x9b31m\u202e"
MARKUP = "[red]x[/] [/] :smile: [link=file:///]"
NAME = f"a{ESCAPES}{MARKUP}"


def is_plain(text: str) -> bool:
    """Return whether a text has no control character but newlines."""
    return not any(letter in text for letter in "\x1b\x07\x9b\r\u202e")


@pytest.fixture
def graph(tmp_path) -> str:
    return write_graph(
        tmp_path / f"{NAME.replace('/', '|')}.npz",
        ids=np.array([f"{number}{NAME}" for number in range(180)]),
        classes=np.array([f"{number}{NAME}" for number in range(3)]),
    )


def test_names_of_a_graph_are_text_in_every_command(graph, tmp_path, capsys, monkeypatch) -> None:
    code, out, err = run(capsys, "inspect", graph)
    assert code == 0
    assert "0a\\x1b]0;title" in out
    assert "[red]x[" in out
    assert is_plain(out + err)
    code, out, err = run(capsys, "train", graph, "--out", str(tmp_path / NAME / "run"), "--no-baseline", *QUICK)
    assert code == 0, err
    assert is_plain(out + err)
    for command in ("verify", "export"):
        code, out, err = run(capsys, command, str(tmp_path / NAME / "run"))
        assert code == 0, err
        assert is_plain(out + err)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    code, out, err = run(capsys, "predict", str(tmp_path / NAME / "run"))
    assert code == 0
    assert "179a\\x1b]0;title" in out
    assert is_plain(out + err)


def test_predictions_in_a_pipe_are_the_ids_themselves(graph, tmp_path, capsys) -> None:
    run(capsys, "train", graph, "--out", str(tmp_path / "run"), "--no-baseline", *QUICK)
    assert "179a\x1b]0;title" in run(capsys, "predict", str(tmp_path / "run"))[1]


@pytest.mark.parametrize("command", ["inspect", "train", "predict", "verify", "export", "report"])
def test_names_in_errors_are_text(capsys, command) -> None:
    code, out, err = run(capsys, command, f"./{NAME}\r.csv")
    assert code in (1, 2)
    assert "\\x1b]0;title" in err
    assert is_plain(out + err)


def test_names_in_a_damaged_run_are_text(tmp_path, capsys) -> None:
    target = Path(shutil.copytree(FIXTURES / "run-full", tmp_path / "run"))
    meta = json.loads((target / "meta.json").read_text()) | {"stopped": NAME}
    (target / "meta.json").write_text(json.dumps(meta))
    checksums(target)
    code, out, err = run(capsys, "predict", str(target))
    assert (code, out) == (2, "")
    assert "stopped should be" in err
    assert is_plain(err)


def test_titles_of_bars_are_text(capsys, monkeypatch) -> None:
    monkeypatch.setattr(PlainConsole, "is_terminal", True)
    monkeypatch.setattr(progress, "stderr", PlainConsole(stderr=True, width=200))
    with progress.counting_bar(NAME, 0, 2) as advance:
        advance()
    with progress.spinner(NAME):
        pass
    err = capsys.readouterr().err
    assert "\\x1b]0;title" in err
    assert "[red]x[/] [/]" in err
    assert "\x1b]0;" not in err


def test_errors_and_lines_are_text(capsys) -> None:
    print_error(NAME, 2)
    print_result(NAME)
    out, err = capsys.readouterr()
    assert is_plain(out + err)
    assert MARKUP in out
    assert MARKUP in err
