import json

import pytest
import torch

from highwaygraph import open_run
from highwaygraph.cli.loading import choose_labels, choose_split
from highwaygraph.config import SplitChoice
from highwaygraph.errors import ConfigError
from highwaygraph.graph.validate import MASKS
from tests.helpers.cli import run
from tests.helpers.graphs import block_graph, unsplit_graph
from tests.helpers.library import write_library, write_sites
from tests.helpers.text_models import model2vec_folder, papers


def test_auto_prefers_the_graphs_own_split(capsys) -> None:
    data = block_graph()
    auto, random = (SplitChoice(split=how, train=3, val=4) for how in ("auto", "random"))
    assert torch.equal(choose_split(data, auto).train_mask, data.train_mask)
    sentence = (
        "The graph has a split of its own, so that --train and --val have no effect: --split random draws another"
    )
    assert capsys.readouterr().err.startswith(sentence)
    assert torch.equal(choose_split(data, SplitChoice()).train_mask, data.train_mask)
    assert not capsys.readouterr().err
    assert int(choose_split(data, random).train_mask.sum()) == 9
    del data.train_mask, data.val_mask, data.test_mask
    assert int(choose_split(data, auto).val_mask.sum()) == 12


@pytest.mark.parametrize(
    ("choice", "sizes"),
    [
        (SplitChoice(), None), (SplitChoice(val=0), None), (SplitChoice(train=3, val=0), [9, 0, 171]),
        (SplitChoice(train=3, val=4), [9, 12, 159]), (SplitChoice(val=4), [60, 12, 108]),
        (SplitChoice(split="random", val=0), [60, 0, 120]), (SplitChoice(split_seed=1), [60, 90, 30]),
    ],
)  # fmt: skip
def test_all_labels_train_unless_a_split_is_drawn(choice, sizes) -> None:
    found = choose_labels(unsplit_graph(), choice)
    shown = [int(found[name].sum()) for name in MASKS] if found.has_split else None
    assert shown == sizes


@pytest.mark.parametrize(
    ("choice", "option"),
    [
        (SplitChoice(train=3, val=0), "--train"),
        (SplitChoice(val=5), "--val"),
        (SplitChoice(split_seed=1), "--split-seed"),
    ],
)
def test_all_labels_of_a_graph_with_a_split_are_those_of_the_split(choice, option) -> None:
    data = block_graph()
    assert torch.equal(choose_labels(data, SplitChoice(val=0)).train_mask, data.train_mask)
    with pytest.raises(ConfigError, match=f"{option} is about a random split, and the graph has a split of its own"):
        choose_labels(data, choice)
    with pytest.raises(ConfigError, match=option):
        choose_labels(data, choice.model_copy(update={"split": "given"}))


def test_text_is_encoded_by_a_model_of_a_folder(tmp_path, capsys) -> None:
    nodes, edges = papers()
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    edges.to_csv(tmp_path / "edges.csv", index=False)
    source = model2vec_folder(tmp_path / "model")
    code, out, err = run(capsys, "inspect", str(tmp_path), "--text", source)
    assert code == 0, err
    # A long path folds the cell of the table.
    assert "6 numbers of" in out
    assert "model2vec:" in out


def test_whole_graphs_are_split_and_named_by_a_column(tmp_path, capsys) -> None:
    write_sites(tmp_path / "sites")
    options = ("--graph", "site", "--split", "graph", "--train", "0.5", "--val", "1", "--preset", "typical")
    code, _, err = run(capsys, "train", str(tmp_path / "sites"), *options, "--fit.epochs", "2", "--out", "run")
    assert code == 0, err
    data = open_run("run").data
    parts = [set(data.graph_id[data[f"{part}_mask"]].tolist()) for part in ("train", "val", "test")]
    assert [len(part) for part in parts] == [2, 1, 1]
    assert len(set().union(*parts)) == 4
    code, _, err = run(capsys, "data", "convert", str(tmp_path / "sites"), "converted", "--graph", "site")
    assert (code, "not supported on disk" in err) == (2, True)
    code, out, _ = run(capsys, "inspect", str(tmp_path / "sites"), "--graph", "site", "--json")
    assert json.loads(out)["graphs"] == 4


def test_a_folder_of_several_node_types_from_training_to_export(tmp_path, capsys) -> None:
    write_library(tmp_path / "library", papers=60)
    options = ("--label", "field", "--train", "5", "--val", "5", "--fit.epochs", "25", "--hidden", "8", "--out", "run")
    code, _, err = run(capsys, "train", str(tmp_path / "library"), *options)
    assert code == 0, err
    assert "the network hetero_sage classifies the nodes of type paper and reads author, venue too" in err
    assert open_run("run").model.network.model == "hetero_sage"
    code, out, _ = run(capsys, "predict", "run")
    assert (code, [line.split(",")[0] for line in out.splitlines()[1:]]) == (0, [f"p{n}" for n in range(60)])
    code, _, err = run(capsys, "export", "run")
    assert (code, "the other types are not" in err) == (0, True)
    code, out, _ = run(capsys, "inspect", str(tmp_path / "library"), "--label", "field", "--json")
    assert json.loads(out)["node_types"] == {"paper": 60, "author": 20, "venue": 9}
    for command in (("predict", "run", str(tmp_path / "library"), "--attach"), ("explain", "run", "p1")):
        code, _, err = run(capsys, *command)
        assert (code, "not supported for several node types" in err) == (2, True)
