"""The choice of a network on validation."""

import pytest
import torch

import highwaygraph as hg
from highwaygraph.config import Network
from highwaygraph.graph.splits import validate_split
from highwaygraph.graph.validate import validate
from highwaygraph.training.choose_network import KINDS, choose_network
from tests.helpers.graphs import block_graph

CONFIG = hg.override(
    hg.PRESETS["typical"], {"fit.epochs": 40, "fit.lr": 0.05, "fit.patience": 40, "fit.monitor": "loss"}
)


def _graph(*, edges_help: bool) -> hg.load:
    """Return a graph where only the edges, or only the features, tell the class."""
    data = validate_split(validate(block_graph()))
    generator = torch.Generator().manual_seed(0)
    if edges_help:
        data.x = torch.randn(data.x.shape, generator=generator)
        return data
    data.x = torch.nn.functional.one_hot(data.y, data.x.size(1)).float()
    data.x += 0.1 * torch.randn(data.x.shape, generator=generator)
    count = data.edge_index.size(1)
    data.edge_index = torch.randint(data.num_nodes, (2, 3 * count), generator=generator)
    return data


def test_an_mlp_is_not_chosen_where_only_edges_help() -> None:
    choice = choose_network(_graph(edges_help=True), Network(model="auto", hidden=8), CONFIG)
    assert choice.network.model != "mlp"
    assert choice.network.hidden == 8


def test_a_network_that_uses_the_node_itself_is_chosen_where_edges_harm() -> None:
    choice = choose_network(_graph(edges_help=False), Network(model="auto", hidden=8), CONFIG)
    assert choice.network.model in ("mlp", "sage")


def test_all_kinds_are_tried_and_few_are_trained_to_the_end() -> None:
    names = []
    data = validate_split(validate(block_graph()))
    choice = choose_network(data, Network(model="auto", hidden=8), CONFIG, notify=names.append)
    assert tuple(trial.model for trial in choice.trials) == KINDS
    complete = [trial.model for trial in choice.trials if trial.is_complete]
    assert complete[0] == KINDS[0]
    assert len(complete) == 2
    assert names == [*KINDS, *complete]
    assert choice.network.model in {trial.model for trial in choice.trials if trial.is_complete}


def test_the_first_network_is_chosen_where_the_others_are_level() -> None:
    choice = choose_network(validate_split(validate(block_graph())), Network(model="auto", hidden=8), CONFIG)
    assert choice.network.model == KINDS[0]


def test_networks_that_do_not_take_the_graph_are_left_out() -> None:
    data = validate_split(validate(block_graph()))
    data.edge_weight = torch.ones(data.edge_index.size(1))
    choice = choose_network(data, Network(model="auto", hidden=9), CONFIG)
    assert {"gat", "sage"}.isdisjoint(trial.model for trial in choice.trials)


def test_auto_is_no_network_by_itself() -> None:
    with pytest.raises(hg.ConfigError, match="choose_network"):
        hg.models.build("auto", block_graph())


def test_the_classifier_chooses_too() -> None:
    classifier = hg.HighwayClassifier("auto", "typical", hidden=8, options={"fit.epochs": 8}).fit(block_graph())
    assert classifier.result_.model.network.model in KINDS
