import math

import pytest

from highwaygraph.runs.intervals import wilson_interval


def test_the_interval_of_wilson_holds_the_share_and_narrows_with_the_count() -> None:
    low, high = wilson_interval(0.8, 100)
    # Values of statsmodels' proportion_confint(80, 100, method="wilson").
    assert (low, high) == (pytest.approx(0.7112, abs=1e-3), pytest.approx(0.8666, abs=1e-3))
    narrow = wilson_interval(0.8, 10_000)
    assert low < narrow[0] < 0.8 < narrow[1] < high


def test_the_ends_stay_within_0_and_1_and_have_a_width() -> None:
    assert wilson_interval(0.0, 5)[0] == 0.0
    assert 0.4 < wilson_interval(0.0, 5)[1] < 0.5
    assert wilson_interval(1.0, 5)[1] == 1.0
    assert all(math.isnan(end) for end in wilson_interval(math.nan, 0))


@pytest.mark.parametrize(("nodes", "share"), [(10, 0.0), (10, 1.0), (50, 0.5), (1000, 0.93)])
def test_the_interval_solves_the_equation_of_the_score_test(nodes, share) -> None:
    low, high = wilson_interval(share, nodes)
    assert 0 <= low <= share <= high <= 1
    for end in {low, high} - {0.0, 1.0}:
        assert abs(share - end) == pytest.approx(1.96 * (end * (1 - end) / nodes) ** 0.5, abs=1e-9)
