import pytest
import torch

import highwaygraph as hg
from highwaygraph.graph.csr import from_edge_index
from highwaygraph.models import build
from highwaygraph.nn.layerwise import BufferPool, all_logits
from tests.helpers.graphs import block_graph, symmetric_weights

SHORT = {"fit.epochs": 5, "fit.device": "cpu", "highway.rounds": 1}


def test_the_logits_are_those_of_linear_layers() -> None:
    data = block_graph()
    model = build("mlp", data, hidden=16, layers=3).eval()
    first, second, last = (layer.lin for layer in model.layers)
    expected = last(second(first(data.x).relu()).relu())
    torch.testing.assert_close(model(data.x, data.edge_index), expected)


def test_edges_and_weights_have_no_effect() -> None:
    data = block_graph()
    model, weight = build("mlp", data, hidden=16).eval(), symmetric_weights(data)
    expected = model(data.x, torch.empty(2, 0, dtype=torch.long))
    torch.testing.assert_close(model(data.x, data.edge_index, weight), expected)
    torch.testing.assert_close(model.run(model.prepare(data.x, data.edge_index, weight)(None)), expected)
    adjacency = from_edge_index(data.edge_index, 180, weight)
    streamed = all_logits(model, lambda rows: data.x[rows], [adjacency], BufferPool())
    torch.testing.assert_close(streamed, expected, atol=1e-5, rtol=1e-4)


def test_only_the_targets_are_read() -> None:
    data = block_graph()
    model = build("mlp", data, hidden=16)
    assert model.num_hops == 0
    assert len(model.prepare(data.x, data.edge_index, None)(torch.tensor([3, 5])).x) == 2


@pytest.mark.parametrize("batches", [{}, {"fit.batch_size": 8}])
def test_training_is_the_same_with_any_weights(batches) -> None:
    data, config = block_graph(), hg.override(hg.PRESETS["typical"], SHORT | batches)
    plain = hg.train(build("mlp", data, hidden=8), data, config, seed=0)
    data.edge_weight = -symmetric_weights(data)
    weighted = hg.train(build("mlp", data, hidden=8), data, config, seed=0)
    assert torch.equal(plain.logits, weighted.logits)
