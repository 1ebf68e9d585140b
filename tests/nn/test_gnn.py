import pytest
import torch
from torch_geometric.nn import HypergraphConv

from highwaygraph.config import Network
from highwaygraph.errors import ConfigError, ModelError
from highwaygraph.models import build
from highwaygraph.nn.gnn import GNN
from tests.helpers.graphs import block_graph

MODELS = ("gcn", "gat", "sage", "hyper", "grand")


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


@pytest.mark.parametrize("name", MODELS)
def test_without_a_bias_nothing_in_gives_nothing_out(name) -> None:
    data = block_graph()
    model = build(name, data, bias=False).eval()
    nothing = torch.zeros_like(data.x)
    assert not model(nothing, data.edge_index).any()
    assert not model.run(model.prepare(nothing, data.edge_index, None)(None)).any()


@pytest.mark.parametrize("name", MODELS)
def test_hidden_dropout_is_a_rate_of_its_own(name) -> None:
    data = block_graph()
    model = build(name, data, dropout=0.0, hidden_dropout=0.5)
    ready = model.prepare(data.x, data.edge_index, None)(None)
    assert not torch.equal(model.run(ready), model.run(ready))
    assert not torch.equal(model(data.x, data.edge_index), model(data.x, data.edge_index))
    still = build(name, data, dropout=0.0)
    assert torch.equal(still.run(ready), still.run(ready))
    with pytest.raises(ConfigError, match="hidden_dropout must lie between 0 and 1"):
        build(name, data, hidden_dropout=1.0)
