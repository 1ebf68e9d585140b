import io
import math

from rich.console import Console

from highwaygraph.cli import render
from highwaygraph.data.load import load
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.report.summary import compare, inspect
from highwaygraph.runs.history import Epoch
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph


def text(renderable: object) -> str:
    out = io.StringIO()
    Console(file=out, width=120).print(renderable)
    return out.getvalue()


def test_nothing_is_cut_off_in_a_pipe(capsys, monkeypatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    render.print_result(render.study_table("A study", ["a head"] * 12, [["82.9 ± 1.1"] * 12]))
    assert capsys.readouterr().out.count("82.9 ± 1.1") == 12


def test_waiting_is_silent_in_a_pipe(capfd, monkeypatch) -> None:
    with render.waiting("drawing"):
        pass
    assert capfd.readouterr() == ("", "")
    out = io.StringIO()
    monkeypatch.setattr(render, "errors", Console(file=out, force_terminal=True, width=80))
    with render.waiting("drawing [this]"):
        pass
    assert "drawing [this]" in out.getvalue()


def test_percent() -> None:
    assert render.percent(0.8125) == "81.2"
    assert render.percent(math.nan) == "-"


def test_a_run_shows_its_rounds_and_why_it_stopped() -> None:
    data = block_graph()
    config = override(PRESETS["full"], {"fit.epochs": 20, "highway.node_threshold": 1.0})
    result = train(build("gcn", data), data, config)
    shown = text(render.rounds_table(result))
    assert "Stopped: no new edge passed the thresholds." in shown
    assert "Answer: round 1 (<), trained on the original graph, without highways." in shown
    alone, beside = (text(render.hops_table(compare(r))) for r in (result, result.with_baseline(result)))
    assert "Typical" not in alone
    assert "+0.0" in beside
    assert "180 nodes, 30 train / 30 val / 120 test" in text(render.headline(result))


def test_inspection_draws_a_bar_per_hop() -> None:
    shown = text(render.inspection(inspect(load("cora"))))
    assert "2,708" in shown
    assert "█" in shown
    assert "unreachable" in shown


def test_progress_is_silent_in_a_pipe(capfd) -> None:
    with render.progress("training", 5, 10) as report:
        report(Epoch(1, 1, 1.0, 0.0, 1.0, 0.5))
    assert capfd.readouterr() == ("", "")


def test_progress_tells_round_and_validation_on_a_terminal(monkeypatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr(render, "errors", Console(file=out, force_terminal=True, width=120))
    with render.progress("training", 5, 10) as report:
        report(Epoch(2, 7, 1.0, 0.0, 1.0, 0.5))
    assert "round 2 of at most 5, epoch 7" in out.getvalue()
    assert "validation 50.0" in out.getvalue()
