from dataclasses import replace

import torch

from highwaygraph.options import override
from highwaygraph.report import run_text
from highwaygraph.report.graph_json import Drawn
from highwaygraph.report.run_data import Gain, read
from tests.helpers.example import facts, run, without_test


def test_the_verdict_is_as_sure_as_the_numbers() -> None:
    assert run_text._judgement(Gain(3.0, 1.0, 5, 2)) == "It helped."
    assert run_text._judgement(Gain(1.5, 1.0, 5, 2)) == "No clear difference."
    assert run_text._judgement(Gain(-3.0, 1.0, 2, 5)).startswith("It did not help")
    found = facts()
    assert f"{found.gain.mended:,} test nodes were put right" in run_text.verdict(found)
    assert "nothing to compare with" in run_text.verdict(facts(beside=False))
    assert "take it as a hint" in run_text.verdict(read(without_test(run())))


def test_where_names_the_largest_difference() -> None:
    found = facts()
    pairs = zip(found.typical.hops, found.ours.hops, strict=True)
    most = max((100 * (b.accuracy - a.accuracy) for a, b in pairs if b.nodes), key=abs)
    assert f"{most:+.1f} points" in run_text.where(found)
    assert run_text.where(facts(beside=False))


def test_the_table_has_a_row_per_distance() -> None:
    rows = run_text.hop_rows(facts())
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "5+", "unreachable"]
    assert {len(row) for row in rows} == {5}
    assert {len(row) for row in run_text.hop_rows(facts(beside=False))} == {3}


def test_what_is_left_out_is_said() -> None:
    total = {"nodes": 100, "edges": 5, "highways": 3}
    part = Drawn(torch.arange(60), None, None, torch.arange(3), None, total)
    assert "Drawn are 60 of 100 nodes, chosen by chance." in run_text.of_graph(part)
    fewer = part._replace(highways=torch.arange(2))
    assert "60 of 100 nodes and 2 of 3 highways" in run_text.of_graph(fewer)
    assert "by chance" not in run_text.of_graph(part._replace(nodes=torch.arange(100)))
    assert "2,000 of 9,000 nodes" in run_text.of_layer(9000, 2000)
    assert "10 of 20 are listed" in run_text.of_highways(10, 20)
    assert "listed" not in run_text.of_highways(20, 20)


def test_why_it_stopped_and_which_round_it_is() -> None:
    said = run_text.of_rounds(run())
    assert said.endswith("the last one.")
    best = replace(run(), config=override(run().config, {"highway.keep": "best"}))
    assert run_text.of_rounds(best).endswith("best by validation accuracy.")
