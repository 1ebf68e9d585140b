import copy
import math
from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.graph import queries
from highwaygraph.graph.augment import add_highways, to_undirected
from highwaygraph.graph.csr import from_edge_index
from highwaygraph.graph.graph import Graph
from tests.helpers.graphs import block_graph, edge_lists


def by_rows_only(data: Graph) -> Graph:
    """Return the graph as a store gives it: without the list of edges."""
    bare = copy.copy(data)
    bare.csr = from_edge_index(data.edge_index, data.num_nodes)
    del bare.edge_index
    return bare


@given(edge_lists(), st.data())
def test_both_forms_answer_alike(case, data) -> None:
    nodes, old, new = case
    listed = Graph(edge_index=to_undirected(old, nodes), num_nodes=nodes)
    rows = by_rows_only(listed)
    sources = torch.tensor(data.draw(st.lists(st.integers(0, nodes - 1), min_size=1, max_size=3, unique=True)))
    assert torch.equal(queries.degrees(listed), queries.degrees(rows))
    assert torch.equal(queries.is_new(listed, new), queries.is_new(rows, new))
    assert torch.equal(queries.hops_from(listed, sources), queries.hops_from(rows, sources))
    assert torch.equal(queries.hops_between(listed, sources), queries.hops_between(rows, sources))


def test_hops_to_the_own_class() -> None:
    data = block_graph()
    assert torch.equal(queries.hops_to_own_class(data), queries.hops_to_own_class(by_rows_only(data)))


def test_highways_count_as_edges_of_the_graph() -> None:
    data = by_rows_only(block_graph())
    highway = torch.tensor([[0], [170]])
    assert queries.is_new(data, highway).all()
    before = queries.degrees(data)
    data.highway_csr = from_edge_index(to_undirected(highway, 180), 180)
    assert not queries.is_new(data, highway).any()
    assert (queries.degrees(data) - before).nonzero().flatten().tolist() == [0, 170]


def test_highways_shorten_ways_in_both_forms() -> None:
    data = block_graph()
    highway = torch.tensor([[0, 5], [170, 100]])
    listed, rows = (add_highways(graph, highway) for graph in (data, by_rows_only(data)))
    nodes = torch.tensor([0, 170, 5])
    assert torch.equal(queries.hops_between(listed, nodes), queries.hops_between(rows, nodes))
    again = add_highways(rows, torch.tensor([[1], [171]]))
    assert not queries.is_new(again, torch.tensor([[0, 1], [170, 171]])).any()
    assert queries.with_edge_index(again).edge_index.size(1) == data.edge_index.size(1) + 6


def test_direction_and_weights() -> None:
    data = block_graph()
    rows = by_rows_only(data)
    assert not queries.is_directed(data)
    assert not queries.is_directed(rows)
    half = Graph(edge_index=data.edge_index[:, data.edge_index[0] < data.edge_index[1]], num_nodes=180)
    assert queries.is_directed(half)
    rows.csr = from_edge_index(data.edge_index, 180, torch.ones(data.edge_index.size(1)))
    assert queries.is_weighted(rows)
    assert not queries.is_weighted(queries.without_weights(rows))
    assert queries.homophily(data) == queries.homophily(by_rows_only(data))


def test_homophily_ignores_unlabelled_ends() -> None:
    y = torch.tensor([0, 0, 1, 1, 2, -1])
    graph = Graph(edge_index=torch.tensor([[0, 1, 4], [1, 2, 5]]), y=y, num_nodes=len(y))
    assert queries.homophily(graph) == 0.5
    # Of four labelled ends, three are of class 0: e = (3/4)^2 + (1/4)^2.
    assert queries.adjusted_homophily(graph) == pytest.approx((0.5 - 0.625) / 0.375)


def test_homophily_is_not_defined_without_edges_or_beyond_one_class() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    none = Graph(edge_index=edges[:, :0], y=torch.tensor([0, 1]), num_nodes=2)
    unlabelled = Graph(edge_index=edges, y=torch.tensor([-1, -1]), num_nodes=2)
    for graph in (none, unlabelled):
        assert all(math.isnan(value) for value in queries.homophily_measures(graph))
    single = queries.homophily_measures(Graph(edge_index=edges, y=torch.tensor([1, 1]), num_nodes=2))
    assert single.edge == 1
    assert math.isnan(single.adjusted)


@given(edge_lists(), st.data())
def test_adjusted_homophily_is_the_modularity_over_its_maximum(case, data) -> None:
    # Modularity by its definition on the adjacency matrix: sum_ij (A_ij - d_i d_j / 2m) [y_i = y_j] / 2m.
    nodes, edges, _ = case
    y = torch.tensor(data.draw(st.lists(st.integers(0, 2), min_size=nodes, max_size=nodes)))
    edges = to_undirected(edges[:, edges[0] != edges[1]], nodes)
    adjacency = torch.zeros(nodes, nodes, dtype=torch.double)
    adjacency[tuple(edges)] = 1
    degree, total = adjacency.sum(0), adjacency.sum()
    together = (y[:, None] == y[None, :]).double()
    expected = (degree[:, None] * degree[None, :] * together).sum() / total**2
    graph = Graph(edge_index=edges, y=y, num_nodes=nodes)
    found = queries.homophily_measures(graph)
    if total == 0 or 1 - expected < 1e-9:
        assert math.isnan(found.adjusted)
    else:
        modularity = (adjacency * together).sum() / total - expected
        assert found.adjusted == pytest.approx(float(modularity / (1 - expected)))
        assert queries.homophily_measures(by_rows_only(graph)) == pytest.approx(found)


def test_homophily_of_a_mapped_graph_is_counted_in_chunks(monkeypatch) -> None:
    data = by_rows_only(block_graph())
    whole = queries.homophily_measures(data)
    small = partial(queries.csr.node_chunks, most=50)
    assert len(small(data.csr, torch.arange(180))) > 5
    monkeypatch.setattr(queries.csr, "node_chunks", small)
    assert queries.homophily_measures(data) == whole
