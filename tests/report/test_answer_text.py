"""Sentences on the answer of a run."""

from dataclasses import replace

import pytest

import highwaygraph as hg
from highwaygraph.report.answer_text import answer_lines, candidate_cells, candidate_heads
from highwaygraph.runs.history import COMBINATION, ROUND, TYPICAL, Candidate
from tests.helpers.refitted import few_labels
from tests.helpers.trained import named_run


def _result(answer: str, **differences: float) -> hg.Result:
    """Return a run whose candidates have these differences to HighwayGraph, each with a standard error of 0.01."""
    names = {"features": "features alone", "smoothed": "smoothed features", "typical": TYPICAL}
    found = [Candidate(names[k], -0.5 + gap, gap, 0.01, 0.7, 0.6) for k, gap in differences.items()]
    return replace(named_run(), candidates=(*found, Candidate(ROUND, -0.5, 0.0, 0.0, 0.8, 0.8)), answer=answer)


def test_a_run_without_candidates_has_no_sentence() -> None:
    assert answer_lines(replace(named_run(), candidates=())) == []


def test_the_round_is_the_answer_and_both_graph_and_gnn_are_needed() -> None:
    choice, graph, gnn = answer_lines(_result(ROUND, features=-0.3, smoothed=-0.1, typical=-0.05))
    assert choice.startswith("Answer: HighwayGraph, round")
    assert graph.startswith("Is the graph needed? Yes: features alone has 70.0 %")
    assert gnn.startswith("Is a GNN needed? Yes: smoothed features has 70.0 %")


def test_a_baseline_within_a_standard_error_leaves_it_open() -> None:
    _, graph, gnn = answer_lines(_result(ROUND, features=-0.3, smoothed=-0.005))
    assert "Yes" in graph
    assert gnn.startswith("Is a GNN needed? Not clearly")


def test_a_difference_of_nothing_or_a_lower_accuracy_shows_no_need() -> None:
    tiny = Candidate("smoothed features", -0.5002, -0.0002, 0.00001, 0.8, 0.8)
    better = Candidate("features alone", -0.7, -0.2, 0.01, 0.9, 0.9)
    ours = Candidate(ROUND, -0.5, 0.0, 0.0, 0.8, 0.8)
    for other in (tiny, better):
        lines = answer_lines(replace(named_run(), candidates=(other, ours), answer=ROUND))
        assert lines[-1].startswith("Is a GNN needed? Not clearly")


@pytest.mark.parametrize(("answer", "graph_needed"), [("features alone", "No"), ("smoothed features", "Yes")])
def test_a_simple_answer_needs_no_gnn(answer, graph_needed) -> None:
    gaps = {"features": 0.2 if answer == "features alone" else -0.2, "smoothed": 0.1}
    choice, graph, gnn = answer_lines(_result(answer, **gaps))
    assert "are better on validation than HighwayGraph" in choice
    assert "highways are not used" in choice
    assert graph.startswith(f"Is the graph needed? {graph_needed}")
    assert gnn.startswith("Is a GNN needed? No")


def test_typical_training_alone_gives_one_sentence() -> None:
    (choice,) = answer_lines(_result(TYPICAL, typical=0.2))
    assert choice.startswith("Answer: typical training. Typical training is better")


def test_baselines_that_were_left_out_are_named() -> None:
    result = _result(ROUND, typical=-0.2)
    config = hg.override(result.config, {"select.baselines": True})
    assert answer_lines(replace(result, config=config))[-1].startswith("Simple baselines were left out")


def test_a_combination_names_its_parts_and_their_weights() -> None:
    parts = (
        Candidate("features alone", -0.9, -0.3, 0.01, 0.6, 0.6, weight=0.25),
        Candidate("smoothed features", -0.8, -0.2, 0.01, 0.6, 0.6),
        Candidate(ROUND, -0.6, -0.1, 0.01, 0.8, 0.8, weight=0.9),
        Candidate(COMBINATION, -0.5, 0.0, 0.0, 0.8, 0.8),
    )
    choice, fitted, graph, gnn = answer_lines(replace(named_run(), candidates=parts, answer=COMBINATION))
    assert choice.startswith(
        "Answer: combination, with weights from validation: HighwayGraph (0.90), features alone (0.25);"
    )
    assert fitted.startswith("The combination is scored on the nodes that its weights were fitted on")
    assert "Yes" in graph
    assert "Yes" in gnn


def test_weights_of_folds_were_fitted_without_the_nodes_that_are_evaluated() -> None:
    fitted = next(line for line in answer_lines(few_labels()) if line.startswith("The combination is scored"))
    assert "every fold fitted its own weights without the nodes that it held out" in fitted
    assert "other nodes" not in fitted


def test_a_small_negative_difference_is_no_minus_zero() -> None:
    result = _result(ROUND, features=-0.3, smoothed=-1e-7, typical=-1e-7)
    assert "(accuracy +0.000, " in answer_lines(result)[-1]
    assert not any("-0.000" in line for line in answer_lines(result))


def test_only_the_reference_has_no_difference() -> None:
    equal = Candidate("smoothed features", 0.0, 0.0, 0.0, 1.0, 1.0)
    assert candidate_cells(equal, ROUND)[2:4] == ["+0.000", "0.000"]
    assert candidate_cells(Candidate(ROUND, 0.0, 0.0, 0.0, 1.0, 1.0), ROUND)[2:4] == ["", ""]


def test_heads_name_the_predictions_that_were_compared() -> None:
    assert candidate_heads(_result(ROUND))[4:] == ["Validation %", "Test %"]
    assert candidate_heads(few_labels())[4:] == ["Folds %"]
