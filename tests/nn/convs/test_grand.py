import torch
from torch_geometric.utils import to_dense_adj

from highwaygraph.models import build
from highwaygraph.nn.convs.grand import MeanPropagation
from tests.helpers.graphs import block_graph


def test_the_first_layer_is_the_mean_of_powers_of_the_normalised_matrix() -> None:
    data = block_graph()
    layer = MeanPropagation(12, 5, 3, bias=True)
    torch.nn.init.ones_(layer.bias)
    adjacency = to_dense_adj(data.edge_index, max_num_nodes=180)[0] + torch.eye(180)
    scale = adjacency.sum(1).rsqrt()
    step = scale[:, None] * adjacency * scale[None, :]
    powers = sum(torch.linalg.matrix_power(step, k) for k in range(4)) / 4
    expected = powers @ data.x @ layer.lin.weight.T + 1
    torch.testing.assert_close(layer(data.x, data.edge_index), expected, atol=1e-5, rtol=1e-4)


def test_without_steps_it_is_a_linear_layer() -> None:
    data = block_graph()
    layer = MeanPropagation(12, 5, 0, bias=False)
    torch.testing.assert_close(layer(data.x, data.edge_index), layer.lin(data.x))
    before = layer.lin.weight.clone()
    layer.reset_parameters()
    assert not torch.equal(before, layer.lin.weight)


def test_only_the_first_layer_propagates() -> None:
    model = build("grand", block_graph(), layers=3, order=4)
    assert [layer.order for layer in model.layers] == [4, 0, 0]
    assert model.num_hops == 4
