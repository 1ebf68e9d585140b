import pandas as pd
import pytest
import torch

from highwaygraph.data.tables.attach import attach
from highwaygraph.data.tables.build import from_tables
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.errors import DataError

NODES = pd.DataFrame({"id": ["a", "b", "c"], "size": [1, 2, 3], "label": ["x", "y", None]})
EDGES = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": [1.0, 3.0]})
MORE = pd.DataFrame({"id": ["d", "c", "e"], "size": [2, 9, None]})
LINKS = pd.DataFrame({"source": ["d", "d", "a", "e"], "target": ["a", "e", "c", "nobody"]})


def known(data) -> Schema:
    return Schema(data.encoders, data.classes, data)


def test_new_nodes_come_last_and_keep_what_was_there() -> None:
    graph = from_tables(NODES, EDGES)
    graph.train_mask = torch.tensor([True, False, False])
    joined = attach(graph, MORE, LINKS, ColumnRoles(), known(graph))
    assert joined.ids == ["a", "b", "c", "d", "e"]
    assert joined.num_attached == 2
    assert torch.equal(joined.x[:3], graph.x)
    # Scaled as the first graph was: its mean is 2, and what is missing is taken for the mean.
    assert joined.x[3:].tolist() == [[0.0], [0.0]]
    assert joined.y.tolist() == [0, 1, -1, -1, -1]
    assert joined.train_mask.tolist() == [True, False, False, False, False]
    old = graph.edge_index.size(1)
    assert torch.equal(joined.edge_index[:, :old], graph.edge_index)
    assert {tuple(sorted(pair)) for pair in joined.edge_index[:, old:].T.tolist()} == {(0, 3), (3, 4)}
    assert joined.edge_weight.tolist() == [*graph.edge_weight.tolist(), 1.0, 1.0, 1.0, 1.0]
    assert [f.what for f in joined.read_log.findings] == [
        "nodes that the graph has already",
        "edges to ids that no node has",
        "edges between nodes that the graph has already",
    ]


def test_numbers_and_words_as_ids_become_words() -> None:
    graph = from_tables(NODES.assign(id=[1, 2, 3]), pd.DataFrame({"u": [1], "v": [2]}))
    joined = attach(graph, MORE, pd.DataFrame({"u": ["d"], "v": ["1"]}), ColumnRoles(), known(graph))
    assert joined.ids == ["1", "2", "3", "d", "c", "e"]
    assert (0, 3) in set(map(tuple, joined.edge_index.T.tolist()))


def test_nodes_without_columns_stand_between_their_neighbours() -> None:
    graph = from_tables(NODES[["id", "label"]], EDGES)
    links = pd.DataFrame({"source": ["d", "d", "e"], "target": ["a", "b", "d"]})
    joined = attach(graph, MORE[["id"]], links, ColumnRoles(), known(graph))
    assert torch.allclose(joined.x[3], graph.x[:2].mean(dim=0))
    assert joined.x[4].tolist() == [0.0] * graph.x.size(1)


def test_nothing_new_is_an_error() -> None:
    graph = from_tables(NODES, EDGES)
    with pytest.raises(DataError, match="All of these nodes are in the graph already"):
        attach(graph, NODES, EDGES, ColumnRoles(), known(graph))


def test_new_edges_need_the_values_of_the_graph() -> None:
    names = ColumnRoles(edge_type="kind", edge_features="days")
    graph = from_tables(NODES, EDGES.assign(kind=["cites", "likes"], days=[1, 3]), names)
    schema = Schema(graph.encoders, graph.classes, graph, ColumnRoles(**graph.column_roles), graph.relations)
    links = LINKS.assign(kind=["likes", "cites", "cites", "cites"], days=[5, 6, 7, 8])
    joined = attach(graph, MORE, links, ColumnRoles(), schema)
    assert joined.relations == ["cites", "likes"]
    new = slice(graph.num_edges, None)
    assert sorted(zip(joined.edge_type[new].tolist(), joined.edge_attr[new, 0].tolist(), strict=True)) == [
        (0, 6.0), (0, 6.0), (1, 5.0), (1, 5.0),
    ]  # fmt: skip
    with pytest.raises(DataError, match="which the new edges lack: name their columns with --edge-"):
        attach(graph, MORE, LINKS, ColumnRoles(), schema)
