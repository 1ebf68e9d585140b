import torch

from highwaygraph.graph.structural import structural_features
from tests.helpers.graphs import block_graph


def test_communities_lie_apart() -> None:
    data = block_graph()
    x = structural_features(data.edge_index, data.num_nodes)
    assert x.shape == (180, 33)
    assert torch.equal(x, structural_features(data.edge_index, data.num_nodes))
    middles = torch.stack([x[data.y == c].mean(dim=0) for c in range(3)])
    right = torch.cdist(x, middles).argmin(dim=1) == data.y
    assert right.float().mean() > 0.8


def test_small_and_empty_graphs() -> None:
    nothing = torch.empty(2, 0, dtype=torch.long)
    for nodes in (1, 2, 3):
        assert structural_features(nothing, nodes).isfinite().all()
    assert structural_features(torch.tensor([[0, 1], [1, 0]]), 2).shape == (2, 1)
