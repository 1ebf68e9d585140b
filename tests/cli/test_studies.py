"""Tests of highway study and highway report."""

import hashlib
import json
import sys
from pathlib import Path

import pytest

from highwaygraph import open_run
from tests.helpers.cli import QUICK, run, write_graph

GRID = """
title = "A toy"
protocol = "public"
baseline = {{ preset = "typical" }}
options = {{ "fit.epochs" = 5 }}
paper = [{{ preset = "full", mean = 99.9, deviation = 0.1 }}]
grid = {{ dataset = ["{path}"], model = ["gcn"], preset = ["typical", "full"], split = [0], seed = [0, 1] }}
"""


def test_study_runs_a_grid_and_prints_the_papers_numbers(capsys, tmp_path) -> None:
    Path("toy.toml").write_text(GRID.format(path=write_graph(tmp_path / "toy.npz")))
    code, out, _ = run(capsys, "study", "toy.toml", "--workers", "1", "--cells", "seed=0")
    assert code == 0
    assert "99.9 ± 0.1" in out
    assert len(Path("results/toy.jsonl").read_text().splitlines()) == 2
    rows = json.loads(run(capsys, "study", "toy.toml", "--workers", "1", "--json")[1])["rows"]
    assert [(row["setting"]["preset"], row["runs"]) for row in rows] == [("typical", 2), ("full", 2)]
    assert rows[1]["standard_error"] is not None


def test_study_lists_the_shipped_studies(capsys) -> None:
    assert "table1" in run(capsys, "study", "--list")[1]
    found = json.loads(run(capsys, "study", "--list", "--json")[1])["studies"]
    table1 = next(study for study in found if study["name"] == "table1")
    assert table1["cells"] == 720
    assert 0 <= table1["done"] <= 720


def test_study_expected_what_it_did_not_understand(capsys) -> None:
    assert "Did you mean 'table1'" in run(capsys, "study", "tabel1")[2]
    assert "AXIS=VALUE" in run(capsys, "study", "table1", "--cells", "cora")[2]


@pytest.mark.slow
def test_report_of_a_run(capsys, tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--out", "runs/x", *QUICK)
    code, out, err = run(capsys, "report", "runs/x", "--figures", "figures")
    assert (code, err) == (0, "")
    assert "Page: runs/x/report.html" in out
    text = Path("runs/x/report.html").read_text(encoding="utf-8")
    assert f"{100 * open_run('runs/x').test:.1f} %" in text
    names = {path.stem for path in Path("figures").iterdir()}
    assert {"hops", "confusion", "confusion-typical", "candidates", "layer", "graph"} <= names
    assert len(list(Path("figures").iterdir())) == 3 * len(names)
    words = ("--out", "page.html", "--check-first", "check.csv", "--json")
    for _ in range(2):
        # The second time replaces the files of the first.
        found = json.loads(run(capsys, "report", "runs/x", *words)[1])
    assert found == {"page": "page.html", "figures": [], "check_first": "check.csv"}
    assert Path("check.csv").read_text(encoding="utf-8").startswith("id,reason,")
    assert Path("page.html").exists()


def test_report_of_a_study(capsys, tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    Path("toy.toml").write_text(GRID.format(path=write_graph(tmp_path / "toy.npz")))
    code, _, err = run(capsys, "report", "toy.toml")
    assert (code, "run highway study toy.toml first" in err) == (2, True)
    run(capsys, "study", "toy.toml", "--workers", "1")
    code, out, _ = run(capsys, "report", "toy.toml")
    assert (code, out) == (0, "Page: results/toy.html\n")
    assert "99.9 ± 0.1" in Path("results/toy.html").read_text(encoding="utf-8")


def test_report_refuses_what_is_no_run_and_no_study(capsys, monkeypatch) -> None:
    assert "runs/none is no run folder" in run(capsys, "report", "runs/none")[2]
    assert "Did you mean 'table1'" in run(capsys, "report", "tabel1")[2]
    monkeypatch.setitem(sys.modules, "highwaygraph.report.run_page", None)
    code, _, err = run(capsys, "report", "table1")
    assert (code, "pip install 'highwaygraph[report]'" in err) == (2, True)


def test_report_verifies_every_checksum_once(capsys, tmp_path, monkeypatch) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--out", "runs/x", *QUICK)
    files, original = [], hashlib.file_digest

    def counted(file, digest):
        files.append(Path(file.name).name)
        return original(file, digest)

    monkeypatch.setattr(hashlib, "file_digest", counted)
    assert run(capsys, "report", "runs/x")[0] == 0
    listed = [line.split()[1] for line in Path("runs/x/SHA256SUMS").read_text().splitlines()]
    assert sorted(files) == sorted(listed)
