import pytest
import torch

from highwaygraph.data.safetensors_io import pack, unpack
from highwaygraph.graph.graph import Graph
from tests.helpers.graphs import block_graph


@pytest.mark.parametrize("density", [0.02, 0.9])
def test_features_come_back_bit_for_bit(density) -> None:
    data = block_graph()
    data.x = data.x * (torch.rand_like(data.x) < density)
    tensors = pack(data)
    assert ("x" in tensors) == (density > 0.5)
    again = unpack(tensors, name="toy")
    assert torch.equal(again.x, data.x)
    assert torch.equal(again.edge_index, data.edge_index)
    assert torch.equal(again.val_mask, data.val_mask)
    assert (again.name, again.num_nodes) == ("toy", 180)


def test_weights_of_edges_are_kept() -> None:
    data = Graph(x=torch.eye(2), edge_index=torch.tensor([[0], [1]]), edge_weight=torch.tensor([0.3]))
    assert torch.equal(unpack(pack(data)).edge_weight, data.edge_weight)
