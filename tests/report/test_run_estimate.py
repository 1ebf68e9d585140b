"""The expected cost of a default run."""

import pytest
import torch

from highwaygraph.data.load import load
from highwaygraph.graph.graph import Graph
from highwaygraph.report import run_estimate
from highwaygraph.report.inspection import inspect
from highwaygraph.report.run_estimate import estimate_default_run
from highwaygraph.training import size
from tests.helpers.graphs import block_graph


def test_inspection_shows_the_estimate_in_words_and_as_numbers() -> None:
    found = inspect(load("cora"))
    assert found.numbers["estimate"]["seconds"] > 1
    assert 400 < found.numbers["estimate"]["mib"] < 900
    assert "an estimate for this machine" in found.properties["default run"]
    assert "Training on the whole graph" in found.properties["default run"]


def test_a_slower_machine_takes_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = []
    for speed in (1.0, 0.1):
        monkeypatch.setattr(run_estimate, "relative_speed", lambda speed=speed: speed)
        seconds.append(estimate_default_run(block_graph()).seconds)
    assert seconds[1] == pytest.approx(10 * seconds[0])


def test_the_choice_of_mini_batches_is_part_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size, "available_bytes", lambda _: 0.0)
    assert "Training in mini-batches" in estimate_default_run(block_graph()).text


def test_minutes_are_named_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_estimate, "relative_speed", lambda: 1e-3)
    assert "minutes" in estimate_default_run(block_graph()).text


def test_a_graph_without_a_split_or_with_several_has_an_estimate() -> None:
    data = block_graph()
    several = data.clone()
    for name in ("train_mask", "val_mask", "test_mask"):
        several[name] = torch.stack([data[name], data[name]], dim=1)
        del data[name]
    assert estimate_default_run(several) is not None
    assert estimate_default_run(data) is not None


def test_a_graph_that_cannot_be_trained_on_has_none() -> None:
    none = torch.zeros(2, 0, dtype=torch.long)
    data = Graph(x=torch.eye(3), edge_index=none, y=torch.tensor([-1, -1, -1]), num_nodes=3)
    assert estimate_default_run(data) is None
    assert inspect(data).numbers["estimate"] is None
