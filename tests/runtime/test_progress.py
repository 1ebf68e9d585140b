import io

from rich.console import Console

from highwaygraph.runs.history import Epoch
from highwaygraph.runtime import progress


def test_nothing_is_shown_in_a_pipe(capfd) -> None:
    with progress.training_bar("training", 5, 10) as report:
        report(Epoch(1, 1, 1.0, 0.0, 1.0, 0.5))
    with progress.spinner("writing"), progress.counting_bar("cells", 0, 2) as count:
        count()
    assert capfd.readouterr() == ("", "")


def test_a_terminal_shows_the_round_and_the_validation_accuracy(monkeypatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(progress, "stderr", Console(file=out, force_terminal=True, width=120))
    with progress.training_bar("training", 5, 10) as report:
        report(Epoch(2, 7, 1.0, 0.0, 1.0, 0.5))
    assert "round 2 of at most 5, epoch 7" in out.getvalue()
    assert "validation 50.0" in out.getvalue()


def test_a_terminal_shows_the_title_without_parsing_markup(monkeypatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(progress, "stderr", Console(file=out, force_terminal=True, width=80))
    with progress.spinner("writing [this]"):
        pass
    assert "writing [this]" in out.getvalue()


def test_a_count_has_a_note_where_one_is_given(monkeypatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(progress, "stderr", Console(file=out, force_terminal=True, width=120))
    with progress.counting_bar("trials", 1, 3) as count:
        count()
        count("best so far 81.0 %")
    assert "best so far 81.0 %" in out.getvalue()
