"""Tests of highway inspect, predict, export and data."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from tests.helpers import example
from tests.helpers.cli import QUICK, run, write_graph
from tests.helpers.graphs import block_graph
from tests.helpers.papers import write_new_papers, write_papers


def test_predict_writes_ids_classes_and_confidences(capsys, tmp_path) -> None:
    source = write_graph(
        tmp_path / "toy.npz", ids=np.array([f"n{i}" for i in range(180)]), classes=np.array(["a", "b", "c"])
    )
    run(capsys, "train", source, "--out", "r", "--no-baseline", *QUICK)
    code, out, _ = run(capsys, "predict", "r")
    assert code == 0
    assert out.splitlines()[0] == "id,class,confidence,label,part,hops,highways,p_a,p_b,p_c"
    assert out.splitlines()[1].startswith("n0,")
    # The run folder has the same values in the columns that it shares.
    stored = list(csv.DictReader((tmp_path / "r" / "predictions.csv").read_text().splitlines()))
    assert list(stored[0]) == ["id", "class", "confidence", "hops", "highways"]
    written = list(csv.DictReader(out.splitlines()))
    assert stored == [{name: row[name] for name in stored[0]} for row in written]
    assert run(capsys, "predict", "r", source, "--out", "p.csv")[0] == 0
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 181


def test_inspect_prints_text_or_json(capsys) -> None:
    assert "5,278" in run(capsys, "inspect", "cora")[1]
    assert json.loads(run(capsys, "inspect", "cora", "--json")[1])["edges"] == 5278


def test_names_from_data_are_not_parsed_as_markup(capsys, tmp_path) -> None:
    source = write_graph(tmp_path / "toy.npz", classes=np.array(["[/a]", "[red]", ":smile:"]))
    code, out, _ = run(capsys, "inspect", source)
    assert code == 0
    assert all(name in out for name in ("[/a]", "[red]", ":smile:"))
    assert "Saved to runs/[bold]x" in run(capsys, "train", source, "--out", "runs/[bold]x", *QUICK)[1]


def test_predict_needs_no_labels_and_refuses_unknown_file_types(capsys, tmp_path) -> None:
    run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--out", "r", "--no-baseline", *QUICK)
    data = block_graph()
    np.savez(tmp_path / "new.npz", x=data.x.numpy(), edge_index=data.edge_index.numpy())
    code, out, _ = run(capsys, "predict", "r", "new.npz", "--json")
    assert code == 0
    assert len(json.loads(out)["predictions"]) == 180
    assert run(capsys, "predict", "r", "--out", "p.xlsx")[0] == 2


def test_from_two_tables_to_predictions(capsys, tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    folder = write_papers(tmp_path / "papers")
    names = ("--label", "topic")
    code, out, _ = run(capsys, "inspect", folder, *names)
    assert code == 0
    assert "text, its words hashed into 512" in out
    assert "1 edge to ids that no node has (p000 - nobody): left out" in out
    code, out, err = run(capsys, "train", folder, *names, "--train", "10", "--val", "10", "--out", "runs/x", *QUICK)
    assert (code, len(err.splitlines())) == (0, 3)
    assert "papers: 180 nodes, 30 train / 30 val / 75 test" in out
    run(capsys, "predict", "runs/x", "--out", "p.csv")
    lines = Path("p.csv").read_text().splitlines()
    assert lines[0] == "id,class,confidence,label,part,hops,highways,p_topic 0,p_topic 1,p_topic 2"
    assert lines[1].startswith("p000,topic ")
    # The same tables read as another graph give the same features, and so nearly the same predictions.
    run(capsys, "predict", "runs/x", folder, "--out", "q.csv")
    classes = [[line.split(",")[1] for line in Path(p).read_text().splitlines()[1:]] for p in ("p.csv", "q.csv")]
    assert sum(a == b for a, b in zip(*classes, strict=True)) > 140


def test_export_prints_the_files_written(capsys, tmp_path) -> None:
    pytest.importorskip("networkx", reason="networkx is not installed")
    run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--out", "runs/x", *QUICK)
    assert run(capsys, "export", "runs/x", "--to", "graphml")[1] == "runs/x/export.graphml\n"
    found = json.loads(run(capsys, "export", "runs/x", "--to", "csv", "--out", "mine", "--json")[1])
    assert found == {"paths": ["mine/nodes.csv", "mine/edges.csv"]}
    assert run(capsys, "export", "runs/x", "--to", "xlsx")[0] == 2


def test_new_nodes_are_attached_to_the_graph_of_a_run(capsys, tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    folder, more = write_papers(tmp_path / "papers", "label"), write_new_papers(tmp_path / "new")
    run(capsys, "train", folder, "--train", "10", "--val", "10", "--out", "runs/x", *QUICK)
    code, out, err = run(capsys, "predict", "runs/x", more, "--attach")
    assert (code, err) == (0, "")
    rows = [line.split(",") for line in out.splitlines()]
    assert rows[0][:4] == ["id", "class", "confidence", "hops"]
    assert [(row[0], row[1]) for row in rows[1:3]] == [("n0", "topic 0"), ("n1", "topic 0")]
    # The third has no edge, and so no path to a label.
    assert [row[0] for row in rows[1:] if row[3] == ""] == ["n2"]
    code, _, err = run(capsys, "predict", "runs/x", folder, "--attach")
    assert (code, "All of these nodes are in the graph already" in err) == (2, True)
    code, _, err = run(capsys, "predict", "runs/x", "--attach")
    assert (code, "--attach needs the new nodes" in err) == (2, True)
    # Without --attach, the run's nodes are unknown.
    code, _, err = run(capsys, "predict", "runs/x", more)
    assert (code, "None of the 8 edges joins two known nodes" in err) == (2, True)


def test_attach_needs_a_run_that_was_read_from_tables(capsys, tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--out", "runs/x", *QUICK)
    code, _, err = run(capsys, "predict", "runs/x", write_new_papers(tmp_path / "new"), "--attach")
    assert (code, "was not read from tables" in err) == (2, True)


def test_a_converted_graph_is_inspected_trained_and_predicted(capsys, tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    folder = write_papers(tmp_path / "papers", "label")
    code, out, err = run(capsys, "data", "convert", folder, "big")
    assert (code, out.strip()) == (0, "Written to big: 180 nodes, 491 edges, 517 features")
    assert "1 edge to ids that no node has" in err
    code, out, _ = run(capsys, "inspect", "big")
    # Lines are wrapped at the width of the terminal.
    text = " ".join(out.split())
    assert (code, "491 undirected" in text, "adjusted for class sizes" in text) == (0, True, True)
    words = ("train", "big", "--train", "10", "--val", "10", *QUICK)
    for name, more in (("whole", ()), ("batches", ("--fit.batch_size", "8", "--fit.num_neighbors", "5", "5"))):
        code, out, _ = run(capsys, *words, *more, "--out", f"runs/{name}")
        assert (code, "big: 180 nodes, 30 train / 30 val / 75 test" in out) == (0, True)
    code, out, _ = run(capsys, "predict", "runs/batches")
    assert (code, out.splitlines()[1].startswith("p000,topic 0,")) == (0, True)
    assert run(capsys, "predict", "runs/batches", "big", "--out", "p.csv")[0] == 0
    code, out, _ = run(capsys, "predict", "runs/batches", write_new_papers(tmp_path / "new"), "--attach")
    assert (code, out.splitlines()[1].split(",")[:2]) == (0, ["n0", "topic 0"])
    assert run(capsys, "report", "runs/batches")[0] == 0
    assert run(capsys, "export", "runs/batches", "--out", "improved")[0] == 0
    Path("big").rename("moved")
    code, _, err = run(capsys, "predict", "runs/batches")
    assert (code, "no longer in" in err) == (2, True)


def test_an_export_leaves_the_run_as_it_was(capsys, tmp_path) -> None:
    example.run().save("r")
    code, out, _ = run(capsys, "export", "r", "--to", "pt-safe")
    assert (code, out) == (0, "r/export.safetensors\n")
    assert run(capsys, "verify", "r")[0] == 0
    for words in (
        ("export", "r", "--to", "pt-safe", "--out", "r/graph.safetensors"),
        ("predict", "r", "--out", "r/predictions.csv"),
    ):
        code, _, err = run(capsys, *words)
        assert (code, "is a file of the run in r: choose another name with --out" in err) == (2, True)
    assert run(capsys, "verify", "r")[0] == 0


def test_no_export_follows_a_link_inside_a_run(capsys, tmp_path) -> None:
    example.run().save("r")
    Path("elsewhere").mkdir()
    Path("elsewhere/nodes.csv").write_text("mine")
    Path("r/export-csv").symlink_to(tmp_path / "elsewhere")
    Path("r/export.npz").symlink_to(tmp_path / "elsewhere" / "nodes.csv")
    code, _, err = run(capsys, "export", "r")
    assert (code, "r/export-csv is a link inside a run folder" in err) == (2, True)
    assert run(capsys, "export", "r", "--to", "npz")[0] == 0
    assert {path.name: path.read_text() for path in Path("elsewhere").iterdir()} == {"nodes.csv": "mine"}
    # A folder of the user may be a link.
    Path("mine").symlink_to(tmp_path / "elsewhere")
    assert run(capsys, "export", "r", "--out", "mine")[0] == 2
    Path("elsewhere/nodes.csv").unlink()
    assert run(capsys, "export", "r", "--out", "mine")[0] == 0
