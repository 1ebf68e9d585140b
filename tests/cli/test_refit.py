"""`highway train --refit` and `--val 0`: folds, a model of all labels, and predictions by it."""

import csv
import io
import json
from pathlib import Path

import pytest

import highwaygraph as hg
from highwaygraph.cli.app import run
from tests.helpers.graphs import unsplit_graph

QUICK = ["--preset", "full", "--hidden", "8", "--fit.epochs", "8", "--highway.rounds", "2", "--folds", "2"]


@pytest.fixture
def source(tmp_path: Path) -> str:
    data = unsplit_graph()
    rows = "\n".join(
        f"{n},{c},{','.join(f'{v:.3f}' for v in data.x[n].tolist())}" for n, c in enumerate(data.y.tolist())
    )
    names = ",".join(f"f{i}" for i in range(12))
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "nodes.csv").write_text(f"id,label,{names}\n{rows}\n")
    edges = "\n".join(f"{a},{b}" for a, b in data.edge_index.T.tolist())
    (tmp_path / "mine" / "edges.csv").write_text(f"source,target\n{edges}\n")
    return str(tmp_path / "mine")


def test_all_labels_train_and_folds_give_the_scores(capsys, source: str, tmp_path: Path) -> None:
    assert run(["train", source, *QUICK, "--refit", "--out", "a"]) == 0
    text = capsys.readouterr().out
    assert "180 train / 0 val / 0 test" in text
    assert "Accuracy by folds:" in text
    assert "trained on all 180 labels" in text
    result = hg.open_run("a")
    assert result.folds is not None
    assert run(["predict", "a", "--coverage", "0.9"]) == 0
    shown = capsys.readouterr()
    rows = list(csv.DictReader(io.StringIO(shown.out)))
    assert [row["class"] for row in rows] == [str(c) for c in result.predict().tolist()]
    assert {row["part"] for row in rows} == {"train"}
    assert "All: 180 nodes" in shown.err
    assert not list(tmp_path.glob("*.unfinished"))


def test_a_finished_run_is_shown_again(capsys, source: str) -> None:
    command = ["train", source, *QUICK, "--refit", "--out", "a", "--json"]
    assert run(command) == 0
    first = json.loads(capsys.readouterr().out)
    assert first["evaluated_on"] == "out-of-fold"
    assert len(first["folds"]["each"]) == 2
    assert run([*command, "--resume"]) == 0
    again = json.loads(capsys.readouterr().out)
    assert again["folds"] == first["folds"]
    assert again["test"] == first["test"]
    assert run([*command[:-3], "--out", "a", "--resume", "--folds", "3"]) == 2
    assert "other options" in capsys.readouterr().err


def test_without_validation_nodes_the_others_test(capsys, source: str) -> None:
    assert run(["train", source, *QUICK, "--train", "10", "--val", "0", "--out", "a", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["evaluated_on"] == "test"
    data = hg.open_run("a").data
    assert [int(data[f"{part}_mask"].sum()) for part in ("train", "val", "test")] == [30, 0, 150]


def test_a_graph_on_disk_is_refused(capsys, source: str) -> None:
    assert run(["data", "convert", source, "graph"]) == 0
    assert run(["train", "graph", *QUICK, "--refit"]) == 2
    assert "on disk" in capsys.readouterr().err
