import math

import pytest
import torch

from highwaygraph.cli import render
from highwaygraph.data.load import load
from highwaygraph.data.tables.read_log import Column, Finding, ReadLog
from highwaygraph.graph.graph import Graph
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.report.inspection import inspect
from highwaygraph.report.summary import compare
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph
from tests.helpers.rendered import rendered

HEADS = ["Round", "Epochs", "Validation", "%", "Test", "%", "Highways", "added", "Precision", "%"]


def test_percent() -> None:
    assert render.percent(0.8125) == "81.2"
    assert render.percent(math.nan) == "-"


def test_the_rounds_table_shows_the_stop_reason_and_the_selected_round() -> None:
    data = block_graph()
    config = override(PRESETS["full"], {"fit.epochs": 20, "highway.node_threshold": 1.0})
    result = train(build("gcn", data), data, config)
    shown = rendered(render.rounds_table(result))
    assert shown.split("\n")[0].split() == [
        "Round",
        "Epochs",
        "Validation",
        "%",
        "Test",
        "%",
        "Highways",
        "added",
    ]
    assert "Stopped: no new edge passed the thresholds." in shown
    assert "Selected: round 1 (<), trained on the original graph, without highways." in shown
    alone, compared = (rendered(render.hops_table(compare(r))) for r in (result, result.with_baseline(result)))
    assert "Typical" not in alone
    assert "Accuracy %" in alone
    assert f"{result.answer} %" in compared
    assert "+0.0" in compared
    assert "180 nodes, 30 train / 30 val / 120 test" in rendered(render.headline(result))


def test_an_inspection_has_one_bar_per_hop() -> None:
    shown = rendered(render.inspection(inspect(load("cora"))))
    assert "2,708" in shown
    assert "█" in shown
    assert "no path" in shown


@pytest.mark.parametrize("width", [60, 80])
def test_an_inspection_is_wrapped_and_never_cut_off(width: int) -> None:
    classes = [f"class_with_a_long_name_{c}" for c in range(30)]
    long_word = "x" * 150
    data = Graph(
        x=torch.eye(30),
        edge_index=torch.stack([torch.arange(29), torch.arange(1, 30)]),
        y=torch.arange(30),
        num_nodes=30,
    )
    data.name, data.classes = "a folder with a very long name " * 4 + ".csv", classes
    note = "a note about this column that is longer than one line of a terminal of eighty columns, end of note"
    columns = [Column("a_column_with_a_name_that_is_longer_than_forty_characters", "feature", note, 12)]
    data.read_log = ReadLog(columns, [Finding("unexpected values", 1, (long_word,), "left out")])
    lines = rendered(render.inspection(inspect(data)), width).splitlines()
    assert max(map(len, lines)) <= width
    assert "…" not in "".join(lines)
    everything = "".join("".join(lines).split())
    assert long_word in everything
    assert all(name in everything for name in classes)
    # The cells of a wrapped table row are interleaved: every word of them is there.
    assert all(word in everything for word in note.split())
    assert "forty_characters" in everything


def test_a_narrow_table_wraps_heads_and_keeps_every_digit() -> None:
    table = render.study_table("A study", ["Candidate", "Score", "Difference", "Validation %"], [])
    table.renderables[1].add_row("label propagation", "-1.946", "-1.391", "81.9")
    lines = rendered(table, width=48).splitlines()
    assert all(number in "\n".join(lines) for number in ("-1.946", "-1.391", "81.9"))
    assert max(map(len, lines)) <= 48


def test_the_loss_that_decides_is_named_by_its_nodes() -> None:
    data = block_graph()
    config = override(PRESETS["plus"], {"fit.epochs": 3, "select.typical": False, "select.baselines": False})
    shown = rendered(render.rounds_table(train(build("gcn", data), data, config)))
    assert shown.splitlines()[0].split()[:5] == ["Round", "Epochs", "Val.", "loss", "Validation"]
