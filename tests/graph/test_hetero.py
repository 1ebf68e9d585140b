"""Several node types beside the graph of the target type."""

from dataclasses import replace

import pytest
import torch
from torch_geometric.data import HeteroData

import highwaygraph as hg
from highwaygraph.errors import DataError
from highwaygraph.graph.fingerprint import data_hash
from highwaygraph.graph.hetero import (
    HIGHWAY,
    like_other_types,
    num_all_nodes,
    other_types,
    own_relations,
    refuse_several_types,
    whole_edge_index,
)
from highwaygraph.graph.queries import degrees, hops_between, hops_from, hops_to_own_class
from tests.helpers.graphs import block_graph
from tests.helpers.library import library


def chain() -> HeteroData:
    """Return three papers; the first two share an author, the third has another one."""
    data = HeteroData()
    data["paper"].x, data["paper"].y = torch.ones(3, 2), torch.tensor([0, 1, 0])
    data["paper"].train_mask = torch.tensor([True, False, False])
    data["author"].x = torch.ones(2, 5)
    data["author", "writes", "paper"].edge_index = torch.tensor([[0, 0, 1], [0, 1, 2]])
    return data


def test_every_row_of_the_graph_is_a_node_of_the_target_type() -> None:
    data = hg.load(library(cites=True))
    assert (data.num_nodes, data.x.shape, len(data.ids)) == (240, (240, 6), 240)
    assert {name: tuple(x.shape) for name, x in data.hetero.x.items()} == {"author": (80, 4), "venue": (9, 33)}
    assert data.relations == ["cites", HIGHWAY]
    assert data.edge_type.unique().tolist() == [0]
    assert num_all_nodes(data) == 329


def test_the_metadata_includes_the_relation_of_highways() -> None:
    types, relations = hg.hetero_metadata(hg.load(library(cites=True)))
    assert types == ["paper", "author", "venue"]
    assert relations[:2] == [("paper", "cites", "paper"), ("paper", HIGHWAY, "paper")]
    with pytest.raises(DataError, match="The graph has one node type"):
        hg.hetero_metadata(block_graph())
    with pytest.raises(DataError, match="rename it"):
        own_relations("paper", [("paper", HIGHWAY, "paper")])


def test_hops_lead_through_nodes_of_other_types() -> None:
    data = hg.load(chain())
    assert whole_edge_index(data).tolist() == [[3, 3, 4], [0, 1, 2]]
    assert hops_from(data, torch.tensor([0])).tolist() == [0, 2, -1]
    assert hops_to_own_class(data).shape == (3,)
    assert hops_between(data, torch.tensor([0, 1])).tolist() == [[0, 2], [2, 0]]
    assert degrees(data).tolist() == [1, 1, 1]


def test_the_hash_depends_on_features_and_edges_of_other_types() -> None:
    first, same, other, fewer = (hg.load(chain()) for _ in range(4))
    other.hetero = replace(other.hetero, x={"author": torch.zeros(2, 5)})
    fewer.hetero = replace(fewer.hetero, edges={name: e[:, 1:] for name, e in fewer.hetero.edges.items()})
    assert data_hash(first) == data_hash(same)
    assert len({data_hash(one) for one in (first, other, fewer)}) == 3


def test_another_graph_needs_the_same_types_relations_and_features() -> None:
    data, wider = hg.load(chain()), chain()
    wider["author"].x = torch.ones(2, 6)
    assert other_types(like_other_types(hg.load(chain()), data)).target == "paper"
    for other in (hg.load(wider), block_graph()):
        with pytest.raises(DataError, match="other node types, relations or features"):
            like_other_types(other, data)


def test_functions_for_one_node_type_name_another_way() -> None:
    refuse_several_types(block_graph(), "This is", "wait")
    with pytest.raises(DataError, match="This is not supported for several node types: wait"):
        refuse_several_types(hg.load(chain()), "This is", "wait")
    with pytest.raises(DataError, match="Suggestions are not supported for several node types"):
        hg.suggest(hg.load(chain()), 1)
