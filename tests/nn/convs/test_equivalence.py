"""Every built-in network gives the same logits in all the ways it runs; PyG's layers are the reference."""

import pytest
import torch
from scipy.sparse import csr_array

from highwaygraph.config import Fit
from highwaygraph.errors import ModelError
from highwaygraph.graph.csr import from_edge_index
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.neighbor_sampler import NeighborSampler
from highwaygraph.models import build
from highwaygraph.nn import layerwise
from highwaygraph.nn.batches import compute_logits, subgraph_builder
from highwaygraph.nn.factory import NETWORKS
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.layerwise import BufferPool, all_logits
from tests.helpers.graphs import block_graph, irregular_graph, symmetric_weights

VARIANTS = [*((name, {}) for name in NETWORKS), ("hyper", {"hyperedges": "raw"})]
ACCEPTING = [name for name, network in NETWORKS.items() if network.accepts_edge_weight]
# The weights have no effect on a network that reads no edges.
WEIGHTED = [name for name in ACCEPTING if name != "mlp"]
networks = pytest.mark.parametrize("name", NETWORKS)
variants = pytest.mark.parametrize(("name", "options"), VARIANTS)


@variants
@pytest.mark.parametrize("kind", ["sparse", "dense"])
@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("restricted", [True, False])
def test_prepared_logits_and_gradients_are_those_of_pyg(name, options, kind, layers, restricted) -> None:
    data = irregular_graph()
    torch.manual_seed(0)
    model = build(name, data, hidden=16, layers=layers, dropout=0.0, **options)
    targets = data.train_mask.nonzero().flatten() if restricted else torch.arange(180)
    expected = model(data.x, data.edge_index)[targets]
    torch.manual_seed(1)
    weight = torch.randn_like(expected)
    (expected * weight).sum().backward()
    gradients = {n: p.grad.clone() for n, p in model.named_parameters()}
    model.zero_grad()
    x = csr_array(data.x.numpy()) if kind == "sparse" else data.x
    logits = model.run(model.prepare(x, data.edge_index, None)(targets if restricted else None))
    (logits * weight).sum().backward()
    torch.testing.assert_close(logits, expected, atol=1e-5, rtol=1e-4)
    for n, p in model.named_parameters():
        torch.testing.assert_close(p.grad, gradients[n], atol=1e-4, rtol=1e-3)


@networks
def test_hidden_features_are_features_of_zero(name) -> None:
    data = block_graph()
    model = build(name, data, hidden=16).eval()
    visible = (torch.arange(180) % 3 > 0).float()
    logits = model.run(model.prepare(data.x, data.edge_index, None)(None), visible)
    torch.testing.assert_close(logits, model(data.x * visible[:, None], data.edge_index), atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", WEIGHTED)
def test_edge_weights_count_in_all_ways(name) -> None:
    data = block_graph()
    weight = symmetric_weights(data)
    model = build(name, data, hidden=16).eval()
    with torch.no_grad():
        expected = model(data.x, data.edge_index, weight)
        assert not torch.allclose(expected, model(data.x, data.edge_index), atol=1e-3)
        prepared = model.run(model.prepare(data.x, data.edge_index, weight)(None))
    adjacency = from_edge_index(data.edge_index, 180, weight)
    torch.testing.assert_close(prepared, expected, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(stream(model, data, [adjacency]), expected, atol=1e-5, rtol=1e-4)
    torch.testing.assert_close(sampled(model, data, adjacency), expected[:20], atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", sorted(set(NETWORKS) - set(ACCEPTING)))
def test_other_networks_refuse_edge_weights(name) -> None:
    data = block_graph()
    model, weight = build(name, data), torch.ones(data.edge_index.size(1))
    with pytest.raises(ModelError, match=f"{name} takes no edge weights: use gcn, or drop data.edge_weight"):
        model(data.x, data.edge_index, weight)
    with pytest.raises(ModelError, match=f"{name} takes no edge weights"):
        model.prepare(data.x, data.edge_index, weight)


@variants
@pytest.mark.parametrize("entries", [64, 2**24])
def test_layerwise_logits_are_those_of_forward(name, options, entries, monkeypatch) -> None:
    monkeypatch.setattr(layerwise, "ENTRIES", entries)
    monkeypatch.setattr(layerwise, "CACHED_ENTRIES", entries)
    monkeypatch.setattr(layerwise, "CHUNK", 50)
    data = block_graph()
    model = build(name, data, hidden=16, layers=3, **options).eval()
    # Half of the edges are in another adjacency, as highways are.
    even = data.edge_index.sum(dim=0) % 2 == 0
    adjacencies = [from_edge_index(data.edge_index[:, mask], 180) for mask in (even, ~even)]
    with torch.no_grad():
        expected = model(data.x, data.edge_index)
    torch.testing.assert_close(stream(model, data, adjacencies), expected, atol=1e-5, rtol=1e-4)


@variants
def test_a_batch_with_all_neighbours_is_the_whole_graph(name, options) -> None:
    data = block_graph()
    model = build(name, data, hidden=16, **options).eval()
    with torch.no_grad():
        expected = model(data.x, data.edge_index)[:20]
    adjacency = from_edge_index(data.edge_index, 180)
    torch.testing.assert_close(sampled(model, data, adjacency), expected, atol=1e-5, rtol=1e-4)


@networks
def test_dropout_has_the_mean_and_variance_of_torchs(name) -> None:
    data = irregular_graph()
    torch.manual_seed(0)
    model = build(name, data, hidden=16, dropout=0.4)
    prepared = model.prepare(csr_array(data.x.numpy()), data.edge_index, None)(None)
    with torch.no_grad():
        ours = torch.stack([model.run(prepared) for _ in range(600)])
        theirs = torch.stack([model(data.x, data.edge_index) for _ in range(600)])
    error = (ours.var(0) / 600 + theirs.var(0) / 600).sqrt().clamp(min=1e-6)
    assert ((ours.mean(0) - theirs.mean(0)) / error).abs().mean() < 1.0
    assert ours.std(0).mean() == pytest.approx(theirs.std(0).mean().item(), rel=0.05)


def stream(model: GNN, data: Graph, adjacencies) -> torch.Tensor:
    return all_logits(model, lambda rows: data.x[rows], adjacencies, BufferPool())


def sampled(model: GNN, data: Graph, adjacency) -> torch.Tensor:
    """Return the first 20 nodes' logits from a subgraph with all their neighbours within the receptive field."""
    subgraph = NeighborSampler([adjacency], [180] * model.num_hops, seed=0).draw(torch.arange(20))
    subgraph.x = data.x[subgraph.n_id]
    with torch.no_grad():
        return compute_logits(model, subgraph_builder(model, subgraph, Fit(device="cpu"))(torch.arange(20)))
