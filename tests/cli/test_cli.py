"""The command line as a person or a program meets it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import highwaygraph as hg
from highwaygraph import cli, open_run
from highwaygraph.cli import loading
from tests.helpers.graphs import block_graph
from tests.helpers.papers import write_new_papers, write_papers


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every command runs in an empty folder, so that a stray file is seen."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as ended:
        cli.main(list(words))
    out, err = capsys.readouterr()
    return int(ended.value.code or 0), out, err


def toy(path: Path, **changes: object) -> str:
    data = block_graph()
    arrays = {name: data[name].numpy() for name in ("x", "edge_index", "y", "train_mask", "val_mask", "test_mask")}
    np.savez(path, **(arrays | changes))
    return str(path)


QUICK = ("--fit.epochs", "15", "--fit.device", "cpu")


def test_train_shows_rounds_hops_and_where_it_saved(capsys, tmp_path) -> None:
    code, out, err = run(capsys, "train", toy(tmp_path / "toy.npz"), "--out", "runs/x", *QUICK)
    assert (code, err) == (0, "")
    assert "Round" in out
    assert "Stopped:" in out
    assert "Typical %" in out
    assert "unreachable" in out
    assert "Saved to runs/x" in out
    assert open_run("runs/x").config.fit.epochs == 15


def test_json_is_one_document(capsys, tmp_path) -> None:
    code, out, _ = run(capsys, "train", toy(tmp_path / "toy.npz"), "--json", "--seed", "3", *QUICK)
    facts = json.loads(out)
    assert code == 0
    assert {"rounds", "hops", "stopped", "path", "typical", "test", "val", "kept", "highways"} <= facts.keys()
    saved = open_run(facts["path"])
    assert saved.config.seed == 3
    assert facts["test"] == saved.test
    assert len(facts["rounds"]) == len(saved.rounds)


def test_options_change_the_preset_and_nothing_else(capsys, tmp_path) -> None:
    words = ("--preset", "without-joint", "--model", "sage", "--hidden", "32", "--highway.rounds", "2")
    assert run(capsys, "train", toy(tmp_path / "toy.npz"), "--out", "r", *words, *QUICK)[0] == 0
    saved = open_run("r")
    assert saved.config.highway.rounds == 2
    assert saved.config.highway.joint is False
    assert saved.model.network.model == "sage"
    assert saved.model.network.hidden == 32


def test_a_random_split_is_drawn_on_request(capsys, tmp_path) -> None:
    words = ("--split", "random", "--train", "4", "--val", "6", "--split-seed", "1", "--no-baseline")
    assert run(capsys, "train", toy(tmp_path / "toy.npz"), "--out", "r", *words, *QUICK)[0] == 0
    data = open_run("r").data
    assert [int(data[f"{name}_mask"].sum()) for name in ("train", "val", "test")] == [12, 18, 150]


def test_predict_writes_ids_classes_and_confidences(capsys, tmp_path) -> None:
    source = toy(tmp_path / "toy.npz", ids=np.array([f"n{i}" for i in range(180)]), classes=np.array(["a", "b", "c"]))
    run(capsys, "train", source, "--out", "r", "--no-baseline", *QUICK)
    code, out, _ = run(capsys, "predict", "r")
    assert code == 0
    assert out.splitlines()[0] == "id,class,confidence,hops,highways"
    assert out.splitlines()[1].startswith("n0,")
    assert out == (tmp_path / "r" / "predictions.csv").read_text()
    assert run(capsys, "predict", "r", source, "--out", "p.csv")[0] == 0
    assert len((tmp_path / "p.csv").read_text().splitlines()) == 181


def test_inspect_speaks_both_languages(capsys) -> None:
    assert "5,278" in run(capsys, "inspect", "cora")[1]
    assert json.loads(run(capsys, "inspect", "cora", "--json")[1])["edges"] == 5278


def test_an_existing_run_needs_force_or_resume(capsys, tmp_path) -> None:
    words = ("train", toy(tmp_path / "toy.npz"), "--out", "r", "--no-baseline", *QUICK)
    assert run(capsys, *words)[0] == 0
    before = open_run("r").logits
    code, _, err = run(capsys, *words)
    assert (code, "exists already" in err) == (2, True)
    assert run(capsys, *words, "--resume")[0] == 0
    assert run(capsys, *words, "--resume", "--seed", "9")[0] == 2
    assert run(capsys, *words, "--force")[0] == 0
    assert torch.equal(open_run("r").logits, before)


X = block_graph().x.numpy()
Y = block_graph().y.numpy()
MASK = block_graph().train_mask.numpy()
BAD_FILES = {
    "NaN or infinite": {"x": np.where(np.arange(X.size).reshape(X.shape) == 5, np.nan, X)},
    "overlap in 30 of 180 nodes": {"val_mask": MASK},
    "below -1": {"y": np.where(Y == 2, -7, Y)},
    "nodes that do not exist": {"edge_index": np.array([[0, 3], [1, 180]])},
    "val_mask is empty": {"val_mask": np.zeros(180, dtype=bool)},
}


@pytest.mark.parametrize("says", BAD_FILES)
def test_bad_files_get_one_sentence(capsys, tmp_path, says) -> None:
    source = toy(tmp_path / "bad.npz", **BAD_FILES[says])
    code, out, err = run(capsys, "train", source, *QUICK)
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.strip().splitlines()) == 1
    assert os.listdir(tmp_path) == ["bad.npz"]


BAD_WORDS = {
    "Did you mean 'cora'?": ("train", "coar"),
    "Did you mean 'gcn'?": ("train", "--model", "gcm"),
    "Did you mean 'full'?": ("train", "--preset", "fulll"),
    "Did you mean --fit.lr?": ("train", "--fit.lrr", "1"),
    'Did you mean "train"?': ("trian",),
    "lr should be greater than 0": ("train", "--fit.lr", "-1"),
    "fewer than the 500 + 30 asked for": ("train", "--split", "random", "--train", "500"),
    "Choose another folder": ("train", "--out", "/proc/nowhere/run"),
    "is no run folder": ("predict", "nothing"),
    "missing.npz": ("inspect", "missing.npz"),
}


@pytest.mark.parametrize("says", BAD_WORDS)
def test_bad_words_get_one_sentence_and_leave_no_file(capsys, tmp_path, says) -> None:
    code, out, err = run(capsys, *BAD_WORDS[says])
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.strip().splitlines()) == 1
    assert os.listdir(tmp_path) == []


def test_what_nobody_foresaw_is_a_failure_without_traceback(capsys, monkeypatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the disk melted")

    monkeypatch.setattr(loading, "load", broken)
    code, _, err = run(capsys, "inspect", "cora")
    assert (code, err.strip()) == (1, "RuntimeError: the disk melted (add --debug to see where).")
    with pytest.raises(RuntimeError, match="melted"):
        cli.main(["inspect", "cora", "--debug"])


def test_ctrl_c_is_no_traceback(capsys, monkeypatch, tmp_path) -> None:
    def stop(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(loading, "train", stop)
    code, _, err = run(capsys, "train", "cora")
    assert (code, "the same command begins again" in err) == (130, True)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


def test_help_has_an_example_and_needs_no_torch() -> None:
    script = "import sys; from highwaygraph.cli import app; app.help_print([]); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith("False")
    for words in (["train"], ["inspect"], ["predict"], ["study"], ["data", "get"]):
        shown = subprocess.run(
            [sys.executable, "-m", "highwaygraph", *words, "--help"], capture_output=True, text=True, check=True
        ).stdout
        assert "Example: highway" in shown


def test_typical_beside_it_is_typical_training(capsys, tmp_path) -> None:
    source = toy(tmp_path / "toy.npz")
    facts = json.loads(run(capsys, "train", source, "--preset", "full", "--json", "--fit.device", "cpu")[1])
    data = hg.load(source)
    typical = hg.train(hg.models.build("gcn", data), data, "typical")
    assert facts["typical"]["test"] == typical.test
    assert facts["typical"]["rounds"][0]["epochs"] == typical.rounds[0].epochs


def test_names_from_data_are_text_and_never_markup(capsys, tmp_path) -> None:
    source = toy(tmp_path / "toy.npz", classes=np.array(["[/a]", "[red]", ":smile:"]))
    code, out, _ = run(capsys, "inspect", source)
    assert code == 0
    assert all(name in out for name in ("[/a]", "[red]", ":smile:"))
    assert "Saved to runs/[bold]x" in run(capsys, "train", source, "--out", "runs/[bold]x", *QUICK)[1]


def test_one_of_several_splits(capsys, tmp_path) -> None:
    data = block_graph()
    masks = {
        n: np.stack([data[n].numpy(), np.roll(data[n].numpy(), 1)], 1) for n in ("train_mask", "val_mask", "test_mask")
    }
    source = toy(tmp_path / "toy.npz", **masks)
    assert "2 splits, the first with 30 train / 30 val / 120 test" in run(capsys, "inspect", source)[1]
    assert run(capsys, "train", source, "--split-column", "1", "--out", "r", "--no-baseline", *QUICK)[0] == 0
    assert open_run("r").data.train_mask.tolist() == masks["train_mask"][:, 1].tolist()
    assert "columns 0 to 1" in run(capsys, "train", source, "--split-column", "7", *QUICK)[2]


def test_predict_needs_no_labels_and_knows_its_kinds_of_files(capsys, tmp_path) -> None:
    run(capsys, "train", toy(tmp_path / "toy.npz"), "--out", "r", "--no-baseline", *QUICK)
    data = block_graph()
    np.savez(tmp_path / "new.npz", x=data.x.numpy(), edge_index=data.edge_index.numpy())
    code, out, _ = run(capsys, "predict", "r", "new.npz", "--json")
    assert code == 0
    assert len(json.loads(out)["predictions"]) == 180
    assert run(capsys, "predict", "r", "--out", "p.xlsx")[0] == 2


def test_failing_is_not_the_same_as_being_asked_wrongly(capsys, tmp_path) -> None:
    source = toy(tmp_path / "toy.npz", x=X * 1e30)
    code, _, err = run(capsys, "train", source, "--fit.lr", "1e10", *QUICK)
    assert (code, "no longer a number" in err) == (1, True)


def test_resume_wants_to_know_what(capsys) -> None:
    code, _, err = run(capsys, "train", "cora", "--resume")
    assert (code, "--resume needs --out" in err) == (2, True)


GRID = """
title = "A toy"
protocol = "public"
baseline = {{ preset = "typical" }}
options = {{ "fit.epochs" = 5 }}
paper = [{{ preset = "full", mean = 99.9, deviation = 0.1 }}]
grid = {{ dataset = ["{path}"], model = ["gcn"], preset = ["typical", "full"], split = [0], seed = [0, 1] }}
"""


def test_study_runs_a_grid_and_prints_it_beside_the_paper(capsys, tmp_path) -> None:
    Path("toy.toml").write_text(GRID.format(path=toy(tmp_path / "toy.npz")))
    code, out, _ = run(capsys, "study", "toy.toml", "--workers", "1", "--cells", "seed=0")
    assert code == 0
    assert "99.9 ± 0.1" in out
    assert len(Path("results/toy.jsonl").read_text().splitlines()) == 2
    rows = json.loads(run(capsys, "study", "toy.toml", "--workers", "1", "--json")[1])["rows"]
    assert [(row["setting"]["preset"], row["runs"]) for row in rows] == [("typical", 2), ("full", 2)]
    assert rows[1]["standard_error"] is not None


def test_study_lists_what_there_is(capsys) -> None:
    assert "table1" in run(capsys, "study", "--list")[1]
    found = json.loads(run(capsys, "study", "--list", "--json")[1])["studies"]
    table1 = next(study for study in found if study["name"] == "table1")
    assert table1["cells"] == 720
    assert 0 <= table1["done"] <= 720


def test_study_says_what_it_did_not_understand(capsys) -> None:
    assert "Did you mean 'table1'" in run(capsys, "study", "tabel1")[2]
    assert "AXIS=VALUE" in run(capsys, "study", "table1", "--cells", "cora")[2]


def test_report_of_a_run(capsys, tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    run(capsys, "train", toy(tmp_path / "toy.npz"), "--out", "runs/x", *QUICK)
    code, out, err = run(capsys, "report", "runs/x", "--figures", "figures")
    assert (code, err) == (0, "")
    assert "Page: runs/x/report.html" in out
    text = Path("runs/x/report.html").read_text(encoding="utf-8")
    assert f"{100 * open_run('runs/x').test:.1f} %" in text
    assert len(list(Path("figures").iterdir())) == 24
    found = json.loads(run(capsys, "report", "runs/x", "--out", "page.html", "--json")[1])
    assert found == {"page": "page.html", "figures": []}
    assert Path("page.html").exists()


def test_report_of_a_study(capsys, tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    Path("toy.toml").write_text(GRID.format(path=toy(tmp_path / "toy.npz")))
    code, _, err = run(capsys, "report", "toy.toml")
    assert (code, "run highway study toy.toml first" in err) == (2, True)
    run(capsys, "study", "toy.toml", "--workers", "1")
    code, out, _ = run(capsys, "report", "toy.toml")
    assert (code, out) == (0, "Page: results/toy.html\n")
    assert "99.9 ± 0.1" in Path("results/toy.html").read_text(encoding="utf-8")


def test_report_says_what_is_wrong(capsys, monkeypatch) -> None:
    assert "runs/none is no run folder" in run(capsys, "report", "runs/none")[2]
    assert "Did you mean 'table1'" in run(capsys, "report", "tabel1")[2]
    monkeypatch.setitem(sys.modules, "highwaygraph.report.run_page", None)
    code, _, err = run(capsys, "report", "table1")
    assert (code, "pip install 'highwaygraph[report]'" in err) == (2, True)


def test_from_two_tables_to_predictions(capsys, tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    folder = write_papers(tmp_path / "papers")
    names = ("--label", "topic")
    code, out, _ = run(capsys, "inspect", folder, *names)
    assert code == 0
    assert "text, its words hashed into 512" in out
    assert "1 edges to ids that no node has (p000 - nobody): left out" in out
    code, out, err = run(capsys, "train", folder, *names, "--train", "10", "--val", "10", "--out", "runs/x", *QUICK)
    assert (code, len(err.splitlines())) == (0, 3)
    assert "papers: 180 nodes, 30 train / 30 val / 75 test" in out
    run(capsys, "predict", "runs/x", "--out", "p.csv")
    lines = Path("p.csv").read_text().splitlines()
    assert lines[0] == "id,class,confidence,hops,highways"
    assert lines[1].startswith("p000,topic ")
    # The same tables read as another graph give the same features, and so nearly the same answers.
    run(capsys, "predict", "runs/x", folder, "--out", "q.csv")
    classes = [[line.split(",")[1] for line in Path(p).read_text().splitlines()[1:]] for p in ("p.csv", "q.csv")]
    assert sum(a == b for a, b in zip(*classes, strict=True)) > 140


def test_weights_that_a_network_cannot_take_are_left_out_and_that_is_said(capsys, tmp_path) -> None:
    source = toy(tmp_path / "toy.npz", edge_weight=np.ones(block_graph().edge_index.size(1), dtype=np.float32))
    code, _, err = run(capsys, "train", source, "--model", "sage", "--out", "runs/x", *QUICK)
    assert (code, err.strip()) == (0, "sage takes no edge weights: they are left out.")
    assert run(capsys, "train", source, "--out", "runs/y", *QUICK)[2] == ""


def test_export_names_what_it_wrote(capsys, tmp_path) -> None:
    pytest.importorskip("networkx", reason="networkx is not installed")
    run(capsys, "train", toy(tmp_path / "toy.npz"), "--out", "runs/x", *QUICK)
    assert run(capsys, "export", "runs/x", "--to", "graphml")[1] == "runs/x/graph.graphml\n"
    found = json.loads(run(capsys, "export", "runs/x", "--to", "csv", "--out", "mine", "--json")[1])
    assert found == {"paths": ["mine/nodes.csv", "mine/edges.csv"]}
    assert run(capsys, "export", "runs/x", "--to", "xlsx")[0] == 2


def test_tune_prints_a_command_that_works(capsys, tmp_path) -> None:
    pytest.importorskip("optuna", reason="optuna is not installed")
    source = toy(tmp_path / "toy.npz")
    code, out, err = run(capsys, "tune", source, "--trials", "2", "--fit.epochs", "3", "--fit.device", "cpu")
    assert (code, err) == (0, "")
    assert Path("runs/tune-toy-gcn-plus.db").exists()
    command = out.splitlines()[-1]
    assert command.startswith(f"highway train {source} --preset plus --fit.epochs 3 --fit.device cpu --model gcn")
    assert run(capsys, *command.split()[1:], "--out", "runs/x")[0] == 0
    again = json.loads(
        run(capsys, "tune", source, "--trials", "2", "--fit.epochs", "3", "--fit.device", "cpu", "--json")[1]
    )
    assert (again["trials"], again["command"]) == (2, command)


def test_a_graph_without_labels_says_how_to_name_them(capsys, tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    folder = write_papers(tmp_path / "papers")
    code, _, err = run(capsys, "train", folder)
    assert (code, "No node has a label: name the column that holds them with --label" in err) == (2, True)
    assert "'topic'" in err
    assert "name the column that holds them with --label" in run(capsys, "inspect", folder)[1]


def test_the_command_of_a_run_leaves_out_its_place(capsys, tmp_path, monkeypatch) -> None:
    words = ["train", toy(tmp_path / "toy.npz"), "--out", "runs/x", "--force", *QUICK]
    monkeypatch.setattr(sys, "argv", ["highway", *words])
    run(capsys, *words)
    command = json.loads(Path("runs/x/meta.json").read_text())["command"]
    assert command == f"highway train {tmp_path / 'toy.npz'} {' '.join(QUICK)}"


def test_new_nodes_are_attached_to_the_graph_of_a_run(capsys, tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    folder, more = write_papers(tmp_path / "papers", "label"), write_new_papers(tmp_path / "new")
    run(capsys, "train", folder, "--train", "10", "--val", "10", "--out", "runs/x", *QUICK)
    code, out, err = run(capsys, "predict", "runs/x", more, "--attach")
    assert (code, err) == (0, "")
    rows = [line.split(",") for line in out.splitlines()]
    assert rows[0] == ["id", "class", "confidence", "hops"]
    assert [(row[0], row[1]) for row in rows[1:3]] == [("n0", "topic 0"), ("n1", "topic 0")]
    # The third has no edge, and so no way to a label.
    assert [row[0] for row in rows[1:] if row[3] == ""] == ["n2"]
    code, _, err = run(capsys, "predict", "runs/x", folder, "--attach")
    assert (code, "All of these nodes are in the graph already" in err) == (2, True)
    code, _, err = run(capsys, "predict", "runs/x", "--attach")
    assert (code, "--attach needs the new nodes" in err) == (2, True)
    # Without --attach, edges to the run's nodes lead nowhere.
    code, _, err = run(capsys, "predict", "runs/x", more)
    assert (code, "None of the 8 edges joins two known nodes" in err) == (2, True)


def test_attach_needs_a_run_that_was_read_from_tables(capsys, tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    run(capsys, "train", toy(tmp_path / "toy.npz"), "--out", "runs/x", *QUICK)
    code, _, err = run(capsys, "predict", "runs/x", write_new_papers(tmp_path / "new"), "--attach")
    assert (code, "was not read from tables" in err) == (2, True)


def test_classes_with_few_labels_are_shared_out_and_that_is_said(capsys, tmp_path) -> None:
    y = block_graph().y.clone()
    y[3:60] = -1
    path = tmp_path / "few.npz"
    arrays = {"x": block_graph().x.numpy(), "edge_index": block_graph().edge_index.numpy(), "y": y.numpy()}
    np.savez(path, **arrays)
    words = ("train", str(path), "--train", "10", "--val", "10", *QUICK)
    code, out, err = run(capsys, *words, "--small-classes", "share", "--out", "runs/x")
    assert (code, "21 train / 21 val / 81 test" in out) == (0, True)
    assert "Fewer than 10 + 10 labels in 1 of 3 classes ('0: 3')" in err
    code, _, err = run(capsys, *words, "--out", "runs/y")
    assert (code, "Class 0 has 3 labelled nodes" in err) == (2, True)
    # Nothing was asked for: what there is, is used.
    code, out, _ = run(capsys, "train", str(path), *QUICK, "--out", "runs/z")
    assert (code, "41 train / 61 val / 21 test" in out) == (0, True)


def test_a_converted_graph_is_inspected_trained_and_predicted(capsys, tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    folder = write_papers(tmp_path / "papers", "label")
    code, out, err = run(capsys, "data", "convert", folder, "big")
    assert (code, out.strip()) == (0, "Written to big: 180 nodes, 491 edges, 517 features")
    assert "1 edges to ids that no node has" in err
    code, out, _ = run(capsys, "inspect", "big")
    assert (code, "491 undirected" in out, "mostly alike" in out) == (0, True, True)
    words = ("train", "big", "--train", "10", "--val", "10", *QUICK)
    for name, more in (("whole", ()), ("lots", ("--fit.batch_size", "8", "--fit.num_neighbors", "5", "5"))):
        code, out, _ = run(capsys, *words, *more, "--out", f"runs/{name}")
        assert (code, "big: 180 nodes, 30 train / 30 val / 75 test" in out) == (0, True)
    code, out, _ = run(capsys, "predict", "runs/lots")
    assert (code, out.splitlines()[1].startswith("p000,topic 0,")) == (0, True)
    assert run(capsys, "predict", "runs/lots", "big", "--out", "p.csv")[0] == 0
    code, out, _ = run(capsys, "predict", "runs/lots", write_new_papers(tmp_path / "new"), "--attach")
    assert (code, out.splitlines()[1].split(",")[:2]) == (0, ["n0", "topic 0"])
    assert run(capsys, "report", "runs/lots")[0] == 0
    assert run(capsys, "export", "runs/lots", "--out", "improved")[0] == 0
    Path("big").rename("elsewhere")
    code, _, err = run(capsys, "predict", "runs/lots")
    assert (code, "no longer in" in err) == (2, True)


def test_options_that_the_preset_does_not_read_are_refused(capsys, tmp_path) -> None:
    source = toy(tmp_path / "toy.npz")
    code, _, err = run(capsys, "train", source, "--highway.anchors", "3")
    assert (code, "highway.anchors is about anchors, which plus does not use: add --preset full" in err) == (2, True)
    assert run(capsys, "train", source, "--highway.anchors", "3", "--preset", "full", *QUICK, "--out", "runs/x")[0] == 0
