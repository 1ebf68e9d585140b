"""Progress on a terminal, and nothing in a pipe."""

import io

import pytest
from rich.console import Console

from highwaygraph.runs.history import Epoch
from highwaygraph.runtime import progress

EPOCH = Epoch(round=2, epoch=7, loss=1.0, pair_loss=0.0, val_loss=1.0, val=0.5)


@pytest.fixture
def terminal(monkeypatch) -> io.StringIO:
    out = io.StringIO()
    monkeypatch.setattr(progress, "stderr", Console(file=out, force_terminal=True, width=120))
    return out


def test_a_training_shows_its_round_and_validation(terminal) -> None:
    with progress.training_bar("HighwayGraph", 3, 10) as report:
        report(EPOCH)
    assert "round 2 of at most 3, epoch 7" in terminal.getvalue()
    assert "validation 50.0" in terminal.getvalue()


def test_a_silenced_bar_shows_nothing(terminal) -> None:
    with progress.training_bar("HighwayGraph", 3, 10, shown=False) as report:
        report(EPOCH)
    assert terminal.getvalue() == ""


def test_finished_tasks_are_counted(terminal) -> None:
    with progress.counting_bar("cells", 1, 3) as advance:
        advance()
    assert "2/3" in terminal.getvalue()


def test_nothing_is_shown_in_a_pipe(monkeypatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(progress, "stderr", Console(file=out))
    with progress.training_bar("HighwayGraph", 3, 10) as report, progress.spinner("reading"):
        report(EPOCH)
    assert out.getvalue() == ""
