import pytest
import torch
from torch_geometric.utils import to_dense_adj

from highwaygraph.errors import ConfigError
from highwaygraph.models import build
from tests.helpers.graphs import block_graph


def test_predictions_of_an_mlp_are_propagated_with_teleport() -> None:
    data = block_graph()
    model = build("appnp", data, hidden=16, order=7, alpha=0.2).eval()
    first, last = (layer.lin for layer in model.layers)
    adjacency = to_dense_adj(data.edge_index, max_num_nodes=180)[0] + torch.eye(180)
    scale = adjacency.sum(1).rsqrt()
    step = scale[:, None] * adjacency * scale
    predictions = expected = last(first(data.x).relu())
    for _ in range(7):
        expected = 0.8 * step @ expected + 0.2 * predictions
    torch.testing.assert_close(model(data.x, data.edge_index), expected, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_limits_of_the_teleport_probability(alpha) -> None:
    data = block_graph()
    model = build("appnp", data, hidden=16, alpha=alpha).eval()
    logits = model.run(model.prepare(data.x, data.edge_index, None)(None))
    torch.testing.assert_close(logits, model(data.x, data.edge_index), atol=1e-5, rtol=1e-4)
    alone = model(data.x, torch.empty(2, 0, dtype=torch.long))
    assert torch.allclose(logits, alone, atol=1e-5) == (alpha == 1)
    with pytest.raises(ConfigError, match="alpha"):
        build("appnp", data, alpha=alpha + 1.1)


def test_the_receptive_field_is_the_number_of_steps() -> None:
    data = block_graph()
    assert build("appnp", data).num_hops == 5
    assert build("appnp", data, order=10, layers=3).num_hops == 10


def test_the_authors_default_is_pygs() -> None:
    layer = build("appnp", block_graph(), order=10).layers[-1].propagation
    assert (layer.K, layer.alpha, layer.dropout, layer.cached) == (10, 0.1, 0.0, False)
