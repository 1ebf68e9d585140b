import torch
from torch_geometric.utils import to_dense_adj

from highwaygraph.models import build
from tests.helpers.graphs import block_graph


def test_a_layer_is_the_normalised_adjacency_times_features_and_weights() -> None:
    data = block_graph()
    model = build("gcn", data, layers=1).eval()
    layer = model.layers[0]
    adjacency = to_dense_adj(data.edge_index, max_num_nodes=180)[0] + torch.eye(180)
    scale = adjacency.sum(1).rsqrt()
    expected = (scale[:, None] * adjacency * scale) @ data.x @ layer.lin.weight.T + layer.bias
    torch.testing.assert_close(model(data.x, data.edge_index), expected, atol=1e-5, rtol=1e-4)


def test_each_layer_reaches_one_hop() -> None:
    assert build("gcn", block_graph(), layers=3).num_hops == 3
