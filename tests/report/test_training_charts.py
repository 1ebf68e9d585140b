import math
from dataclasses import replace

import pytest

from highwaygraph.options import override
from highwaygraph.report import training_charts
from highwaygraph.report.run_data import RunData, read
from tests.helpers.example import run, run_data


def monitored(monitor: str) -> RunData:
    return read(replace(run(), config=override(run().config, {"fit.monitor": monitor})))


def test_the_selected_round_is_marked() -> None:
    found = run_data()
    names = dict(training_charts.validation_by_round(found).categories)
    assert [number for number, note in names.items() if note == "selected"] == [str(found.result.best_round)]


def test_rounds_have_the_score_that_decided() -> None:
    chart = training_charts.validation_by_round(monitored("accuracy"))
    assert chart.y_label == "validation accuracy (%)"
    assert [point.y for point in chart.series[0].points] == [pytest.approx(100 * one.val) for one in run().rounds]
    assert all(point.has_interval for point in chart.series[0].points)
    chart = training_charts.validation_by_round(monitored("loss"))
    assert (chart.y_label, chart.title) == ("validation loss", "Validation loss by round")
    assert [point.y for point in chart.series[0].points] == [-one.score for one in run().rounds]
    assert not any(point.has_interval for point in chart.series[0].points)
    assert 0 in chart.y_ticks
    assert training_charts.validation_by_round(monitored("f1")).y_range == (0, 100)
    assert training_charts.validation_by_round(monitored("f1")).y_label == "macro F1 on validation (%)"


def test_a_run_without_scores_has_its_accuracies() -> None:
    rounds = tuple(replace(one, score=math.nan) for one in run().rounds)
    early = read(replace(monitored("loss").result, rounds=rounds))
    assert training_charts.deciding_score(early).name == "validation accuracy"


def test_curves_have_the_same_score() -> None:
    found = monitored("loss")
    chart = training_charts.validation_by_epoch(found)
    assert chart.y_label == "validation loss"
    values = [point.y for series in chart.series[1:] for point in series.points]
    assert values == [one.val_loss for one in found.ours.history]
    accuracy = training_charts.validation_by_epoch(monitored("accuracy"))
    assert accuracy.series[1].points[0].y == pytest.approx(100 * found.ours.history[0].val)


def test_every_epoch_is_in_the_learning_curves() -> None:
    found = run_data()
    chart = training_charts.training_loss(found)
    assert sum(len(series.points) for series in chart.series[1:]) == len(found.ours.history)
    assert chart.series[0].name == "typical training"
    assert all(series.joined for series in chart.series)
