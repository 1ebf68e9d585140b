import json
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric import nn as pyg
from torch_geometric.data import Data

from highwaygraph.config import PRESETS
from highwaygraph.engine import train
from highwaygraph.errors import DataError, ModelError, RunError
from highwaygraph.models import build
from highwaygraph.results import Result, open_run, table
from highwaygraph.values import override
from tests.graphs import block_graph

CONFIG = override(PRESETS["full"], {"fit.epochs": 40, "fit.lr": 0.03, "highway.keep": "last", "fit.device": "cpu"})


@pytest.fixture(scope="module")
def result() -> Result:
    data = block_graph()
    data.ids = [f"node <{i}>, really" for i in range(180)]
    data.classes = ["red", "green, or so", "blue"]
    data.name = "toy"
    return train(build("gcn", data, hidden=16), data, CONFIG, seed=5)


def test_a_saved_run_gives_the_same_bits(result: Result, tmp_path: Path) -> None:
    again = open_run(result.save(tmp_path / "run"))
    assert torch.equal(again.logits, result.logits)
    assert torch.equal(again.predict(), result.predict())
    assert torch.equal(again.predict_proba(), result.predict_proba())
    assert torch.equal(again.predict_proba(again.graph), result.predict_proba())
    assert torch.equal(again.graph.edge_index, result.graph.edge_index)
    assert torch.equal(again.data.x, result.data.x)
    for ours, theirs in zip(again.roads, result.roads, strict=True):
        assert torch.equal(ours, theirs)
    assert (again.rounds, again.history, again.stopped) == (result.rounds, result.history, result.stopped)
    assert (again.config, again.kept) == (result.config, result.kept)
    assert (again.data.ids, again.data.classes, again.data.name) == (
        result.data.ids,
        result.data.classes,
        "toy",
    )


def test_the_stored_logits_are_those_of_the_model_on_the_graph(result: Result) -> None:
    assert torch.equal(result.predict_proba(result.graph), result.predict_proba())
    assert result.highways.size(1) > 0
    assert not torch.equal(result.predict_proba(result.data), result.predict_proba())


def test_predictions_carry_the_users_ids_and_names(result: Result) -> None:
    found = table(result)
    assert list(found) == ["id", "class", "confidence", "hops", "highways"]
    assert {len(column) for column in found.values()} == {180}
    assert found["id"][0] == "node <0>, really"
    assert list(table(result, block_graph(seed=9))) == ["id", "class", "confidence"]


def test_another_graph_needs_features_but_no_labels(result: Result) -> None:
    other = block_graph(seed=9)
    unlabelled = Data(x=other.x, edge_index=other.edge_index)
    assert torch.equal(result.predict(unlabelled), result.predict(other))
    assert (result.predict(unlabelled) == other.y).double().mean() > 0.6
    with pytest.raises(DataError, match="no edge_index"):
        result.predict(Data(x=other.x))
    with pytest.raises(DataError, match="no x"):
        result.predict(Data(edge_index=other.edge_index))
    with pytest.raises(DataError, match="12 features"):
        result.predict(Data(x=other.x[:, :5], edge_index=other.edge_index))


def test_a_run_of_ones_own_module_needs_that_module(tmp_path: Path) -> None:
    data = block_graph()
    run = train(pyg.GraphSAGE(12, 16, 2, 3), data, CONFIG).save(tmp_path / "run")
    unknown = open_run(run)
    assert unknown.predict().shape == (180,)
    with pytest.raises(ModelError, match=r"open_run\(path, model=GraphSAGE\(\.\.\.\)\)"):
        unknown.predict(data)
    again = open_run(run, model=pyg.GraphSAGE(12, 16, 2, 3))
    assert torch.equal(again.predict_proba(again.graph), again.predict_proba())
    with pytest.raises(ModelError, match="do not fit the module given"):
        open_run(run, model=pyg.GraphSAGE(12, 32, 2, 3))


def test_meta_tells_how_to_repeat_the_run(result: Result, tmp_path: Path) -> None:
    run = result.save(tmp_path / "run", command="highway train toy", kept=77)
    meta = json.loads((run / "meta.json").read_text())
    assert meta["command"] == "highway train toy"
    assert (meta["seed"], meta["kept"]) == (5, result.kept)
    assert meta["versions"]["torch"] == torch.__version__
    assert {"data_hash", "split_hash", "created", "seconds"} <= meta.keys()


def test_a_missing_key_is_damage(result: Result, tmp_path: Path) -> None:
    run = result.save(tmp_path / "run")
    (run / "meta.json").write_text("{}")
    with pytest.raises(RunError, match="damaged"):
        open_run(run)


@pytest.mark.parametrize("kind", [np.array, torch.tensor, list])
def test_ids_come_back_as_the_numbers_they_were(kind, tmp_path: Path) -> None:
    data = block_graph()
    data.ids, data.classes = kind(range(1000, 1180)), np.array(["a", "b", "c"])
    again = open_run(train(build("gcn", data), data, CONFIG).save(tmp_path / "run"))
    assert again.data.ids == list(range(1000, 1180))
    assert again.data.classes == ["a", "b", "c"]


def test_a_model_may_know_more_classes_than_have_names(tmp_path: Path) -> None:
    data = block_graph()
    data.classes = ["a", "b", "c"]
    train(pyg.GCN(12, 16, 2, 5), data, CONFIG).save(tmp_path / "run")
