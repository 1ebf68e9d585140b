"""Reasons: their counts are those of an independent breadth-first search by NetworkX."""

import networkx as nx
import pytest
import torch
from scipy.sparse import csr_array

from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.labelling.reasons import Facts, count_nodes, newly_covered, reason


def around(graph: nx.Graph, node: int, reach: int = 2) -> set[int]:
    return set(nx.single_source_shortest_path_length(graph, node, cutoff=reach))


@pytest.mark.parametrize("labels", [[], [0, 17]])
def test_covered_nodes_are_those_that_no_label_and_no_earlier_suggestion_reaches(labels) -> None:
    graph = nx.gnp_random_graph(80, 0.03, seed=2)
    lengths = nx.multi_source_dijkstra_path_length(graph, labels) if labels else {}
    hops = torch.tensor([lengths.get(node, UNREACHABLE) for node in range(80)]) if labels else None
    seen, expected = set().union(*(around(graph, node) for node in labels)), []
    for node in (3, 40, 41, 3):
        expected.append(len(around(graph, node) - seen))
        seen |= around(graph, node)
    adjacency = csr_array(nx.to_scipy_sparse_array(graph, dtype=float))
    assert newly_covered(adjacency, hops, [3, 40, 41, 3]) == expected
    assert expected[-1] == 0


def test_every_fact_has_its_phrase() -> None:
    facts = Facts("168 neighbours", covered=1214, hops=7, predicted="Theory", confidence=0.9, other="Rules")
    assert reason(facts) == (
        "168 neighbours; typical training predicts Rules, the selected model Theory; covers 1,214 nodes that are more "
        "than 2 hops from every label and suggestion above; 7 hops from the nearest label"
    )
    assert "Theory has a probability of 34 % only" in reason(facts._replace(other="Theory", confidence=0.34))
    assert reason(facts._replace(own="", other="", covered=0, hops=UNREACHABLE)) == "no path leads to a label"


def test_a_cold_start_has_no_distance_and_a_node_without_any_fact_has_a_reason_too() -> None:
    assert reason(Facts("", covered=12, hops=None)) == "covers 12 more nodes within 2 hops"
    assert reason(Facts("", covered=0, hops=1)) == "not labelled yet"


def test_one_node_is_no_plural() -> None:
    assert count_nodes(1) == "1 node"
    assert count_nodes(2500, "about ") == "about 2,500 nodes"
