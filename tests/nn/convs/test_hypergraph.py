import numpy as np
import torch
from torch_geometric.nn import HypergraphConv

from highwaygraph.config import Network
from highwaygraph.models import build
from highwaygraph.nn.factory import build_network
from tests.helpers.graphs import block_graph

PATH = torch.tensor([[0, 1, 1, 2, 2, 3], [1, 0, 2, 1, 3, 2]])


def test_a_node_with_its_neighbours_is_a_hyperedge() -> None:
    data = block_graph()
    model = build("hyper", data, layers=1, dropout=0.0)
    incidence = torch.cat([data.edge_index, torch.arange(180).expand(2, -1)], dim=1)
    layer = model.layers[0]
    assert isinstance(layer, HypergraphConv)
    assert torch.equal(model(data.x, data.edge_index), layer(data.x, incidence))
    raw = build_network(Network(model="hyper", layers=1, dropout=0.0, hyperedges="raw"), 12, 3)
    raw.load_state_dict(model.state_dict())
    assert torch.equal(raw(data.x, data.edge_index), layer(data.x, data.edge_index))


def test_operators_are_means_over_members_and_over_hyperedges() -> None:
    members, hyperedges = build("hyper", block_graph()).operators(PATH, None, 4, None)
    assert members.toarray()[0].tolist() == [0.5, 0.5, 0, 0]
    np.testing.assert_allclose(hyperedges.toarray().sum(axis=1), 1, rtol=1e-6)


def test_each_layer_reaches_two_hops() -> None:
    assert build("hyper", block_graph(), layers=3).num_hops == 6
