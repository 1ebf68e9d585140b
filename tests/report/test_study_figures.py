import pytest

from highwaygraph.report import study_figures, style
from highwaygraph.study.aggregate import aggregate
from tests.report.test_study_page import RECORDS, STUDY


@pytest.fixture(autouse=True)
def figure_style():
    with style.context():
        yield


def test_the_heat_map_shows_every_mean() -> None:
    axis = study_figures.heat_map(STUDY, aggregate(STUDY, RECORDS)).axes[0]
    assert sorted(text.get_text() for text in axis.texts) == ["70.5", "70.5", "75.5", "75.5"]
    single = STUDY.model_copy(update={"grid": STUDY.grid | {"train": [10]}})
    assert study_figures.heat_map(single, aggregate(single, RECORDS[:4])) is None


def test_accuracy_by_hops_has_one_line_per_compared_value() -> None:
    axis = study_figures.by_hops(STUDY, RECORDS).axes[0]
    assert [line.get_label() for line in axis.get_lines()] == ["0.0", "1.0"]
    assert axis.get_lines()[1].get_ydata()[0] == pytest.approx(75.5)
    assert study_figures.by_hops(STUDY, []) is None


def test_a_study_without_baseline_has_no_forest_plot() -> None:
    plain = STUDY.model_copy(update={"baseline": {}})
    assert study_figures.forest(plain, aggregate(plain, RECORDS)) is None
    assert study_figures.baseline_name(STUDY) == "pairs.weight 0.0"
