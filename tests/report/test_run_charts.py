import math

import pytest

from highwaygraph.report import run_charts
from highwaygraph.report.highway_scores import by_round
from highwaygraph.report.run_data import read
from tests.helpers.example import rescued_run, run_data
from tests.helpers.refitted import refitted


def test_charts_follow_from_the_parts_of_a_run() -> None:
    names = set(run_charts.run_charts(run_data()))
    assert names >= {
        "hops",
        "confusion",
        "confusion-typical",
        "reliability",
        "rounds",
        "changed",
        "highways-confidence",
    }
    alone = set(run_charts.run_charts(run_data(baseline=False)))
    assert not alone & {"confusion-typical", "changed", "candidates"}


def test_a_model_of_all_labels_has_no_chart_of_validation() -> None:
    found = run_charts.run_charts(read(refitted()))
    assert not {"rounds", "curve-accuracy"} & set(found)
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


def test_the_selected_round_is_marked() -> None:
    found = run_data()
    names = dict(run_charts.rounds(found).categories)
    assert [number for number, note in names.items() if note == "selected"] == [str(found.result.best_round)]


def test_rescued_and_lost_nodes_add_up_to_the_gain() -> None:
    found = read(rescued_run())
    rescued, lost = run_charts.changed(found).series
    assert sum(point.y for point in rescued.points) == found.gain.corrected
    assert sum(point.y for point in lost.points) == found.gain.newly_wrong


def test_precision_by_round_has_a_point_per_round() -> None:
    found = run_data()
    chart = run_charts.highway_precision(found, "round")
    assert [point.y for point in chart.series[0].points] == [100 * one.precision for one in by_round(found.result)]
    assert chart.y_range == (0, 100)


def test_every_epoch_is_in_the_learning_curves() -> None:
    found = run_data()
    chart = run_charts.curves(found, "loss")
    assert sum(len(series.points) for series in chart.series[1:]) == len(found.ours.history)
    assert chart.series[0].name == "typical training"
    assert all(series.joined for series in chart.series)
