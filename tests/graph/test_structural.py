import pytest
import torch

from highwaygraph.errors import DataError
from highwaygraph.graph import structural
from highwaygraph.graph.csr import from_edge_index
from highwaygraph.graph.structural import structural_features
from tests.helpers.graphs import block_graph


def test_communities_lie_apart() -> None:
    data = block_graph()
    adjacency = from_edge_index(data.edge_index, data.num_nodes)
    x = structural_features(adjacency)
    assert x.shape == (180, 33)
    assert torch.equal(x, structural_features(adjacency))
    middles = torch.stack([x[data.y == c].mean(dim=0) for c in range(3)])
    right = torch.cdist(x, middles).argmin(dim=1) == data.y
    assert right.float().mean() > 0.8


def test_small_and_empty_graphs() -> None:
    nothing = torch.empty(2, 0, dtype=torch.long)
    for nodes in (1, 2, 3):
        assert structural_features(from_edge_index(nothing, nodes)).isfinite().all()
    assert structural_features(from_edge_index(torch.tensor([[0, 1], [1, 0]]), 2)).shape == (2, 1)


def test_repeated_eigenvalues_give_the_same_features_every_time() -> None:
    adjacency = from_edge_index(torch.tensor([[0, 1], [1, 0]]), 9)
    assert torch.equal(structural_features(adjacency), structural_features(adjacency))


def test_a_graph_that_needs_too_much_memory_is_refused(monkeypatch) -> None:
    monkeypatch.setattr(structural, "MAX_BYTES", 2**10)
    with pytest.raises(DataError, match="structural features of 2 nodes would need .* add a column of features"):
        structural_features(from_edge_index(torch.tensor([[0, 1], [1, 0]]), 2))
