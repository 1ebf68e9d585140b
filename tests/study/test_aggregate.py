from math import sqrt

import pytest

from highwaygraph.study.aggregate import aggregate, format_row, headers, varied_axes
from highwaygraph.study.records import Record
from highwaygraph.study.spec import Study

STUDY = Study(
    name="toy",
    title="A toy",
    protocol="random",
    baseline={"preset": "typical"},
    grid={"preset": ["typical", "full"], "split": [0, 1], "seed": [0]},
    paper=[{"preset": "full", "mean": 83.0, "deviation": 0.5}],
)


def record(preset: str, split: int, test: float, seed: int = 0) -> Record:
    return Record({"preset": preset, "split": split, "seed": seed}, {"test": test, "test_last": test - 0.01})


def test_means_deviations_and_paired_differences() -> None:
    records = [record("full", 0, 0.85), record("full", 1, 0.81), record("typical", 0, 0.80), record("typical", 1, 0.80)]
    typical, full = aggregate(STUDY, records)
    assert (typical.setting, typical.runs, typical.mean) == ({"preset": "typical"}, 2, 80.0)
    assert (typical.difference, typical.paper) == (None, None)
    assert full.mean == pytest.approx(83.0)
    assert full.deviation == pytest.approx(2 * sqrt(2))
    assert full.last == pytest.approx(82.0)
    assert (full.paper, full.paper_deviation) == (83.0, 0.5)
    assert full.difference == pytest.approx(3.0)
    assert full.standard_error == pytest.approx(2.0)


def test_only_common_repetitions_are_paired() -> None:
    (typical, full) = aggregate(STUDY, [record("full", 0, 0.85), record("full", 1, 0.9), record("typical", 0, 0.80)])
    assert full.difference == pytest.approx(5.0)
    assert full.standard_error is None
    assert typical.runs == 1


def test_standard_errors_are_over_splits_not_over_seeds() -> None:
    full = [record("full", split, 0.8 + gap, seed) for split, seed, gap in ((0, 0, 0), (0, 1, 0.02), (1, 0, 0.05))]
    typical = [record("typical", split, 0.8, seed) for split, seed in ((0, 0), (0, 1), (1, 0))]
    row = aggregate(STUDY, full + typical)[1]
    assert row.difference == pytest.approx(7 / 3)
    assert row.standard_error == pytest.approx(2.0)
    # With one split, the seeds are the only repetitions.
    row = aggregate(STUDY, full[:2] + typical[:2])[1]
    assert row.standard_error == pytest.approx(1.0)


def test_without_a_baseline_run_there_is_no_difference() -> None:
    (full,) = aggregate(STUDY, [record("full", 0, 0.85)])
    assert full.difference is None


def test_the_table_has_the_numbers_of_the_paper() -> None:
    records = [record("full", 0, 0.85), record("full", 1, 0.81), record("typical", 0, 0.80), record("typical", 1, 0.80)]
    typical, full = aggregate(STUDY, records)
    assert varied_axes(STUDY) == ["preset"]
    assert headers(STUDY) == ["preset", "Runs", "Test %", "Paper %", "to paper", "to baseline", "(s.e.)"]
    assert format_row(STUDY, typical) == ["typical", "2", "80.0 ± 0.0", "-", "", "", ""]
    assert format_row(STUDY, full) == ["full", "2", "83.0 ± 2.8", "83.0 ± 0.5", "+0.0", "+3.00", "(2.00)"]


def test_the_table_of_a_timed_study_has_time_and_memory() -> None:
    timed = STUDY.model_copy(update={"timed": True})
    cost = {"typical": (2.0, 1.0, 10.0), "full": (3.0, 4.0, 12.0)}
    records = [
        Record(
            r.cell, r.facts | dict(zip(("epoch_ms", "train_seconds", "peak_mib"), cost[r.cell["preset"]], strict=True))
        )
        for r in (record("typical", 0, 0.8), record("full", 0, 0.9))
    ]
    _, full = aggregate(timed, records)
    assert format_row(timed, full) == ["full", "1", "3.00", "x 1.50", "4.00", "x 4.00", "12", "+2"]
    assert len(headers(timed)) == len(format_row(timed, full))
