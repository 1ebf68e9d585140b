"""Diagrams, sentences and rows of the calibration."""

import pytest

from highwaygraph.report.calibration_charts import (
    HEADS,
    calibration_note,
    calibration_rows,
    distance_captions,
    reliability_charts,
)
from highwaygraph.report.reliability import BeforeAfter, Reliability, RunReliability
from highwaygraph.training.metrics import CalibrationBin


def compared(nodes: int, before: float = 0.9, after: float = 0.72) -> BeforeAfter:
    """Return nodes of accuracy 0.7 that are more confident than that."""
    bins = [[CalibrationBin(one, 0.7, nodes)] for one in (before, after)]
    return BeforeAfter(*(Reliability(one) for one in bins))


def example(*nodes: int) -> RunReliability:
    return RunReliability(compared(sum(nodes)), [compared(one) for one in nodes], "test", (2.0, 2.0, 2.0))


def test_both_diagrams_have_their_points_and_hover_values() -> None:
    chart = reliability_charts(example(150, 150, 20))[0]
    before, after = chart.series
    assert (before.name, after.name) == ("before calibration", "after calibration")
    assert [(p.x, p.y) for p in before.points] == [(pytest.approx(90), pytest.approx(70))]
    assert [(p.x, p.y) for p in after.points] == [(pytest.approx(72), pytest.approx(70))]
    assert before.points[0].text.startswith("confidence 90 %, accuracy: 70.0 %, 95 % interval")
    assert chart.diagonal


def test_a_distance_of_few_nodes_has_no_diagram_and_no_error() -> None:
    found = example(150, 150, 20)
    names = [chart.name for chart in reliability_charts(found)]
    assert names == ["reliability", "reliability-1", "reliability-2"]
    assert set(distance_captions(found)) == set(names[1:])
    rows = calibration_rows(found)
    assert all(len(row) == len(HEADS) for row in rows)
    assert rows[1][:4] == ["2 hops", "150", "20.0", "2.0"]
    assert rows[2] == ["3 or more hops or no path", "20", "-", "-", "-"]
    assert rows[3][:4] == ["all", "320", "20.0", "2.0"]
    # A distance without nodes has no row.
    none = example(150, 150)
    none.by_distance.append(BeforeAfter(Reliability([]), Reliability([])))
    assert [row[0] for row in calibration_rows(none)] == ["up to 1 hop", "2 hops", "all"]


def test_a_range_of_few_nodes_is_omitted() -> None:
    bins = [CalibrationBin(0.5, 0.0, 4), CalibrationBin(0.9, 0.8, 5)]
    one = BeforeAfter(Reliability(bins), Reliability(bins))
    chart = reliability_charts(RunReliability(one, [one] * 3, "test", (1.0,) * 3))[0]
    assert [len(series.points) for series in chart.series] == [1]
    assert chart.series[0].name == "before and after calibration"


def test_the_note_has_both_errors_or_the_reason_for_none() -> None:
    assert "320 test nodes: 20.0 % before calibration, 2.0 % after it" in calibration_note(example(150, 150, 20))
    assert calibration_note(example(150, 150, 20)).endswith("All logits are divided by the temperature 2.00.")
    assert "changes no confidence" in calibration_note(example(300, 0, 0)._replace(temperatures=(1.0, 1.0, 1.0)))
    assert "3.00 (2 hops)" in calibration_note(example(300, 0, 0)._replace(temperatures=(1.0, 3.0, 1.0)))
    assert "too few" in calibration_note(example(20, 20, 20))
    alone = RunReliability(
        compared(300)._replace(after=None), [compared(100)._replace(after=None)] * 3, "validation", (1.0,) * 3
    )
    assert "these nodes calibrate" in calibration_note(alone)
    assert calibration_rows(alone) == []
    assert len(reliability_charts(alone)) == 1
    assert len(reliability_charts(alone)[0].series) == 1


def test_a_table_of_dashes_is_left_out() -> None:
    assert calibration_rows(example(20, 20, 20)) == []
