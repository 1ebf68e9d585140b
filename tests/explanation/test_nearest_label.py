"""Shortest paths to labels."""

import torch

from highwaygraph.explanation.nearest_label import LabelSearch
from highwaygraph.graph.queries import hops_from, undirected_adjacencies
from tests.helpers.explained import long_graph


def test_paths_are_shortest_and_follow_edges() -> None:
    data = long_graph()
    labelled = data.train_mask.nonzero().flatten()[:4]
    search, hops = LabelSearch(undirected_adjacencies(data), labelled), hops_from(data, labelled)
    edges = set(map(tuple, data.edge_index.T.tolist()))
    for node in range(0, 360, 7):
        found = search.nearest(node)
        if int(hops[node]) < 0:
            assert found == (None, ())
            continue
        assert found.hops == int(hops[node]) == len(found.nodes) - 1
        assert found.nodes[0] == node
        assert found.nodes[-1] in labelled.tolist()
        assert all((a, b) in edges or (b, a) in edges for a, b in zip(found.nodes, found.nodes[1:], strict=False))


def test_there_may_be_no_label() -> None:
    data = long_graph()
    assert LabelSearch(undirected_adjacencies(data), torch.tensor([], dtype=torch.long)).nearest(3).hops is None
