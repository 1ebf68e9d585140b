import weakref

import pytest
import torch

from highwaygraph.graph.csr import from_edge_index
from highwaygraph.models import build
from highwaygraph.nn import layerwise
from highwaygraph.nn.layerwise import BufferPool, all_logits
from tests.helpers.graphs import block_graph


@pytest.mark.parametrize("name", ["gcn", "gat", "sage", "hyper", "raw", "grand"])
@pytest.mark.parametrize("entries", [64, 2**24])
def test_the_same_logits_as_forward(name, entries, monkeypatch) -> None:
    monkeypatch.setattr(layerwise, "ENTRIES", entries)
    monkeypatch.setattr(layerwise, "AT_HAND", entries)
    monkeypatch.setattr(layerwise, "CHUNK", 50)
    data = block_graph()
    more = {"hyperedges": "raw"} if name == "raw" else {}
    model = build("hyper" if name == "raw" else name, data, hidden=16, layers=3, **more).eval()
    # Half of the edges stand in another part, as highways do.
    one, other = data.edge_index[0] % 2 == data.edge_index[1] % 2, data.edge_index[0] % 2 != data.edge_index[1] % 2
    parts = [from_edge_index(data.edge_index[:, mask], 180) for mask in (one, other)]
    with torch.no_grad():
        expected = model(data.x, data.edge_index)
    assert torch.allclose(all_logits(model, lambda rows: data.x[rows], parts, BufferPool()), expected, atol=1e-5)


@pytest.mark.parametrize("name", ["gcn", "gat", "sage", "hyper", "grand"])
def test_what_was_answered_before_on_the_same_desk_stays(name) -> None:
    data, desk = block_graph(), BufferPool()
    parts = [from_edge_index(data.edge_index, 180)]
    small, large = (build(name, data, hidden=hidden, layers=3).eval() for hidden in (8, 16))
    first = all_logits(small, lambda rows: data.x[rows], parts, desk)
    kept = first.clone()
    all_logits(large, lambda rows: data.x[rows], parts, desk)
    assert torch.equal(first, kept)
    assert torch.equal(all_logits(small, lambda rows: data.x[rows], parts, desk), kept)


@pytest.mark.parametrize("name", ["gcn", "gat", "sage"])
def test_edges_that_come_twice_count_twice(name) -> None:
    data = block_graph()
    model = build(name, data, hidden=16).eval()
    edges = torch.cat([data.edge_index, data.edge_index[:, :50], data.edge_index[:, :50].flip(0)], dim=1)
    with torch.no_grad():
        expected = model(data.x, edges)
    found = all_logits(model, lambda rows: data.x[rows], [from_edge_index(edges, 180)], BufferPool())
    assert torch.allclose(found, expected, atol=1e-5)


def test_weights_count_where_the_network_takes_them() -> None:
    data = block_graph()
    model = build("gcn", data, hidden=16).eval()
    weight = torch.rand(data.edge_index.size(1), generator=torch.Generator().manual_seed(0))
    # One weight per undirected edge.
    weight = (weight + _back(data.edge_index, weight)) / 2
    with torch.no_grad():
        expected = model(data.x, data.edge_index, weight)
    found = all_logits(model, lambda rows: data.x[rows], [from_edge_index(data.edge_index, 180, weight)], BufferPool())
    assert torch.allclose(found, expected, atol=1e-5)


def test_nodes_without_edges() -> None:
    data = block_graph()
    none = torch.empty(2, 0, dtype=torch.long)
    for name in ("gcn", "gat", "sage", "hyper"):
        model = build(name, data, hidden=16).eval()
        with torch.no_grad():
            expected = model(data.x, none)
        assert torch.allclose(
            all_logits(model, lambda rows: data.x[rows], [from_edge_index(none, 180)], BufferPool()),
            expected,
            atol=1e-5,
        )


def _back(edges: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    forth, back = edges[0] * 180 + edges[1], edges[1] * 180 + edges[0]
    order = forth.argsort()
    return values[order][torch.searchsorted(forth[order], back)]


@pytest.mark.parametrize("name", ["gcn", "gat", "sage", "hyper"])
def test_what_a_hidden_layer_answers_is_never_held_whole(name, monkeypatch) -> None:
    monkeypatch.setattr(layerwise, "ENTRIES", 64)
    monkeypatch.setattr(layerwise, "AT_HAND", 64)
    held, most, answer = weakref.WeakSet(), [], layerwise._answer

    def watched(*args):
        for rows, x in answer(*args):
            held.add(x)
            most.append(sum(len(one) for one in held))
            yield rows, x
            del x

    monkeypatch.setattr(layerwise, "_answer", watched)
    data = block_graph()
    all_logits(
        build(name, data, hidden=16).eval(),
        lambda rows: data.x[rows],
        [from_edge_index(data.edge_index, 180)],
        BufferPool(),
    )
    assert len(most) > 20
    assert max(most) < 60
