"""Tests of highway train and highway tune."""

import json
import os
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import highwaygraph as hg
from highwaygraph import open_run
from highwaygraph.data.mapped.writer import from_data, write_mapped_graph
from highwaygraph.training import size
from tests.helpers.cli import QUICK, run, write_graph
from tests.helpers.graphs import block_graph
from tests.helpers.papers import write_papers


def test_train_prints_rounds_accuracy_by_hops_and_the_run_folder(capsys, tmp_path) -> None:
    code, out, err = run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--out", "runs/x", *QUICK)
    assert (code, err) == (0, "")
    assert "Round" in out
    assert "Stopped:" in out
    assert "Typical %" in out
    assert "no path" in out
    assert "Saved to runs/x" in out
    assert "highway report runs/x" in out
    assert open_run("runs/x").config.fit.epochs == 15


def test_json_is_one_document(capsys, tmp_path) -> None:
    code, out, _ = run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--json", "--seed", "3", *QUICK)
    values = json.loads(out)
    assert code == 0
    assert {
        "rounds",
        "hops",
        "stopped",
        "path",
        "typical",
        "test",
        "val",
        "best_round",
        "kept",
        "highways",
    } <= values.keys()
    saved = open_run(values["path"])
    assert saved.config.seed == 3
    assert values["test"] == saved.test
    assert len(values["rounds"]) == len(saved.rounds)


def test_options_change_the_preset_and_nothing_else(capsys, tmp_path) -> None:
    words = ("--preset", "without-joint", "--model", "sage", "--hidden", "32", "--highway.rounds", "2")
    assert run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--out", "r", *words, *QUICK)[0] == 0
    saved = open_run("r")
    assert saved.config.highway.rounds == 2
    assert saved.config.highway.joint is False
    assert saved.model.network.model == "sage"
    assert saved.model.network.hidden == 32


def test_a_random_split_has_the_sizes_given(capsys, tmp_path) -> None:
    words = ("--split", "random", "--train", "4", "--val", "6", "--split-seed", "1", "--no-baseline")
    assert run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--out", "r", *words, *QUICK)[0] == 0
    data = open_run("r").data
    assert [int(data[f"{name}_mask"].sum()) for name in ("train", "val", "test")] == [12, 18, 150]


def test_an_existing_run_needs_force_or_resume(capsys, tmp_path) -> None:
    words = ("train", write_graph(tmp_path / "toy.npz"), "--out", "r", "--no-baseline", *QUICK)
    assert run(capsys, *words)[0] == 0
    before = open_run("r").logits
    code, _, err = run(capsys, *words)
    assert (code, "exists already" in err) == (2, True)
    assert run(capsys, *words, "--resume")[0] == 0
    assert run(capsys, *words, "--resume", "--seed", "9")[0] == 2
    assert run(capsys, *words, "--force")[0] == 0
    assert torch.equal(open_run("r").logits, before)


def test_the_baseline_is_typical_training(capsys, tmp_path) -> None:
    source = write_graph(tmp_path / "toy.npz")
    values = json.loads(run(capsys, "train", source, "--preset", "full", "--json", "--fit.device", "cpu")[1])
    data = hg.load(source)
    typical = hg.train(hg.models.build("gcn", data), data, "typical")
    assert values["typical"]["test"] == typical.test
    assert values["typical"]["rounds"][0]["epochs"] == typical.rounds[0].epochs


def test_one_of_several_splits(capsys, tmp_path) -> None:
    data = block_graph()
    masks = {
        n: np.stack([data[n].numpy(), np.roll(data[n].numpy(), 1)], 1) for n in ("train_mask", "val_mask", "test_mask")
    }
    source = write_graph(tmp_path / "toy.npz", **masks)
    assert "2 splits, the first with 30 train / 30 val / 120 test" in run(capsys, "inspect", source)[1]
    assert run(capsys, "train", source, "--split-column", "1", "--out", "r", "--no-baseline", *QUICK)[0] == 0
    assert open_run("r").data.train_mask.tolist() == masks["train_mask"][:, 1].tolist()
    assert "columns 0 to 1" in run(capsys, "train", source, "--split-column", "7", *QUICK)[2]


def test_resume_needs_a_folder(capsys) -> None:
    code, _, err = run(capsys, "train", "cora", "--resume")
    assert (code, "--resume needs --out" in err) == (2, True)


def test_edge_weights_are_dropped_with_a_message_where_unsupported(capsys, tmp_path) -> None:
    source = write_graph(tmp_path / "toy.npz", edge_weight=np.ones(block_graph().edge_index.size(1), dtype=np.float32))
    code, _, err = run(capsys, "train", source, "--model", "sage", "--out", "runs/x", *QUICK)
    assert (code, err.splitlines()[0]) == (0, "sage takes no edge weights: they are left out.")
    assert "edge weights" not in run(capsys, "train", source, "--out", "runs/y", *QUICK)[2]


def test_a_given_size_of_mini_batches_is_trained_without_a_sentence(capsys, tmp_path) -> None:
    source = write_graph(tmp_path / "toy.npz")
    code, _, err = run(capsys, "train", source, "--out", "runs/x", "--fit.batch-size", "8", *QUICK)
    assert (code, err) == (0, "")
    assert open_run("runs/x").config.fit.batch_size == 8


def test_a_run_in_chosen_mini_batches_is_reopened(capsys, tmp_path, monkeypatch) -> None:
    source = write_graph(tmp_path / "toy.npz")
    monkeypatch.setattr(size, "available_bytes", lambda _: 0.0)
    code, _, err = run(capsys, "train", source, "--out", "runs/x", *QUICK)
    assert (code, "Training in mini-batches of 64 labelled nodes" in err) == (0, True)
    monkeypatch.setattr(size, "available_bytes", lambda _: 1e15)
    assert run(capsys, "train", source, "--out", "runs/x", "--resume", *QUICK)[0] == 0
    code, _, err = run(capsys, "train", source, "--out", "runs/x", "--resume", "--fit.batch-size", "0", *QUICK)
    assert (code, "other options or data" in err) == (2, True)


def test_tune_prints_a_command_that_works(capsys, tmp_path) -> None:
    pytest.importorskip("optuna", reason="optuna is not installed")
    source = write_graph(tmp_path / "toy.npz")
    code, out, err = run(capsys, "tune", source, "--trials", "2", "--fit.epochs", "3", "--fit.device", "cpu")
    assert (code, err) == (0, "")
    assert Path("runs/tune-toy-gcn-plus.db").exists()
    assert "2 trials; validation accuracy decides" in out
    command = out.splitlines()[-1]
    assert command.startswith(f"highway train {source} --preset plus --fit.epochs 3 --fit.device cpu --model gcn")
    assert run(capsys, *command.split()[1:], "--out", "runs/x")[0] == 0
    again = json.loads(
        run(capsys, "tune", source, "--trials", "2", "--fit.epochs", "3", "--fit.device", "cpu", "--json")[1]
    )
    assert (again["trials"], again["command"]) == (2, command)
    assert len(again["history"]) == 2


def test_a_graph_without_labels_expected_how_to_name_them(capsys, tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    folder = write_papers(tmp_path / "papers")
    code, _, err = run(capsys, "train", folder)
    assert (code, "No node has a label: name the column that holds them with --label" in err) == (2, True)
    assert "'topic'" in err
    assert "name the column that holds them with --label" in run(capsys, "inspect", folder)[1]


def test_the_stored_command_leaves_out_the_run_folder(capsys, tmp_path, monkeypatch) -> None:
    words = ["train", write_graph(tmp_path / "toy.npz"), "--out", "runs/x", "--force", *QUICK]
    monkeypatch.setattr(sys, "argv", ["highway", *words])
    run(capsys, *words)
    command = json.loads(Path("runs/x/meta.json").read_text())["command"]
    assert command == f"highway train {tmp_path / 'toy.npz'} {' '.join(QUICK)}"


def test_small_classes_are_divided_with_a_message_or_refused(capsys, tmp_path) -> None:
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
    # Without --train and --val, small classes are divided.
    code, out, _ = run(capsys, "train", str(path), "--no-refit", *QUICK, "--out", "runs/z")
    assert (code, "41 train / 61 val / 21 test" in out) == (0, True)


def test_options_without_effect_are_refused(capsys, tmp_path) -> None:
    source = write_graph(tmp_path / "toy.npz")
    code, _, err = run(capsys, "train", source, "--highway.anchors", "3")
    assert (code, "highway.anchors is about anchors, which plus does not use: add --preset full" in err) == (2, True)
    assert run(capsys, "train", source, "--highway.anchors", "3", "--preset", "full", *QUICK, "--out", "runs/x")[0] == 0


@pytest.mark.parametrize("name", ["/elsewhere/x", "../../x"])
def test_the_name_of_a_converted_graph_is_no_path(capsys, tmp_path, monkeypatch, name: str) -> None:
    write_mapped_graph(tmp_path / "big", *from_data(block_graph()))
    facts = json.loads((tmp_path / "big" / "graph.json").read_text())
    hostile = f"{tmp_path}{name}" if name.startswith("/") else name
    (tmp_path / "big" / "graph.json").write_text(json.dumps(facts | {"name": hostile}))
    (tmp_path / "work" / "here").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "work" / "here")
    code, out, _ = run(capsys, "train", str(tmp_path / "big"), "--no-baseline", "--fit.epochs", "1", "--json")
    assert code == 0
    assert Path(json.loads(out)["path"]).parent == Path("runs")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["big", "work"]
    assert os.listdir(tmp_path / "work") == ["here"]


def test_a_link_to_nothing_is_refused_before_training(capsys, tmp_path, monkeypatch) -> None:
    (tmp_path / "r").symlink_to(tmp_path / "nothing")
    monkeypatch.setattr("highwaygraph.cli.training_run.train_run", None)
    code, _, err = run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--out", "r")
    assert (code, "is a link to" in err) == (2, True)


@pytest.mark.parametrize("with_page", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_columns_of_the_user_are_left_out_of_the_run_its_page_and_exports(capsys, tmp_path, with_page) -> None:
    source = Path(write_papers(tmp_path / "papers"))
    header, *rows = (source / "nodes.csv").read_text().splitlines()
    secret = [f"{row},Jane Doe {number} of Nowhere" for number, row in enumerate(rows)]
    (source / "nodes.csv").write_text("\n".join([f"{header},owner", *secret]))

    def holding(out: str, *words: str) -> set[str]:
        short = ("--model", "gcn", "--no-refit", "--preset", "typical", *QUICK)
        code, _, err = run(capsys, "train", str(source), "--label", "topic", *words, *short, "--out", out)
        assert code == 0, err
        if with_page:
            assert [run(capsys, *one)[0] for one in (("report", out), ("export", out, "--to", "csv"))] == [0, 0]
        return {path.name for path in Path(out).rglob("*") if path.is_file() and b"Jane Doe" in path.read_bytes()}

    assert holding("runs/all") == {"attributes.json", *(["report.html"] if with_page else [])}
    assert holding("runs/none", "--no-attributes") == set()
    assert not Path("runs/none/attributes.json").exists()
    assert open_run("runs/none").data.attributes is None
    assert holding("runs/kind", "--attributes", "kind, score") == set()
    assert list(json.loads(Path("runs/kind/attributes.json").read_text())) == ["kind", "score"]


def test_columns_to_show_are_checked_before_the_training(capsys, tmp_path) -> None:
    words = ("train", write_papers(tmp_path / "papers"), "--label", "topic", "--attributes", "knid")
    code, _, err = run(capsys, *words)
    assert (code, "There is no column 'knid' to show. Did you mean 'kind'?" in err) == (2, True)
    code, _, err = run(capsys, *words, "--no-attributes")
    assert (code, "exclude each other" in err) == (2, True)


def test_two_classes_have_scores_per_class_and_a_threshold_that_predict_follows(capsys, tmp_path) -> None:
    data = block_graph(classes=2)
    names = ("x", "edge_index", "y", "train_mask", "val_mask", "test_mask")
    np.savez(tmp_path / "two.npz", **{name: data[name].numpy() for name in names}, classes=np.array(["ok", "fraud"]))
    words = ("train", str(tmp_path / "two.npz"), "--fit.threshold", "f1", *QUICK)
    code, out, err = run(capsys, *words, "--out", "runs/two")
    assert code == 0, err
    for part in (
        " beside typical training: ",
        "the largest class (ok)",
        "Area under precision-recall of fraud",
    ):
        assert part in out
    values = json.loads(run(capsys, *words, "--out", "runs/json", "--json")[1])
    assert [row["class"] for row in values["classes"]] == ["ok", "fraud"]
    assert values["typical"]["test_average_precision"] > 0.5
    found = [row.split(",")[1] for row in run(capsys, "predict", "runs/two")[1].splitlines()[1:]]
    assert found == [["ok", "fraud"][c] for c in open_run("runs/two").predict().tolist()]


def test_a_threshold_for_three_classes_is_refused(capsys, tmp_path) -> None:
    code, _, err = run(capsys, "train", write_graph(tmp_path / "toy.npz"), "--fit.threshold", "f1", *QUICK)
    assert (code, "fit.threshold=f1 needs two classes, but there are 3" in err) == (2, True)


def test_tracked_runs_keep_the_option_in_their_command(capsys, tmp_path, monkeypatch) -> None:
    pytest.importorskip("tensorboard", reason="tensorboard is not installed")
    arguments = ("train", write_graph(tmp_path / "toy.npz"), "--track", "tensorboard:events", "--out", "r", *QUICK)
    monkeypatch.setattr(sys, "argv", ["highway", *arguments])
    code, _, err = run(capsys, *arguments)
    assert (code, err) == (0, "")
    (events,) = Path("events").iterdir()
    assert events.name.startswith("toy-gcn-")
    command = json.loads(Path("r/meta.json").read_text())["command"]
    assert "--track tensorboard:events" in command
    assert "--out" not in command


def test_unknown_trackers_are_refused_before_the_graph_is_read(capsys) -> None:
    code, _, err = run(capsys, "train", "no-such-graph", "--track", "mlflw")
    assert code == 2
    assert "There is no tracker 'mlflw'. Did you mean 'mlflow'?" in err
