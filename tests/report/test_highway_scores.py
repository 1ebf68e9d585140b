from dataclasses import replace

import pytest
import torch

from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.report import highway_scores, run_text
from highwaygraph.report.highway_scores import (
    CHANGED_HEADS,
    by_confidence,
    by_round,
    changed_nodes,
    changed_rows,
    evaluated_highways,
)
from highwaygraph.report.run_data import read
from highwaygraph.training.metrics import edge_precision
from tests.helpers.compared import with_predictions
from tests.helpers.example import rescued_run, run, run_data


def test_all_highways_are_counted_once_with_the_precision_of_training() -> None:
    result = run()
    known, correct = evaluated_highways(result)
    expected = edge_precision(result.highways, result.data.y, ~result.data.train_mask)
    assert int(correct.sum()) / int(known.sum()) == pytest.approx(expected)
    for bins in (by_confidence(result), by_round(result)):
        assert sum(one.known for one in bins) == int(known.sum())
        assert sum(one.known * one.precision for one in bins) == pytest.approx(int(correct.sum()))


def test_the_last_range_of_confidence_includes_certainty() -> None:
    result = run()
    table = result.highway_table._replace(confidence=torch.ones(result.highways.size(1)))
    certain = type(result)(**{**vars(result), "highway_table": table})
    assert [one.name for one in by_confidence(certain)] == ["90 to 100"]


def test_changed_nodes_are_those_of_the_gain_the_rescued_ones_first() -> None:
    found = read(rescued_run())
    rows = changed_rows(found, changed_nodes(found))
    assert found.gain.corrected > 0
    outcomes = [row[1] for row in rows]
    assert outcomes == sorted(outcomes, reverse=True)
    assert outcomes.count("rescued") == found.gain.corrected
    assert outcomes.count("lost") == found.gain.newly_wrong
    assert all(len(row) == len(CHANGED_HEADS) for row in rows)
    for row in rows:
        assert (row[2] == row[4]) == (row[1] == "rescued")
    alone = run_data(baseline=False)
    assert changed_rows(alone, changed_nodes(alone)) == []


def test_the_most_remote_changed_nodes_are_listed_first(monkeypatch) -> None:
    found = read(rescued_run())
    hops = found.ours.hop_distance
    distance = [len(hops) if hops[node] == UNREACHABLE else int(hops[node]) for node in changed_nodes(found).rescued]
    assert distance == sorted(distance, reverse=True)
    monkeypatch.setattr(highway_scores, "MOST_CHANGED", 3)
    assert 0 < sum(len(part) for part in changed_nodes(found)) <= 3


def test_lost_nodes_have_their_part_of_a_long_list(monkeypatch) -> None:
    labels = run().data.y
    wrong, even = (labels + 1) % 3, torch.arange(len(labels)) % 2 == 0
    ours = with_predictions(run(), torch.where(even, labels, wrong))
    typical = torch.nn.functional.one_hot(torch.where(even, wrong, labels), 3).float()
    found = read(replace(ours, baseline=replace(run().baseline, logits=typical)))
    monkeypatch.setattr(highway_scores, "MOST_CHANGED", 10)
    listed = [len(part) for part in changed_nodes(found)]
    assert listed == [5, 5]
    assert "are listed, 10 of 120." in run_text.changed_note(found, sum(listed))
    assert "are listed" not in run_text.changed_note(found, 120)
