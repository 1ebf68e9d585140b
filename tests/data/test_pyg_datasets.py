import numpy as np
import pytest
import torch
from torch_geometric.data import Batch, Data

from highwaygraph.data.load import load
from highwaygraph.errors import DataError
from tests.helpers.graphs import block_graph


class Plain(list):
    """A dataset as PyG's are."""

    name = "mine"


class Ogb(list):
    """A dataset as OGB's are."""

    def get_idx_split(self):
        return {"train": np.array([0, 1]), "valid": torch.tensor([2]), "test": np.array([3])}


def test_the_graph_of_a_dataset() -> None:
    data = load(Plain([block_graph()]))
    assert data.num_nodes == 180
    assert data.name == "mine"


def test_a_dataset_of_several_graphs_is_their_disjoint_union() -> None:
    data = load(Plain([block_graph(), block_graph()]))
    assert (data.name, data.graph_id.bincount().tolist()) == ("mine", [180, 180])
    with pytest.raises(DataError, match="A list of graphs holds PyG Data only, not int"):
        load([block_graph(), 1])


def test_the_batch_of_pyg_is_the_graph_of_every_node() -> None:
    parts = [block_graph(), block_graph()]
    for one in (Batch.from_data_list(parts), Data(**load(parts).to_dict()).update({"graph_id": None})):
        one.batch = load(parts).graph_id
        data = load(one)
        assert torch.equal(data.graph_id, load(parts).graph_id)
        assert torch.equal(data.edge_index, load(parts).edge_index)
    mixed = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0, 1]))
    mixed.batch = torch.tensor([0, 1])
    with pytest.raises(DataError, match=r"1 of 1 edges join nodes of two graphs \(first: 0 - 1\): remove them"):
        load(mixed)


def test_ogb_brings_its_split() -> None:
    toy = block_graph()
    graph = {"node_feat": toy.x.numpy(), "edge_index": toy.edge_index.numpy(), "num_nodes": 180}
    data = load(Ogb([(graph, toy.y[:, None].numpy())]))
    assert data.train_mask.nonzero().flatten().tolist() == [0, 1]
    assert data.val_mask.nonzero().flatten().tolist() == [2]
    assert torch.equal(data.y, toy.y)
    with pytest.raises(DataError, match="no node_feat"):
        load(Ogb([({"node_feat": None}, toy.y)]))


def test_what_is_no_dataset() -> None:
    with pytest.raises(DataError, match="load takes a name, a path, a database, a PyG Data or dataset, .* not list"):
        load([1, 2])
