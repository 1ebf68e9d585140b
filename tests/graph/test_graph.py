"""The typed graph: declared attributes in PyG's store, and every behaviour of a Data."""

import copy

import pytest
import torch
from torch_geometric.data import Data, HeteroData
from torch_geometric.transforms import NormalizeFeatures

from highwaygraph.errors import DataError
from highwaygraph.graph.csr import from_edge_index
from highwaygraph.graph.graph import Graph, as_graph, check_one_graph, with_attributes

EDGES = torch.tensor([[0, 1], [1, 0]])


def small() -> Graph:
    return Graph(x=torch.eye(3), edge_index=EDGES, y=torch.tensor([0, 1, -1]))


def test_declared_attributes_read_as_none_until_they_are_set() -> None:
    graph = small()
    names = [name for name in vars(Graph) if type(vars(Graph)[name]).__name__ == "Attribute"]
    assert len(names) > 10
    assert [getattr(graph, name) for name in names] == [None] * len(names)
    graph.csr = from_edge_index(EDGES, 3)
    assert graph.csr.col.tolist() == [1, 0]
    assert "csr" in graph


def test_an_attribute_that_is_not_declared_is_an_error() -> None:
    with pytest.raises(AttributeError):
        _ = small().adjacency  # type: ignore[attr-defined]


def test_a_copy_has_attributes_of_its_own() -> None:
    graph = small()
    graph.name = "first"
    other = copy.copy(graph)
    other.name = "second"
    assert (graph.title, other.title, small().title) == ("first", "second", "graph")


def test_any_data_becomes_a_graph_with_all_its_attributes() -> None:
    data = Data(x=torch.eye(3), edge_index=EDGES, y=torch.arange(3), extra="kept", num_nodes=3)
    graph = as_graph(data)
    assert (type(graph), graph["extra"], graph.num_nodes) == (Graph, "kept", 3)
    assert graph.x is data.x
    assert as_graph(graph) is graph


def test_pygs_own_transforms_take_a_graph() -> None:
    graph = small()
    graph.x = graph.x * 4
    assert NormalizeFeatures()(graph).x.tolist() == torch.eye(3).tolist()
    assert isinstance(graph, Data)


def test_the_two_forms_of_edges() -> None:
    graph = small()
    assert (graph.has_edge_index, graph.is_mapped, graph.has_split) == (True, False, False)
    del graph["edge_index"]
    assert not graph.has_edge_index


def test_attributes_are_chosen_by_name() -> None:
    graph = small()
    with pytest.raises(DataError, match="no column 'city' to show. The graph has none"):
        with_attributes(graph, ["city"])
    graph.attributes = {"city": ["A", "B"], "name": ["x", "y"]}
    assert with_attributes(graph, ["name"]).attributes == {"name": ["x", "y"]}
    assert with_attributes(graph, []).attributes is None
    assert list(graph.attributes) == ["city", "name"]


@pytest.mark.parametrize("given", [[Data(), Data()], HeteroData(), "cora"])
def test_lists_and_several_node_types_are_loaded_first(given) -> None:
    message = f"One graph is needed, not {type(given).__name__}: call hg.load first, which joins a list of Data"
    with pytest.raises(DataError, match=message):
        check_one_graph(given)
