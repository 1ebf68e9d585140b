from dataclasses import replace

import pytest
import torch

from highwaygraph.options import override
from highwaygraph.report import run_text
from highwaygraph.report.graph_json import VisibleGraph
from highwaygraph.report.run_data import Gain, read
from highwaygraph.runs.history import STOP_REASONS
from tests.helpers.example import run, run_data, without_test


@pytest.mark.parametrize(
    ("gain", "start"),
    [
        (Gain(3.0, 1.0, 40, 10, 1000), "HighwayGraph is better than typical training (95 % interval +"),
        (Gain(-3.0, 1.0, 10, 40, 1000), "Typical training is better than HighwayGraph (95 % interval -"),
        (Gain(0.1, 0.5, 13, 12, 1000), "HighwayGraph and typical training are level"),
        (Gain(3.0, 3.0, 5, 2, 100), "There are too few test nodes to tell HighwayGraph and typical training apart"),
    ],
)
def test_the_conclusion_follows_from_the_interval(gain, start) -> None:
    found = run_data()
    found.__dict__["gain"] = gain
    assert run_text.verdict(found).startswith(start)


def test_a_simpler_answer_is_named() -> None:
    found = run_data()
    named = replace(found, ours=replace(found.ours, name="features alone"))
    named.__dict__["gain"] = Gain(3.0, 1.0, 40, 10, 1000)
    assert run_text.verdict(named).startswith("The answer (features alone) is better than typical training")


def test_the_verdict_names_the_largest_class() -> None:
    found = run_data()
    count = found.ours.confusion.sum(dim=1)
    share = 100 * float(count.max() / count.sum())
    assert f"Predicting {found.classes[int(count.argmax())]} for all of them gives {share:.1f} %." in run_text.verdict(
        found
    )


def test_the_verdict_names_the_counts_and_the_limits() -> None:
    found = run_data()
    assert f"{found.gain.corrected:,} test nodes were corrected" in run_text.verdict(found)
    assert "there is no comparison" in run_text.verdict(run_data(baseline=False))
    assert "There are no test nodes" in run_text.verdict(read(without_test(run())))


def test_the_largest_difference_is_named() -> None:
    found = run_data()
    pairs = zip(found.typical.hops, found.ours.hops, strict=True)
    most = max((100 * (b.accuracy - a.accuracy) for a, b in pairs if b.nodes), key=abs)
    assert f"{most:+.1f} points" in run_text.largest_difference(found)
    assert run_text.largest_difference(run_data(baseline=False))


def test_the_table_has_a_row_per_distance() -> None:
    rows = run_text.hop_rows(run_data())
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5+", "unreachable"]
    assert {len(row) for row in rows} == {5}
    assert {len(row) for row in run_text.hop_rows(run_data(baseline=False))} == {3}


def test_a_sample_is_named_with_its_size() -> None:
    total = {"nodes": 100, "edges": 5, "highways": 3}
    part = VisibleGraph(torch.arange(60), None, None, torch.arange(3), None, total)
    assert "A random sample of 60 of 100 nodes is shown." in run_text.graph_note(part)
    fewer = part._replace(highways=torch.arange(2))
    assert "60 of 100 nodes and 2 of 3 highways" in run_text.graph_note(fewer)
    assert "sample" not in run_text.graph_note(part._replace(nodes=torch.arange(100)))
    assert "2,000 of 9,000 nodes" in run_text.embedding_note(9000, 2000)
    assert "10 of 20 are listed" in run_text.highways_note(10, 20)
    assert "listed" not in run_text.highways_note(20, 20)


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_the_stop_reason_and_the_selected_round_are_named(reason) -> None:
    text = run_text.rounds_note(replace(run(), stopped=reason))
    assert text.startswith(f"Stopped: {STOP_REASONS[reason]}. Selected: round {run().best_round} of")
    assert text.endswith("the last one.")
    best = replace(run(), config=override(run().config, {"highway.keep": "best"}))
    assert run_text.rounds_note(best).endswith("the best by validation accuracy.")
