import math
from dataclasses import replace

import pytest

from highwaygraph.report import run_charts
from highwaygraph.report.answer_text import NEEDED_SCORE
from highwaygraph.report.highway_scores import by_round
from highwaygraph.report.run_data import read
from highwaygraph.runs.history import Candidate
from tests.helpers.example import rescued_run, run, run_data
from tests.helpers.refitted import few_labels, refitted


def test_charts_follow_from_the_parts_of_a_run() -> None:
    names = set(run_charts.run_charts(run_data()))
    assert names >= {
        "hops",
        "confusion",
        "confusion-typical",
        "reliability",
        "rounds",
        "highways-confidence",
    }
    assert "changed" in run_charts.run_charts(read(rescued_run()))
    alone = set(run_charts.run_charts(run_data(baseline=False)))
    assert not alone & {"confusion-typical", "changed", "candidates"}


def test_a_model_of_all_labels_has_no_chart_of_validation() -> None:
    found = run_charts.run_charts(read(refitted()))
    assert not {"rounds", "curve-validation"} & set(found)
    values = [point.y for series in found["curve-loss"].series for point in series.points]
    assert values
    assert not any(math.isnan(value) for value in values)


def test_the_chart_of_hops_has_the_accuracies_and_leaves_out_empty_distances() -> None:
    found = run_data()
    chart = run_charts.hops(found)
    rows = [row for row in found.ours.hops if row.nodes]
    assert [point.y for point in chart.series[1].points] == [pytest.approx(100 * row.accuracy) for row in rows]
    assert [second for _, second in chart.categories] == [f"({row.nodes:,})" for row in rows]
    assert all(point.low - 1e-6 <= point.y <= point.high + 1e-6 for series in chart.series for point in series.points)
    assert not any(series.joined for series in chart.series)


def test_a_confusion_matrix_counts_every_evaluated_node() -> None:
    found = run_data()
    for side in found.sides:
        chart = run_charts.confusion(found, side)
        assert sum(int(cell.text.replace(",", "")) for cell in chart.cells) == int(side.evaluated.sum())
        hits = sum(int(cell.text) for cell in chart.cells if cell.colour == "blue")
        assert hits == int(side.correct.sum())


def test_rescued_and_lost_nodes_add_up_to_the_gain() -> None:
    found = read(rescued_run())
    rescued, lost = run_charts.changed(found).series
    assert sum(point.y for point in rescued.points) == found.gain.corrected
    assert sum(point.y for point in lost.points) == found.gain.newly_wrong
    marks = run_charts.changed(read(few_labels())).y_ticks
    assert all(mark == int(mark) for mark in marks)


def test_no_chart_is_without_values() -> None:
    found = run_charts.run_charts(read(few_labels()))
    # Folds leave no highway whose end has a known class and was not trained on.
    assert few_labels().highways.size(1)
    assert not {"highways-confidence", "highways-round"} & set(found)
    same = run().baseline.logits
    assert "changed" not in run_charts.run_charts(read(replace(run(), logits=same)))


def candidates(*differences: tuple[float, float]) -> tuple[Candidate, ...]:
    names = [f"{place}" for place in range(len(differences))]
    return tuple(Candidate(name, 0.0, *pair, 0.5, 0.5) for name, pair in zip(names, differences, strict=True))


def test_a_far_candidate_does_not_set_the_scale() -> None:
    compared = candidates((-1.4, 0.07), (-0.7, 0.07), (-0.06, 0.03), (-0.03, 0.03), (-0.035, 0.02), (0.0, 0.0))
    chart = run_charts.candidates(replace(run(), candidates=compared, answer="5"))
    low, high = chart.ends
    assert -0.3 < low < -0.09
    assert high >= 0
    assert [row.label for row in chart.rows if row.value < low] == ["0", "1"]
    assert len(chart.rows) == len(compared)
    # Without far ones, every bar is on the axis.
    near = run_charts.candidates(replace(run(), candidates=candidates((-0.5, 0.1), (0.2, 0.1), (0.0, 0.0)), answer="2"))
    assert all(near.ends[0] <= row.low <= row.high <= near.ends[1] for row in near.rows)


def test_differences_that_decide_nothing_do_not_fill_the_axis() -> None:
    compared = candidates((-1e-7, 1e-7), (-9e-8, 8e-8), (-2e-8, 1e-8), (0.0, 0.0))
    assert run_charts.candidates(replace(run(), candidates=compared, answer="3")).ends[0] == -NEEDED_SCORE


def test_candidates_name_the_predictions_that_they_are_compared_by() -> None:
    assert run_charts.candidates(few_labels()).title == "Candidates compared on the folds"
    one = replace(run(), candidates=candidates((0.0, 0.0)), answer="0")
    assert run_charts.candidates(one).title == "Candidates compared on validation"


def test_precision_by_round_has_a_point_per_round() -> None:
    found = run_data()
    chart = run_charts.highway_precision(found, "round")
    assert [point.y for point in chart.series[0].points] == [100 * one.precision for one in by_round(found.result)]
    assert chart.y_range == (0, 100)
