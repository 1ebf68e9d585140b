import pytest

from highwaygraph.report import study_charts
from highwaygraph.study.aggregate import aggregate
from tests.report.test_study_page import RECORDS, STUDY


def test_the_heat_map_shows_every_mean() -> None:
    chart = study_charts.heat_map(STUDY, aggregate(STUDY, RECORDS))
    assert sorted(cell.text for cell in chart.cells) == ["70.5", "70.5", "75.5", "75.5"]
    assert (chart.row_label, chart.column_label) == ("train", "pairs.weight")
    single = STUDY.model_copy(update={"grid": STUDY.grid | {"train": [10]}})
    assert study_charts.heat_map(single, aggregate(single, RECORDS[:4])) is None


def test_accuracy_by_hops_has_one_series_per_compared_value() -> None:
    chart = study_charts.by_hops(STUDY, RECORDS)
    assert [series.name for series in chart.series] == ["0.0", "1.0"]
    assert chart.series[1].points[0].y == pytest.approx(75.5)
    assert not any(series.joined for series in chart.series)
    assert study_charts.by_hops(STUDY, []) is None


def test_the_forest_plot_names_every_setting() -> None:
    chart = study_charts.forest(STUDY, aggregate(STUDY, RECORDS))
    assert [row.label for row in chart.rows] == ["train 10, pairs.weight 1.0", "train 20, pairs.weight 1.0"]
    assert all(row.low <= row.value <= row.high for row in chart.rows)


def test_a_study_without_baseline_has_no_forest_plot() -> None:
    plain = STUDY.model_copy(update={"baseline": {}})
    assert study_charts.forest(plain, aggregate(plain, RECORDS)) is None
    assert study_charts.baseline_name(STUDY) == "pairs.weight 0.0"
