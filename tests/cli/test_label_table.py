"""Tests of commands on tables with several labels per node."""

import json

import pytest

from highwaygraph import open_run
from tests.helpers.cli import QUICK, run
from tests.helpers.label_graphs import write_label_tables

LABELS = ("--label", "topics", "--label-separator", ";")
SIZES = ("--train", "10", "--val", "10")


def test_train_prints_scores_and_predict_writes_a_table(capsys, tmp_path) -> None:
    folder = write_label_tables(tmp_path / "papers")
    code, out, err = run(capsys, "train", folder, *LABELS, *SIZES, "--out", "r", *QUICK)
    assert code == 0
    assert "do not carry over and are left out" in err
    for words in ("Micro-F1", "Subset accuracy", "Mean average precision", "Typical %", "label frequency", "Threshold"):
        assert words in out
    assert "F1 per node: " in out
    assert "highway report" not in out
    code, out, _ = run(capsys, "predict", "r", "--out", "predictions.csv")
    head, first, *_ = (tmp_path / "predictions.csv").read_text().splitlines()
    assert head == "id,labels,known,part,hops,p_art,p_biology,p_chemistry,p_design"
    assert first.startswith("n0,")
    # A finished run is reopened, with the config that leaves out what does not carry over.
    code, out, _ = run(capsys, "train", folder, *LABELS, *SIZES, "--out", "r", "--resume", "--json", *QUICK)
    assert code == 0
    assert json.loads(out)["test"] == pytest.approx(open_run("r").test)
    # New nodes are attached to the graph, and other tables are read by the columns of the run.
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "nodes.csv").write_text("id,a,b,c,d,e,f\nx1,0,0,0,0,0,0\n")
    (tmp_path / "new" / "edges.csv").write_text("source,target\nx1,n3\n")
    code, out, _ = run(capsys, "predict", "r", "new", "--attach")
    assert (code, out.splitlines()[1].split(",")[0]) == (0, "x1")
    code, out, _ = run(capsys, "predict", "r", folder)
    assert (code, len(out.splitlines())) == (0, 241)


@pytest.mark.parametrize(
    "command",
    [
        ("train", "--refit"),
        ("train", "--val", "0"),
        ("train", "--model", "auto"),
        ("train", "--fit.threshold", "f1"),
        ("suggest",),
    ],
)
def test_other_commands_refuse_in_one_sentence(capsys, tmp_path, command) -> None:
    folder = write_label_tables(tmp_path / "papers")
    code, _, err = run(capsys, command[0], folder, *command[1:], *LABELS)
    assert code == 2
    assert "not supported for several labels per node" in err


def test_without_a_split_one_is_drawn_and_a_gcn_trained(capsys, tmp_path) -> None:
    folder = write_label_tables(tmp_path / "papers")
    code, _, err = run(capsys, "train", folder, *LABELS, "--out", "r", "--json", "--preset", "consistent", *QUICK)
    assert code == 0
    assert "folds" not in err
    result = open_run("r")
    assert result.model.network.model == "gcn"
    assert result.folds is None


def test_a_column_with_semicolons_is_not_taken_for_several_labels(capsys, tmp_path) -> None:
    folder = write_label_tables(tmp_path / "papers")
    code, out, _ = run(capsys, "inspect", folder, "--label", "topics")
    assert code == 0
    # Long lines are folded at the width of the terminal.
    assert "--label-separator ';'" in " ".join(out.split())
    assert "several per node" not in out.split("Findings", maxsplit=1)[0]
