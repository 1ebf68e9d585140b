"""`highway suggest`: from data or a run to a table, JSON or a file that is never replaced by accident."""

import csv
import json
from pathlib import Path
from typing import get_args

import numpy as np

from highwaygraph.cli.suggest import Strategy
from highwaygraph.labelling.strategies import STRATEGIES
from tests.helpers.cli import QUICK, run, write_graph
from tests.helpers.graphs import block_graph


def partly_labelled(path: Path) -> str:
    y = block_graph().y.numpy().copy()
    y[np.arange(len(y)) % 15 > 0] = -1
    nothing = np.zeros(len(y), dtype=bool)
    return write_graph(path, y=y, train_mask=nothing, val_mask=nothing, test_mask=nothing)


def without_y(path: Path) -> str:
    write_graph(path)
    with np.load(path) as arrays:
        kept = {name: arrays[name] for name in ("x", "edge_index")}
    np.savez(path, **kept)
    return str(path)


def test_the_strategies_of_the_command_are_those_of_the_library() -> None:
    assert get_args(Strategy) == tuple(STRATEGIES)


def test_suggest_prints_a_table_or_json(capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "300")
    data = partly_labelled(tmp_path / "graph.npz")
    code, out, _ = run(capsys, "suggest", data, "-n", "4")
    assert code == 0
    assert len(out.splitlines()) == 5
    code, out, _ = run(capsys, "suggest", data, "-n", "4", "--json", "--seed", "3")
    found = json.loads(out)
    assert (code, found["strategy"], len(found["suggestions"])) == (0, "auto", 4)
    assert set(found["suggestions"][0]) >= {"id", "score", "reason", "covered", "hops", "predicted"}
    assert all(row["id"] % 15 for row in found["suggestions"])
    assert out == run(capsys, "suggest", data, "-n", "4", "--json", "--seed", "3")[1]


def test_a_graph_without_labels_is_a_cold_start_but_no_graph_to_train_on(capsys, tmp_path) -> None:
    data = without_y(tmp_path / "graph.npz")
    code, out, _ = run(capsys, "suggest", data, "-n", "3", "--json")
    assert code == 0
    assert {block_graph().y[row["id"]].item() for row in json.loads(out)["suggestions"]} == {0, 1, 2}
    assert run(capsys, "train", data)[0] == 2


def test_tables_without_a_label_column_are_read_with_their_ids(capsys, tmp_path) -> None:
    Path("nodes.csv").write_text("id,size\n" + "".join(f"n{i},{i % 3}\n" for i in range(12)))
    Path("edges.csv").write_text("source,target\n" + "".join(f"n{i},n{(i + 1) % 12}\n" for i in range(12)))
    code, out, err = run(capsys, "suggest", ".", "-n", "2", "--json")
    assert code == 0
    assert all(row["id"].startswith("n") for row in json.loads(out)["suggestions"])
    sentence = "No column holds labels: name it with --label where there is one (read as features: 'size').\n"
    assert err.endswith(sentence)
    code, _, err = run(capsys, "suggest", ".", "-n", "2", "--json", "--label", "size")
    assert (code, "All 12 nodes are labelled" in err, sentence in err) == (2, True, False)


def test_a_file_is_written_and_replaced_only_by_force(capsys, tmp_path) -> None:
    data = partly_labelled(tmp_path / "graph.npz")
    assert run(capsys, "suggest", data, "-n", "3", "--out", "next.csv")[:2] == (0, "Written to next.csv\n")
    first = Path("next.csv").read_text()
    rows = list(csv.DictReader(first.splitlines()))
    assert list(rows[0]) == ["id", "score", "reason", "covered", "hops"]
    assert len(rows) == 3
    code, _, err = run(capsys, "suggest", data, "-n", "5", "--out", "next.csv")
    assert code == 2
    assert "next.csv exists already: choose another name with --out, or replace it with --force." in err
    assert Path("next.csv").read_text() == first
    assert run(capsys, "suggest", data, "-n", "5", "--out", "next.csv", "--force")[0] == 0
    assert len(Path("next.csv").read_text().splitlines()) == 6


def test_force_replaces_no_file_of_another_kind(capsys, tmp_path) -> None:
    data = partly_labelled(tmp_path / "graph.npz")
    Path("mine.csv").write_text("my,own\n1,2\n")
    code, _, err = run(capsys, "suggest", data, "--out", "mine.csv", "--force")
    assert code == 2
    assert "is no earlier output" in err
    assert Path("mine.csv").read_text() == "my,own\n1,2\n"


def test_a_run_adds_predictions(capsys, tmp_path) -> None:
    data = write_graph(tmp_path / "graph.npz")
    assert run(capsys, "train", data, *QUICK, "--preset", "full", "--out", "run")[0] == 0
    code, out, _ = run(capsys, "suggest", "run", "-n", "4", "--labels", "train", "--json", "--strategy", "entropy")
    assert code == 0
    assert all(row["predicted"] in "012" and 0 < row["confidence"] <= 1 for row in json.loads(out)["suggestions"])
    code, _, err = run(capsys, "suggest", "run", "--label", "y")
    assert code == 2
    assert "--label is for tables, and run is a run: leave it out." in err


def test_bad_input_is_one_sentence(capsys, tmp_path) -> None:
    data = partly_labelled(tmp_path / "graph.npz")
    code, _, err = run(capsys, "suggest", data, "-n", "1000")
    assert code == 2
    assert "1,000 suggestions are more than the 168 nodes without a label" in err
    code, _, err = run(capsys, "suggest", write_graph(tmp_path / "whole.npz"))
    assert code == 2
    assert "--labels train" in err
    assert run(capsys, "suggest", data, "-n", "0")[0] == 2
    assert run(capsys, "suggest", data, "--strategy", "best")[0] == 2
    assert run(capsys, "suggest", "nowhere.npz")[0] == 2
    code, _, err = run(capsys, "suggest", data, "--strategy", "entropy")
    assert code == 2
    assert "needs predictions" in err
