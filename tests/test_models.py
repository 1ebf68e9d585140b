from typing import get_args

import pytest
import torch
from torch import nn
from torch_geometric.nn import APPNP, GCNConv, SGConv

from highwaygraph.config import Network
from highwaygraph.errors import ConfigError, ModelError
from highwaygraph.graph.graph import Graph
from highwaygraph.models import build
from highwaygraph.nn.forward_inputs import forward_inputs
from highwaygraph.nn.modules import num_classes, refuse_cached, reset_parameters
from tests.helpers.graphs import block_graph


def test_unknown_names_and_options_are_refused() -> None:
    data = block_graph()
    with pytest.raises(ConfigError, match="no model 'gcnn'. Did you mean 'gcn'"):
        build("gcnn", data)
    with pytest.raises(ConfigError, match="no option 'hiden'. Did you mean 'hidden'"):
        build("gcn", data, hiden=3)


def test_the_documentation_names_every_network() -> None:
    for name in get_args(Network.model_fields["model"].annotation):
        assert f"`{name}`" in build.__doc__


def test_the_number_of_classes_from_names_or_labels() -> None:
    assert num_classes(Graph(y=torch.tensor([0, 4, -1]))) == 5
    assert num_classes(Graph(y=torch.tensor([0, 1]), classes=["a", "b", "c"])) == 3


@pytest.mark.parametrize("layer", [GCNConv(3, 2, cached=True), SGConv(3, 2, cached=True), APPNP(2, 0.1, cached=True)])
def test_cached_layers_are_refused(layer) -> None:
    with pytest.raises(ModelError, match=r"cached=True and would ignore added edges: build it with cached=False"):
        refuse_cached(nn.Sequential(nn.Identity(), layer))
    refuse_cached(GCNConv(3, 2))


def test_nested_modules_are_reset_with_the_seed() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 2)))
    weights = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        reset_parameters(model)
        weights.append(model[1][1].weight.clone())
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_edge_weight_is_found_in_the_signature() -> None:
    assert "edge_weight" in forward_inputs(build("gcn", block_graph())).optional
    assert not forward_inputs(nn.Linear(2, 2)).optional
