import pytest

from highwaygraph.report import study_figures, style
from highwaygraph.study.aggregate import aggregate
from tests.report.test_study_page import RECORDS, STUDY


@pytest.fixture(autouse=True)
def look():
    with style.look():
        yield


def test_the_map_shows_every_mean() -> None:
    axis = study_figures.heat(STUDY, aggregate(STUDY, RECORDS)).axes[0]
    assert sorted(text.get_text() for text in axis.texts) == ["70.5", "70.5", "75.5", "75.5"]
    single = STUDY.model_copy(update={"grid": STUDY.grid | {"train": [10]}})
    assert study_figures.heat(single, aggregate(single, RECORDS[:4])) is None


def test_a_line_per_value_of_what_is_compared() -> None:
    axis = study_figures.by_distance(STUDY, RECORDS).axes[0]
    assert [line.get_label() for line in axis.get_lines()] == ["0.0", "1.0"]
    assert axis.get_lines()[1].get_ydata()[0] == pytest.approx(75.5)
    assert study_figures.by_distance(STUDY, []) is None


def test_a_study_without_differences_has_no_forest() -> None:
    plain = STUDY.model_copy(update={"baseline": {}})
    assert study_figures.forest(plain, aggregate(plain, RECORDS)) is None
    assert study_figures.called_baseline(STUDY) == "pairs.weight 0.0"
