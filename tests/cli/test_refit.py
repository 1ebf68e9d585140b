"""`highway train --refit` and `--val 0`: folds, a model of all labels, and predictions by it."""

import csv
import io
import json
from pathlib import Path

import pytest

import highwaygraph as hg
from tests.helpers.cli import run
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
    code, text, err = run(capsys, "train", source, *QUICK, "--refit", "--out", "a")
    assert code == 0, err
    assert "180 train / 0 val / 0 test" in text
    assert "Mean accuracy of the folds:" in text
    assert "trained on all 180 labels" in text
    result = hg.open_run("a")
    assert result.folds is not None
    code, out, err = run(capsys, "predict", "a", "--coverage", "0.9")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["class"] for row in rows] == [str(c) for c in result.predict().tolist()]
    assert {row["part"] for row in rows} == {"train"}
    assert "All: 180 nodes" in err
    assert not list(tmp_path.glob("*.unfinished"))


@pytest.mark.slow
def test_a_finished_run_is_shown_again(capsys, source: str) -> None:
    command = ["train", source, *QUICK, "--refit", "--out", "a", "--json"]
    first = json.loads(run(capsys, *command)[1])
    assert first["evaluated_on"] == "out-of-fold"
    assert len(first["folds"]["each"]) == 2
    again = json.loads(run(capsys, *command, "--resume")[1])
    assert again["folds"] == first["folds"]
    assert again["test"] == first["test"]
    # The last two words of QUICK are the number of folds.
    code, _, err = run(capsys, "train", source, *QUICK[:-1], "3", *command[2 + len(QUICK) :], "--resume")
    assert code == 2
    assert "other options" in err


@pytest.mark.slow
def test_without_validation_nodes_the_others_test(capsys, source: str) -> None:
    _, out, _ = run(capsys, "train", source, *QUICK, "--train", "10", "--val", "0", "--out", "a", "--json")
    assert json.loads(out)["evaluated_on"] == "test"
    data = hg.open_run("a").data
    assert [int(data[f"{part}_mask"].sum()) for part in ("train", "val", "test")] == [30, 0, 150]


def with_labels(source: str, counts: tuple[int, int, int]) -> str:
    """Keep so many labels of each class in the table."""
    rows = Path(source, "nodes.csv").read_text().splitlines()
    left = dict(zip("012", counts, strict=True))
    kept = rows[:1]
    for row in rows[1:]:
        node, label, values = row.split(",", 2)
        left[label] -= 1
        kept.append(f"{node},{label if left[label] >= 0 else ''},{values}")
    Path(source, "nodes.csv").write_text("\n".join(kept))
    return source


@pytest.mark.parametrize(
    ("counts", "sentence"),
    [
        (
            (3, 3, 3),
            "the scores come from 3 folds, the most that the labels allow instead of 5, then all 9 labels train",
        ),
        ((9, 9, 1), "1 class has fewer labels than folds: some folds hold out none of it."),
        ((4, 2, 1), "2 classes have fewer labels than folds: some folds hold out none of them."),
    ],
)
def test_few_labels_have_the_folds_that_they_allow(capsys, source: str, counts, sentence) -> None:
    words = ["train", with_labels(source, counts), "--label", "label", *QUICK[:-2], "--out", "a"]
    code, text, err = run(capsys, *words)
    assert code == 0, err
    assert sentence in err
    assert f"{sum(counts)} train / 0 val / 0 test" in text
    code, _, err = run(capsys, "predict", "a", "--coverage", "0.9")
    too_few = f"Every set holds all classes: a coverage of 90 % needs 9 held-out labels, and there are {sum(counts)}."
    assert (code, too_few in err) == (0, sum(counts) < 9)


def test_labels_that_allow_no_folds_have_a_split_or_are_refused(capsys, source: str) -> None:
    words = ["train", with_labels(source, (2, 2, 2)), "--label", "label", *QUICK, "--out", "a"]
    code, text, err = run(capsys, *words)
    assert (code, "3 train / 3 val / 0 test" in text) == (0, True), err
    assert "No labelled node is left for test: label more nodes for an accuracy." in text
    code, _, err = run(capsys, *words, "--refit", "--force")
    assert code == 2
    assert "6 labels to train on, at most 2 of a class, are too few for folds" in err


def test_a_graph_on_disk_is_refused(capsys, source: str) -> None:
    assert run(capsys, "data", "convert", source, "graph")[0] == 0
    code, _, err = run(capsys, "train", "graph", *QUICK, "--refit")
    assert code == 2
    assert "on disk" in err
