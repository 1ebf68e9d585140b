"""Removal on the receptive field gives the logits of the whole graph without the node or feature."""

import copy

import pytest
import torch

from highwaygraph.explanation.network import network_view, receptive_field
from highwaygraph.explanation.removal import logits_without_columns, logits_without_nodes
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train
from tests.helpers.explained import brute_force, explained_run, long_graph
from tests.helpers.own_module import TYPICAL, Own

CLOSE = {"rtol": 1e-4, "atol": 1e-4}


def check(result: Result, node: int) -> None:
    view = network_view(result)
    field = receptive_field(view, node)
    assert field.is_exact
    removed = torch.tensor([i for i in range(len(field.nodes)) if i != field.target][:12])
    found = logits_without_nodes(view, field, removed)
    for place, logits in zip(removed.tolist(), found, strict=True):
        torch.testing.assert_close(logits, brute_force(result, int(field.nodes[place]), node), **CLOSE)
    assert float((found - view.logits[node]).abs().max()) > 1e-3


@pytest.mark.parametrize("model", ["gcn", "sage", "gat", "hyper", "appnp", "gcn2", "grand"])
def test_removal_of_nodes_is_that_of_the_whole_graph(model: str) -> None:
    check(explained_run(model), 5)


def test_weights_of_edges_are_used() -> None:
    check(explained_run("gcn", weighted=True), 7)


def test_features_are_scaled_as_in_training() -> None:
    check(explained_run("gcn", features="row"), 7)


def test_a_module_of_the_user_is_explained_on_its_receptive_field() -> None:
    result = train(Own(), long_graph(), TYPICAL, seed=0, progress=False)
    check(result, 9)
    assert not receptive_field(network_view(result), 9).is_whole


@pytest.mark.parametrize("model", ["gcn", "appnp"])
def test_removal_of_a_column_is_that_of_the_whole_graph(model: str) -> None:
    result, node = explained_run(model), 5
    view = network_view(result)
    found = logits_without_columns(view, receptive_field(view, node), torch.tensor([0, 4, 2]))
    for column, logits in zip((0, 4, 2), found, strict=True):
        other = copy.copy(result.data)
        other.x = result.data.x.clone()
        other.x[:, column] = 0
        torch.testing.assert_close(logits, result.predict_logits(other)[node], **CLOSE)


@pytest.mark.parametrize("model", ["gcn", "sage", "gat", "appnp"])
def test_without_anything_to_remove_there_are_no_logits(model: str) -> None:
    view = network_view(explained_run(model))
    field, none = receptive_field(view, 5), torch.tensor([], dtype=torch.long)
    for remove in (logits_without_nodes, logits_without_columns):
        assert remove(view, field, none).shape == (0, view.logits.size(1))


def test_nothing_is_removed_by_minus_one() -> None:
    view = network_view(explained_run("gcn"))
    found = logits_without_nodes(view, receptive_field(view, 5), torch.tensor([-1, -1]))
    torch.testing.assert_close(found, view.logits[[5, 5]], **CLOSE)
    assert logits_without_nodes(view, receptive_field(view, 5), torch.tensor([], dtype=torch.long)).shape == (0, 3)
