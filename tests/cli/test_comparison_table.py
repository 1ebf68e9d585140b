from collections import Counter

import pytest

from highwaygraph.cli.comparison_table import column_widths, comparison_text
from highwaygraph.report.comparison import compare_runs
from tests.helpers.compared import two_runs
from tests.helpers.rendered import rendered


def test_tables_come_first_and_the_paired_difference_last() -> None:
    lines = rendered(comparison_text(compare_runs(two_runs()))).splitlines()
    assert lines[0] == "Runs"
    assert lines[-1].startswith("second beside first: +5.0 points on 120 test nodes")
    assert any(line.split() == ["all", "120", "89.2", "94.2", "+5.0"] for line in lines)


@pytest.mark.parametrize("width", [50, 60, 80])
def test_nothing_is_cut_off_in_a_narrow_terminal(width) -> None:
    first, second = two_runs().values()
    names = ["a-run-with-a-long-name-0123456789", "second"]
    comparison = compare_runs(dict(zip(names, (first, second), strict=True)))
    shown, whole = (rendered(comparison_text(comparison), columns) for columns in (width, 1_000))
    assert max(map(len, shown.splitlines())) <= width
    # Wrapping moves characters, but loses none.
    assert Counter("".join(shown.split())) == Counter("".join(whole.split()))


def test_words_are_whole_where_they_fit() -> None:
    columns = [("Run", "first run"), ("Validation %", "81.2"), ("Answer", "HighwayGraph")]
    assert column_widths(columns, 40) == [None, None, None]
    assert column_widths(columns, 30) == [8, 10, 12]
    assert column_widths(columns, 27) == [5, 10, 12]
    assert column_widths(columns, 26) == [None, None, None]
