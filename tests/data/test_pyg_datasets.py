import numpy as np
import pytest
import torch

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
    with pytest.raises(DataError, match="has 2 graphs: pass the one to train on"):
        load(Plain([block_graph(), block_graph()]))


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
