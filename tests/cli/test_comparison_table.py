import pytest

from highwaygraph.cli.comparison_table import MOST_NODES, comparison_text
from highwaygraph.report.comparison import compare_runs
from tests.helpers.compared import two_runs
from tests.helpers.rendered import rendered


def test_the_verdict_comes_first_and_the_tables_follow() -> None:
    lines = [line.rstrip() for line in rendered(comparison_text(compare_runs(two_runs()))).splitlines()]
    assert lines[0].startswith("Too few test nodes to decide: the 95 % interval contains 0")
    assert lines[lines.index("Runs") - 1] == ""
    assert any(line.split()[:5] == ["all", "120", "89.2", "94.2", "+5.0"] for line in lines)
    assert f"{MOST_NODES} of 19 nodes whose prediction differs; --changed FILE writes all" in lines


@pytest.mark.parametrize("width", [50, 60, 80])
def test_nothing_is_cut_off_in_a_narrow_terminal(width) -> None:
    first, second = two_runs().values()
    names = ["a-run-with-a-long-name-0123456789", "second"]
    comparison = compare_runs(dict(zip(names, (first, second), strict=True)))
    shown, whole = (rendered(comparison_text(comparison), columns) for columns in (width, 1_000))
    assert max(map(len, shown.splitlines())) <= width
    assert "…" not in shown
    # Folding moves characters, and rows that are listed repeat the heads.
    assert len("".join(shown.split())) >= len("".join(whole.split()))
    assert all(word in shown for word in ("Validation", "Precision", "Difference", "interval"))
