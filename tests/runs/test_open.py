from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch_geometric import nn as pyg

from highwaygraph.errors import ModelError, RunError
from highwaygraph.models import build
from highwaygraph.runs.open import open_run
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph
from tests.helpers.trained import CONFIG, named_run


@pytest.fixture(scope="module")
def result() -> Result:
    return named_run()


def test_a_saved_run_is_bit_identical(result: Result, tmp_path: Path) -> None:
    again = open_run(result.save(tmp_path / "run"))
    assert torch.equal(again.logits, result.logits)
    assert torch.equal(again.predict(), result.predict())
    assert torch.equal(again.predict_proba(), result.predict_proba())
    assert torch.equal(again.predict_proba(again.graph), result.predict_proba())
    assert torch.equal(again.graph.edge_index, result.graph.edge_index)
    assert torch.equal(again.data.x, result.data.x)
    for ours, theirs in zip(again.highway_table, result.highway_table, strict=True):
        assert torch.equal(ours, theirs)
    assert (again.rounds, again.history, again.stopped) == (result.rounds, result.history, result.stopped)
    assert (again.config, again.best_round) == (result.config, result.best_round)
    assert again.num_threads == result.num_threads == 1
    assert (again.data.ids, again.data.classes, again.data.name) == (
        result.data.ids,
        result.data.classes,
        "toy",
    )


def test_a_run_of_a_users_module_needs_that_module(tmp_path: Path) -> None:
    data = block_graph()
    run = train(pyg.GraphSAGE(12, 16, 2, 3), data, CONFIG).save(tmp_path / "run")
    without_module = open_run(run)
    assert without_module.predict().shape == (180,)
    with pytest.raises(ModelError, match=r"open_run\(path, model=GraphSAGE\(\.\.\.\)\)"):
        without_module.predict(data)
    again = open_run(run, model=pyg.GraphSAGE(12, 16, 2, 3))
    assert torch.equal(again.predict_proba(again.graph), again.predict_proba())
    with pytest.raises(ModelError, match="do not fit the given module"):
        open_run(run, model=pyg.GraphSAGE(12, 32, 2, 3))


def test_a_missing_key_is_reported_as_damage(result: Result, tmp_path: Path) -> None:
    run = result.save(tmp_path / "run")
    (run / "meta.json").write_text("{}")
    with pytest.raises(RunError, match="damaged"):
        open_run(run)


@pytest.mark.parametrize("kind", [np.array, torch.tensor, list])
def test_numeric_ids_are_restored(kind, tmp_path: Path) -> None:
    data = block_graph()
    data.ids, data.classes = kind(range(1000, 1180)), np.array(["a", "b", "c"])
    again = open_run(train(build("gcn", data), data, CONFIG).save(tmp_path / "run"))
    assert again.data.ids == list(range(1000, 1180))
    assert again.data.classes == ["a", "b", "c"]


def test_a_model_may_have_more_classes_than_names(tmp_path: Path) -> None:
    data = block_graph()
    data.classes = ["a", "b", "c"]
    train(pyg.GCN(12, 16, 2, 5), data, CONFIG).save(tmp_path / "run")


def test_ids_with_a_carriage_return_come_back(result, tmp_path) -> None:
    data = result.data.clone()
    data.ids = ["a\rb", "\r=1", "c\r\nd", *(f"n{i}" for i in range(3, 180))]
    path = replace(result, data=data).save(tmp_path / "run")
    assert open_run(path).data.ids == data.ids
