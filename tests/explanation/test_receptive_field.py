"""Balls and induced subgraphs, in memory and as a CSR adjacency."""

import torch

from highwaygraph.explanation.receptive_field import FANOUT, ball, induced_subgraph
from highwaygraph.graph.bfs import hops_from
from highwaygraph.graph.queries import undirected_adjacencies, with_csr
from tests.helpers.explained import long_graph
from tests.helpers.graphs import symmetric_weights


def test_a_ball_has_the_nodes_within_its_radius() -> None:
    parts = undirected_adjacencies(long_graph())
    hops = hops_from(parts, torch.tensor([5]))
    found = ball(parts, 5, 2, None)
    assert found.is_complete
    assert int(found.nodes[0]) == 5
    assert set(found.nodes.tolist()) == set(((hops >= 0) & (hops <= 2)).nonzero().flatten().tolist())
    assert torch.equal(found.hops, hops[found.nodes])


def test_a_large_ball_is_sampled_and_marked() -> None:
    parts = undirected_adjacencies(long_graph())
    whole, sampled = ball(parts, 5, 4, None), ball(parts, 5, 4, 3)
    assert not sampled.is_complete
    assert set(sampled.nodes.tolist()) <= set(whole.nodes.tolist())
    assert int((sampled.hops == 1).sum()) <= FANOUT
    assert torch.equal(sampled.nodes, ball(parts, 5, 4, 3).nodes)


def test_an_isolated_node_is_its_own_ball() -> None:
    data = long_graph()
    data.edge_index = data.edge_index[:, (data.edge_index != 5).all(dim=0)]
    assert ball(undirected_adjacencies(data), 5, 3, None).nodes.tolist() == [5]


def edges_of(graph, nodes) -> dict[tuple[int, int], float]:
    ends = nodes[graph.edge_index].T.tolist()
    return {(a, b): round(w, 5) for (a, b), w in zip(ends, graph.edge_weight.tolist(), strict=True)}


def test_an_induced_subgraph_has_all_edges_between_its_nodes() -> None:
    data = long_graph()
    data.edge_weight = symmetric_weights(data)
    nodes = torch.tensor([40, 7, 5, 180, 3, 9, 12, 30])
    found = induced_subgraph(data, nodes)
    inside = torch.isin(data.edge_index, nodes).all(dim=0)
    wanted = {
        (a, b): round(w, 5)
        for (a, b), w in zip(data.edge_index[:, inside].T.tolist(), data.edge_weight[inside].tolist(), strict=True)
    }
    assert edges_of(found, nodes) == wanted
    assert torch.equal(found.x, data.x[nodes])
    lean = with_csr(data)
    del lean.edge_index, lean.edge_weight
    assert edges_of(induced_subgraph(lean, nodes), nodes) == wanted
