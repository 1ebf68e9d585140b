import pytest
import torch
from torch import nn
from torch_geometric.data import Data
from torch_geometric.nn import APPNP, GCNConv, HypergraphConv, SGConv

from highwaygraph.config import Network
from highwaygraph.errors import ConfigError, ModelError
from highwaygraph.models import GNN, build, num_classes, refuse_cached, reinitialise, takes_edge_weight
from tests.graphs import block_graph

MODELS = ("gcn", "gat", "sage", "hyper")


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("layers", [1, 2, 4])
def test_logits_have_one_row_per_node_and_gradients_everywhere(name, layers) -> None:
    data = block_graph()
    model = build(name, data, hidden=16, layers=layers)
    model(data.x, data.edge_index).sum().backward()
    assert model(data.x, data.edge_index).shape == (180, 3)
    assert all(p.grad is not None for p in model.parameters())


@pytest.mark.parametrize("name", MODELS)
def test_only_training_drops_out(name) -> None:
    data = block_graph()
    model = build(name, data, dropout=0.5)
    assert not torch.equal(model(data.x, data.edge_index), model(data.x, data.edge_index))
    model.eval()
    assert torch.equal(model(data.x, data.edge_index), model(data.x, data.edge_index))


def test_a_node_with_its_neighbours_is_a_hyperedge() -> None:
    data = block_graph()
    model = build("hyper", data, layers=1, dropout=0.0)
    incidence = torch.cat([data.edge_index, torch.arange(180).expand(2, -1)], dim=1)
    layer = model.layers[0]
    assert isinstance(layer, HypergraphConv)
    assert torch.equal(model(data.x, data.edge_index), layer(data.x, incidence))
    raw = GNN(Network(model="hyper", layers=1, dropout=0.0, hyperedges="raw"), 12, 3)
    raw.load_state_dict(model.state_dict())
    assert torch.equal(raw(data.x, data.edge_index), layer(data.x, data.edge_index))


def test_gcn_takes_edge_weights_and_the_others_refuse_them() -> None:
    data = block_graph()
    weight = torch.rand(data.edge_index.size(1))
    gcn = build("gcn", data).eval()
    assert not torch.equal(gcn(data.x, data.edge_index, weight), gcn(data.x, data.edge_index))
    with pytest.raises(ModelError, match="sage takes no edge weights"):
        build("sage", data)(data.x, data.edge_index, weight)


def test_unknown_names_and_options() -> None:
    data = block_graph()
    with pytest.raises(ConfigError, match="no model 'gcnn'. Did you mean 'gcn'"):
        build("gcnn", data)
    with pytest.raises(ConfigError, match="no option 'hiden'. Did you mean 'hidden'"):
        build("gcn", data, hiden=3)


def test_classes_come_from_names_or_labels() -> None:
    assert num_classes(Data(y=torch.tensor([0, 4, -1]))) == 5
    assert num_classes(Data(y=torch.tensor([0, 1]), classes=["a", "b", "c"])) == 3


@pytest.mark.parametrize("layer", [GCNConv(3, 2, cached=True), SGConv(3, 2, cached=True), APPNP(2, 0.1, cached=True)])
def test_cached_layers_are_refused(layer) -> None:
    with pytest.raises(ModelError, match=r"cached=True and would ignore added edges: build it with cached=False"):
        refuse_cached(nn.Sequential(nn.Identity(), layer))
    refuse_cached(GCNConv(3, 2))


def test_reinitialise_follows_the_seed_through_modules_without_their_own_reset() -> None:
    model = nn.Sequential(nn.Linear(3, 4), nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 2)))
    weights = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        reinitialise(model)
        weights.append(model[1][1].weight.clone())
    assert torch.equal(weights[0], weights[1])
    assert not torch.equal(weights[0], weights[2])


def test_takes_edge_weight_reads_the_signature() -> None:
    assert takes_edge_weight(build("gcn", block_graph()))
    assert not takes_edge_weight(nn.Linear(2, 2))
