import weakref

import pytest
import torch

from highwaygraph.graph.csr import from_edge_index
from highwaygraph.models import build
from highwaygraph.nn import layerwise
from highwaygraph.nn.factory import NETWORKS
from highwaygraph.nn.layerwise import BufferPool, all_logits
from tests.helpers.graphs import block_graph

networks = pytest.mark.parametrize("name", NETWORKS)


def test_a_buffer_reuses_the_memory_of_its_name() -> None:
    pool = BufferPool()
    first = pool.buffer("a", 10, 4)
    assert first.shape == (10, 4)
    smaller, other = pool.buffer("a", 3, 5), pool.buffer("b", 10, 4)
    assert smaller.shape == (3, 5)
    assert smaller.data_ptr() == first.data_ptr() != other.data_ptr()
    smaller[:], other[:] = 1, 2
    assert torch.equal(first.flatten()[:15], torch.ones(15))


def test_a_larger_buffer_gets_new_memory() -> None:
    pool = BufferPool()
    small, large = pool.buffer("a", 2, 2), pool.buffer("a", 100, 3)
    large[:] = 1
    small[:] = 2
    assert torch.equal(large, torch.ones(100, 3))
    assert pool.buffer("a", 300, 1).data_ptr() == large.data_ptr()


@networks
def test_earlier_logits_from_the_same_pool_stay(name) -> None:
    data, pool = block_graph(), BufferPool()
    adjacencies = [from_edge_index(data.edge_index, 180)]
    small, large = (build(name, data, hidden=hidden, layers=3).eval() for hidden in (8, 16))
    first = all_logits(small, lambda rows: data.x[rows], adjacencies, pool)
    before = first.clone()
    all_logits(large, lambda rows: data.x[rows], adjacencies, pool)
    assert torch.equal(first, before)
    assert torch.equal(all_logits(small, lambda rows: data.x[rows], adjacencies, pool), before)


@networks
def test_parallel_edges_count_twice(name) -> None:
    data = block_graph()
    model = build(name, data, hidden=16).eval()
    edges = torch.cat([data.edge_index, data.edge_index[:, :50], data.edge_index[:, :50].flip(0)], dim=1)
    with torch.no_grad():
        expected = model(data.x, edges)
    found = all_logits(model, lambda rows: data.x[rows], [from_edge_index(edges, 180)], BufferPool())
    assert torch.allclose(found, expected, atol=1e-5)


@networks
def test_nodes_without_edges(name) -> None:
    data, none = block_graph(), torch.empty(2, 0, dtype=torch.long)
    model = build(name, data, hidden=16).eval()
    with torch.no_grad():
        expected = model(data.x, none)
    found = all_logits(model, lambda rows: data.x[rows], [from_edge_index(none, 180)], BufferPool())
    assert torch.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("name", ["gcn", "gat", "sage", "hyper"])
def test_a_hidden_layers_output_is_never_held_whole(name, monkeypatch) -> None:
    monkeypatch.setattr(layerwise, "ENTRIES", 64)
    monkeypatch.setattr(layerwise, "CACHED_ENTRIES", 64)
    held, most = weakref.WeakSet(), []
    data = block_graph()
    model = build(name, data, hidden=16).eval()
    aggregate = model.aggregate_layerwise

    def watched(*args):
        for rows, x in aggregate(*args):
            held.add(x)
            most.append(sum(len(one) for one in held))
            yield rows, x
            del x

    model.aggregate_layerwise = watched
    all_logits(model, lambda rows: data.x[rows], [from_edge_index(data.edge_index, 180)], BufferPool())
    assert len(most) > 20
    assert max(most) < 60
