import re
from dataclasses import replace

import pytest

pytest.importorskip("matplotlib", reason="matplotlib is not installed")

from highwaygraph.errors import RunError
from highwaygraph.report import comparison_page
from highwaygraph.report.comparison import compare_runs
from highwaygraph.report.comparison_page import check_page, hops_chart, page, write_page
from tests.helpers.compared import two_runs, with_data
from tests.helpers.example import NASTY, run, without_test


def test_the_page_holds_the_tables_and_loads_nothing() -> None:
    text = page(compare_runs(two_runs()))
    assert "Comparison of 2 runs" in text
    assert "second beside first: +5.0 points on 120 test nodes" in text
    assert ">+5.0<" in text
    assert "17 of 120" in text
    assert text.count("<table") == text.count("</table>") == 6
    assert text.count(" data-sorted>") == 1
    assert "Every run is compared with the first one, first." in text
    assert "default-src &#39;none&#39;" in text
    assert re.findall(r'(?:src|href)="(?!#)', text) == []
    assert text.encode().count(comparison_page.MARK) == 1


def test_names_are_escaped() -> None:
    first, second = two_runs().values()
    text = page(compare_runs({NASTY: first, "<i>b</i>": second}))
    assert NASTY not in text
    assert "<i>" not in text
    assert "&lt;b&gt;a&lt;/b&gt;" in text


def test_the_chart_has_a_marker_per_run_and_no_line_between_distances() -> None:
    found = compare_runs(two_runs())
    chart = hops_chart(found)
    assert [series.name for series in chart.series] == ["first", "second"]
    assert not any(series.joined for series in chart.series)
    assert chart.categories[-1] == ("all", "")
    assert ("unreachable", "") not in chart.categories
    assert hops_chart(replace(found, hops=())) is None
    first = run()
    assert hops_chart(compare_runs({str(number): first for number in range(7)})) is None


def test_runs_that_share_no_graph_or_have_no_test_nodes_have_a_page() -> None:
    first, second = two_runs().values()
    text = page(compare_runs({"a": first, "b": with_data(second, x=second.data.x + 1)}))
    assert "b is on another graph than a" in text
    assert 'id="hops"' not in text
    assert "<svg" not in text
    assert "have no test nodes" in page(compare_runs({"a": without_test(first), "b": without_test(second)}))


def test_an_earlier_comparison_is_replaced_and_no_other_file(tmp_path) -> None:
    found = compare_runs(two_runs())
    path = tmp_path / "new" / "compare.html"
    assert write_page(found, path) == path
    first = path.read_bytes()
    assert write_page(found, path).read_bytes() == first
    # The page of a report names HighwayGraph too.
    for text in ("mine", "<p>Made by HighwayGraph</p>"):
        path.write_text(text)
        with pytest.raises(RunError, match="exists already"):
            write_page(found, path)
        assert path.read_text() == text
    path.unlink()
    path.mkdir()
    with pytest.raises(RunError, match="exists already"):
        check_page(path)
    with pytest.raises(RunError, match="ends in .html"):
        check_page(tmp_path / "nodes.csv")


def test_the_first_run_is_named_by_its_folder_where_it_has_one() -> None:
    found = compare_runs(two_runs()).with_folders({"first": "/tmp/a/run", "second": "b"})
    assert "Every run is compared with the first one, /tmp/a/run." in page(found)
