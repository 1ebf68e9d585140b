from math import log

import torch
from torch_geometric.utils import to_dense_adj

from highwaygraph.models import build
from tests.helpers.graphs import block_graph


def test_convolutions_have_an_initial_residual_and_an_identity_mapping() -> None:
    data = block_graph()
    model = build("gcn2", data, hidden=16, layers=5, alpha=0.2, theta=0.7).eval()
    first, *convs, last = model.layers
    adjacency = to_dense_adj(data.edge_index, max_num_nodes=180)[0] + torch.eye(180)
    scale = adjacency.sum(1).rsqrt()
    propagation = scale[:, None] * adjacency * scale
    x = initial = first(data.x).relu()
    for number, conv in enumerate(convs, start=1):
        beta = log(0.7 / number + 1)
        mixed = 0.8 * propagation @ x + 0.2 * initial
        x = ((1 - beta) * mixed + beta * mixed @ conv.weight1).relu()
    torch.testing.assert_close(model(data.x, data.edge_index), last(x), atol=1e-5, rtol=1e-4)


def test_layers_are_convolutions_between_two_linear_layers() -> None:
    model = build("gcn2", block_graph(), hidden=16, layers=4)
    assert [type(layer).__name__ for layer in model.layers] == ["Linear", *["GCN2Conv"] * 4, "Linear"]
    assert model.num_hops == 4


def test_deep_networks_share_operators() -> None:
    data = block_graph()
    model = build("gcn2", data, hidden=16, layers=64).eval()
    builder = model.prepare(data.x, data.edge_index, None)
    whole, part = builder(None), builder(torch.tensor([3]))
    assert len({id(conv.operator) for conv in whole.layers}) == 1
    assert len({id(conv.operator) for conv in part.layers}) < 20
    torch.testing.assert_close(model.run(part), model.run(whole)[[3]], atol=1e-5, rtol=1e-4)
