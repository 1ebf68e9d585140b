"""`highway compare`: tables, JSON and a page of several run folders."""

import json
import os
from pathlib import Path

import pytest

from tests.helpers.cli import run
from tests.helpers.compared import two_runs, with_data


@pytest.fixture
def folders(tmp_path) -> list[str]:
    return [str(result.save(tmp_path / "runs" / name)) for name, result in two_runs().items()]


def test_compare_prints_tables_or_json(capsys, folders) -> None:
    code, out, err = run(capsys, "compare", *folders)
    assert (code, err) == (0, "")
    assert "second beside first: +5.0 points on 120 test nodes" in out
    assert "19 of 180" in out
    code, out, _ = run(capsys, "compare", *folders, "--json")
    found = json.loads(out)
    assert code == 0
    assert [row["name"] for row in found["runs"]] == ["first", "second"]
    assert (found["changes"][0]["became_right"], found["changes"][0]["became_wrong"]) == (10, 4)
    assert found["options"] == {"fit.lr": {"first": 0.01, "second": 0.5}}
    assert [row["folder"] for row in found["runs"]] == folders
    nodes = found["changes"][0]["predictions"]
    assert len(nodes) == 19
    assert {"id", "class", "confidence", "label", "hops", "first_class", "first_confidence"} <= set(nodes[0])
    assert found["hops"][-1]["gains"]["second"]["points"] == pytest.approx(5.0)


def test_the_changed_nodes_are_written(capsys, folders) -> None:
    for _ in range(2):
        code, out, _ = run(capsys, "compare", *folders, "--changed", "changed.csv")
        assert code == 0
        assert out.endswith("Nodes whose prediction changed: changed.csv\n")
        assert len(Path("changed.csv").read_text().splitlines()) == 20
    found = json.loads(run(capsys, "compare", *folders, "--changed", "changed.csv", "--json")[1])
    assert found["changed"] == "changed.csv"


def test_a_page_is_written_beside_the_tables(capsys, folders) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    code, out, _ = run(capsys, "compare", *folders, "--out", "compare.html")
    assert code == 0
    assert out.endswith("Page: compare.html\n")
    assert "second beside first: +5.0 points" in Path("compare.html").read_text()
    assert json.loads(run(capsys, "compare", *folders, "--out", "compare.html", "--json")[1])["page"] == "compare.html"


def test_a_run_on_another_graph_has_a_sentence(capsys, folders) -> None:
    second = two_runs()["second"]
    other = with_data(second, x=second.data.x + 1).save("other")
    code, out, _ = run(capsys, "compare", folders[0], str(other))
    assert code == 0
    expected = "other is on another graph than first: only accuracies and options are compared."
    assert expected in out
    assert json.loads(run(capsys, "compare", folders[0], str(other), "--json")[1])["notes"] == [expected]


def test_folders_of_one_name_are_named_by_their_paths(capsys, folders) -> None:
    copy = two_runs()["second"].save("again/first")
    found = json.loads(run(capsys, "compare", folders[0], str(copy), "--json")[1])
    assert [row["name"] for row in found["runs"]] == [folders[0], "again/first"]


WRONG = {
    "at least two run folders": ("{0}",),
    "A comparison needs": (),
    "nothing is no run folder": ("{0}", "nothing"),
    "is given twice": ("{0}", "{1}", "runs/../runs/first"),
    "ends in .html": ("{0}", "{1}", "--out", "runs/first/config.json"),
    "mine.html exists already": ("{0}", "{1}", "--out", "mine.html"),
    "mine.csv exists already": ("{0}", "{1}", "--changed", "mine.csv"),
    "written as CSV or Parquet": ("{0}", "{1}", "--changed", "changed.html"),
}


@pytest.mark.parametrize("expected", WRONG)
def test_wrong_calls_are_one_sentence_and_change_no_file(capsys, folders, expected) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    Path("mine.html").write_text("My notes on HighwayGraph.")
    Path("mine.csv").write_text("id,label\n1,mine\n")
    before = Path(folders[0], "config.json").read_bytes()
    code, out, err = run(capsys, "compare", *(word.format(*folders) for word in WRONG[expected]))
    assert (code, out) == (2, "")
    assert expected in err
    assert len(err.strip().splitlines()) == 1
    assert sorted(os.listdir()) == ["mine.csv", "mine.html", "runs"]
    assert Path("mine.html").read_text() == "My notes on HighwayGraph."
    assert Path("mine.csv").read_text() == "id,label\n1,mine\n"
    assert Path(folders[0], "config.json").read_bytes() == before
