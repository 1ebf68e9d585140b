import numpy as np
import pytest
import torch

from highwaygraph.errors import DataError
from highwaygraph.graph import edge_values
from highwaygraph.graph.augment import add_highways
from highwaygraph.graph.edge_values import (
    highway_values,
    keep_values,
    refuse_other_values,
    values_by_name,
    with_highway_values,
)
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import with_csr, with_edge_index
from tests.helpers.edge_graphs import edge_kind_graph
from tests.helpers.graphs import block_graph


def test_a_graph_without_values_has_no_highway_values() -> None:
    graph = block_graph()
    assert highway_values(graph) == {}
    assert with_highway_values(graph) is graph


def test_a_highway_has_the_mean_features_and_the_most_frequent_type(monkeypatch) -> None:
    monkeypatch.setattr(edge_values, "CHUNK_ROWS", 7)
    graph = edge_kind_graph()
    values = highway_values(graph)
    assert torch.allclose(values["edge_attr"], graph.edge_attr.mean(dim=0), atol=1e-6)
    assert int(values["edge_type"]) == 1
    graph.edge_type = 1 - graph.edge_type
    assert int(highway_values(graph)["edge_type"]) == 0
    graph.edge_type = graph.edge_type[:0]
    assert int(highway_values(graph)["edge_type"]) == 0


def test_fixed_values_stay_as_the_graph_grows() -> None:
    graph = edge_kind_graph()
    fixed = with_highway_values(graph)
    grown = add_highways(add_highways(fixed, torch.tensor([[0], [250]])), torch.tensor([[1], [251]]))
    assert grown.edge_type[-4:].tolist() == [1, 1, 1, 1]
    assert torch.equal(grown.edge_attr[-4:], highway_values(graph)["edge_attr"].expand(4, -1))
    assert "highway_values" not in graph
    other = with_highway_values(block_graph(), like=graph)
    assert torch.equal(other.highway_values["edge_attr"], highway_values(graph)["edge_attr"])


@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_the_same_by_edge_list_and_by_adjacency(weighted) -> None:
    graph = edge_kind_graph()
    if weighted:
        graph.edge_weight = torch.rand(graph.num_edges)
    by_row = with_csr(graph)
    del by_row.edge_index
    grown = add_highways(by_row, torch.tensor([[0, 1], [250, 251]]))
    again = with_edge_index(grown)
    expected = add_highways(graph, torch.tensor([[0, 1], [250, 251]]))
    assert values_by_name(again).keys() == values_by_name(expected).keys()
    one, other = (_sorted(g) for g in (again, expected))
    assert all(torch.allclose(a, b, atol=1e-6) for a, b in zip(one, other, strict=True))


def _sorted(graph):
    """Return the edges and their values in one order, which the first feature makes unique."""
    columns = [graph.edge_index[0], graph.edge_index[1], *values_by_name(graph).values()]
    table = torch.cat([c.reshape(len(c), -1).double() for c in columns], dim=1)
    return [table[torch.from_numpy(np.lexsort(table.numpy().T[::-1]))]]


def test_unused_values_are_left_out_of_a_copy() -> None:
    graph = with_csr(edge_kind_graph())
    graph.edge_weight = torch.ones(graph.num_edges)
    kept = keep_values(graph, ["edge_type"])
    assert values_by_name(kept).keys() == {"edge_weight", "edge_type"}
    assert kept.csr.values.keys() == {"edge_type"}
    assert "edge_attr" in graph
    assert keep_values(kept, ["edge_type"]) is kept


def test_types_and_features_that_the_training_has_not_are_refused() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    trained = Graph(edge_index=edges, edge_type=torch.tensor([0, 1]), edge_attr=torch.ones(2, 3))
    other = Graph(edge_index=edges, edge_type=torch.tensor([1, 2]), edge_attr=torch.ones(2, 2))
    with pytest.raises(DataError, match="1 of 2 edges have a type beyond 0 to 1 of the training: .*not supported"):
        refuse_other_values(other, trained, ("edge_type",))
    with pytest.raises(DataError, match=r"features of shape \(2,\), but \(3,\) in the training"):
        refuse_other_values(other, trained, ("edge_attr",))
    refuse_other_values(other, trained, ("edge_weight",))
    trained.relations = ["a", "b", "c"]
    refuse_other_values(other, trained, ("edge_type",))
