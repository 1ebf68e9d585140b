from dataclasses import replace

import pytest
import torch

from highwaygraph.options import override
from highwaygraph.report import run_text
from highwaygraph.report.answer_text import candidate_heads
from highwaygraph.report.check_first import CheckedNode, CheckList
from highwaygraph.report.first_node import FirstPaths
from highwaygraph.report.graph_json import VisibleGraph
from highwaygraph.report.run_data import read
from highwaygraph.runs.history import STOP_REASONS, Candidate
from tests.helpers.example import rescued_run, run, run_data
from tests.helpers.refitted import few_labels, refitted


def test_the_largest_clear_difference_is_named() -> None:
    found = read(rescued_run())
    gains = [found.gain_at(place) for place, row in enumerate(found.ours.hops) if row.nodes]
    most = max((one for one in gains if one.interval[0] > 0), key=lambda one: one.points)
    assert f"The largest clear difference, {most.points:+.1f} points" in run_text.largest_difference(found)
    assert run_text.largest_difference(run_data(baseline=False))


def test_differences_whose_intervals_contain_zero_are_not_named() -> None:
    found = read(few_labels())
    assert found.gain.interval[0] < 0 < found.gain.interval[1]
    assert run_text.largest_difference(found).startswith("No distance has a clear difference")


def test_the_split_or_the_folds_are_named() -> None:
    assert run_text.split_text(run_data()) == "30 train, 30 val, 120 test"
    assert run_text.split_text(read(refitted())).startswith("180 labels")


def test_the_table_has_a_row_per_distance() -> None:
    rows = run_text.hop_rows(run_data())
    assert [row[0] for row in rows] == ["1", "2", "3", "4", "no path", "all"]
    assert rows[-1][1:4] == ["120", *(f"{100 * side.accuracy:.1f}" for side in run_data().sides)]
    assert rows[-1][4] == f"{run_data().gain.points:+.1f}"
    assert {len(row) for row in rows} == {6}
    assert {len(row) for row in run_text.hop_rows(run_data(baseline=False))} == {3}


def test_a_sample_is_named_with_its_size() -> None:
    total = {"nodes": 100, "edges": 5, "highways": 3}
    part = VisibleGraph(torch.arange(60), None, None, torch.arange(3), None, total, None, FirstPaths((), ()))
    assert "A random sample of 60 of 100 nodes is shown." in run_text.graph_note(part)
    fewer = part._replace(highways=torch.arange(2))
    assert "60 of 100 nodes and 2 of 3 highways" in run_text.graph_note(fewer)
    assert "sample" not in run_text.graph_note(part._replace(nodes=torch.arange(100)))
    assert "Coloured lines: highways." in run_text.graph_note(part)
    assert "highways" not in run_text.graph_note(part._replace(highways=torch.arange(0), total=total | {"highways": 0}))


def test_the_difference_at_a_distance_is_that_of_the_accuracies() -> None:
    for row in run_text.hop_rows(run_data()):
        if row[1] != "0":
            assert float(row[4]) == pytest.approx(float(row[3]) - float(row[2]), abs=0.11)
            low, high = map(float, row[5].split(" to "))
            assert low <= float(row[4]) <= high


def test_classes_have_scores_of_both_trainings() -> None:
    rows = run_text.class_rows(run_data())
    assert [row[0] for row in rows] == run_data().classes
    assert sum(int(row[1]) for row in rows) == 120
    assert {len(row) for row in rows} == {9}
    assert {len(row) for row in run_text.class_rows(run_data(baseline=False))} == {5}


def test_the_precision_of_highways_names_its_denominator() -> None:
    result = run()
    known = int((~result.data.train_mask[result.highways[1]]).sum())
    note = run_text.highways_note(run_data())
    assert f"of the {known:,} whose end is no training node" in note
    assert "in training and in prediction" in note
    original = read(replace(result, config=override(result.config, {"highway.predict": "original"})))
    assert "predictions are made on the original graph" in run_text.highways_note(original)


def test_the_nodes_to_check_are_counted() -> None:
    label, other = CheckedNode(0, "given label", 1, 0.9, {}), CheckedNode(1, "low confidence", 1, 0.4, {})
    text = run_text.check_note(CheckList([label, other], (1, 2), (10, 100)), run_data())
    assert "first 1 given label of" in text
    assert "Of the 2 listed test nodes, 50 % are misclassified; of all 100, 10 %." in text
    assert "Of the 1 listed test node, 0 %" in run_text.check_note(CheckList([other], (0, 1), (10, 100)), run_data())
    assert "nodes that other candidates put into another class" in text
    alone = run_text.check_note(CheckList([other], (0, 0), (0, 0), compared=False), run_data())
    assert "candidates" not in alone
    assert "At most 20 nodes are listed." in text
    assert "given label" not in run_text.check_note(CheckList([other], (0, 0), (0, 0)), run_data())
    assert run_text.check_note(CheckList([], (0, 0), (0, 0)), run_data()).startswith("No given label is contradicted")
    folds = run_text.check_note(CheckList([label], (0, 0), (0, 0)), read(few_labels()))
    assert "1 given label that the training of the fold which held it out contradicts" in folds


def test_candidates_of_folds_have_one_accuracy_and_no_word_on_validation() -> None:
    rows = run_text.candidate_rows(few_labels())
    assert {len(row) for row in rows} == {len(candidate_heads(few_labels()))} == {5}
    notes = run_text.candidate_notes(few_labels())
    assert not any(word in text for text in notes.values() for word in ("validation", "Test"))
    assert "on the folds" in notes["table"]
    one = replace(run(), candidates=(Candidate("a", 0.0, 0.0, 0.0, 0.5, 0.5),), answer="a")
    assert run_text.candidate_notes(one)["table"].endswith("Test accuracy decides nothing.")
    assert run_text.candidate_notes(run()) == {}


def test_an_unknown_precision_is_stated() -> None:
    assert "Their precision is unknown" in run_text.highways_note(read(few_labels()))


@pytest.mark.parametrize("reason", STOP_REASONS)
def test_the_stop_reason_and_the_selected_round_are_named(reason) -> None:
    text = run_text.rounds_note(replace(run(), stopped=reason))
    assert text.startswith(f"Stopped: {STOP_REASONS[reason]}. Selected: round {run().best_round} of")
    assert text.endswith("the last one.")
    best = replace(run(), config=override(run().config, {"highway.keep": "best"}))
    assert run_text.rounds_note(best).endswith("the best by validation accuracy.")
