import networkx as nx
import torch
from hypothesis import given

from highwaygraph.graph.bfs import hops_between, hops_from, hops_to_own_class
from tests.helpers.graphs import edge_lists

PATH = torch.tensor([[0, 1, 2, 4], [1, 2, 3, 5]])


def test_hops_on_a_path_and_an_island() -> None:
    assert hops_from(PATH, 6, torch.tensor([0])).tolist() == [0, 1, 2, 3, -1, -1]
    assert hops_from(PATH, 6, torch.tensor([1, 5])).tolist() == [1, 0, 1, 2, 1, 0]


def test_no_source_means_unreachable() -> None:
    assert hops_from(PATH, 6, torch.tensor([], dtype=torch.long)).tolist() == [-1] * 6


def test_own_class_skips_nearer_labels_of_other_classes() -> None:
    labels = torch.tensor([0, 1, 0, 0, 1, -1])
    labelled = torch.tensor([True, True, False, False, False, False])
    assert hops_to_own_class(PATH, labels, labelled).tolist() == [0, 0, 2, 3, -1, -1]


def test_between_is_symmetric_with_zero_diagonal() -> None:
    nodes = torch.tensor([3, 0, 4])
    assert hops_between(PATH, 6, nodes).tolist() == [[0, 3, -1], [3, 0, -1], [-1, -1, 0]]


@given(edge_lists())
def test_agrees_with_networkx(lists) -> None:
    nodes, edges, _ = lists
    graph = nx.Graph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(edges.T.tolist())
    reached = nx.single_source_shortest_path_length(graph, 0)
    assert hops_from(edges, nodes, torch.tensor([0])).tolist() == [reached.get(v, -1) for v in range(nodes)]
