import pandas as pd
import pytest

from highwaygraph.data.tables.build import from_tables
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.errors import DataError

NODES = pd.DataFrame(
    {
        "paper": ["p1", "p2", "p3", "p2", None],
        "year": [2001, 2003, 2005, 1, 1],
        "label": ["x", None, "y", "x", "x"],
        "split": ["train", "test", "val", "train", "train"],
    }
)
EDGES = pd.DataFrame({"source": ["p1", "p2"], "target": ["p2", "p3"]})


def test_columns_find_their_roles() -> None:
    with pytest.raises(DataError, match="No column of the nodes looks like an id"):
        from_tables(NODES, EDGES.replace({"p1": "q1", "p2": "q2", "p3": "q3"}))
    data = from_tables(NODES, EDGES)
    assert data.ids == ["p1", "p2", "p3"]
    assert data.classes == ["x", "y"]
    assert data.y.tolist() == [0, -1, 1]
    assert data.x.shape == (3, 1)
    assert data.train_mask.tolist() == [True, False, False]
    assert data.test_mask.tolist() == [False, False, False]
    assert [(c.name, c.role) for c in data.read_log.columns] == [
        ("paper", "id"),
        ("year", "feature"),
        ("label", "label"),
        ("split", "split"),
    ]
    assert [f.what for f in data.read_log.findings] == [
        "nodes without an id",
        "nodes with an id that came before",
        "nodes in the split without a label",
    ]
    # The given tables are left as they were.
    assert NODES.columns.tolist() == ["paper", "year", "label", "split"]


def test_a_split_of_other_words_is_a_feature() -> None:
    data = from_tables(NODES[:3].assign(split=["one", "two", "one"]), EDGES, ColumnRoles(id="paper"))
    assert "train_mask" not in data
    assert data.x.shape == (3, 3)


def test_another_graph_is_read_alike() -> None:
    first = from_tables(NODES, EDGES, ColumnRoles(id="paper"))
    schema = Schema(first.encoders, first.classes)
    other = pd.DataFrame({"id": [1, 2], "extra": [5, 6], "year": [2003, 2003], "label": ["y", "z"]})
    data = from_tables(other, pd.DataFrame({"u": [1], "v": [2]}), schema=schema)
    assert data.x.tolist() == [[0.0], [0.0]]
    assert data.y.tolist() == [1, -1]
    assert ("extra", "ignored") in [(c.name, c.role) for c in data.read_log.columns]
    with pytest.raises(DataError, match="lack columns that the model was trained with: 'year'"):
        from_tables(other.drop(columns="year"), pd.DataFrame({"u": [1], "v": [2]}), schema=schema)


def test_without_features_the_graph_itself_is_used() -> None:
    data = from_tables(pd.DataFrame({"id": [1, 2, 3]}), pd.DataFrame({"u": [1, 2], "v": [2, 3]}))
    assert data.x.size(1) == 2
    assert data.y.tolist() == [-1, -1, -1]
    assert data.read_log.columns[-1].name == "(the graph itself)"


def test_names_that_are_not_there() -> None:
    with pytest.raises(DataError, match="no column 'colour' for the label: there are 'paper', 'year'"):
        from_tables(NODES, EDGES, ColumnRoles(id="paper", label="colour"))
    with pytest.raises(DataError, match="has no node in it"):
        from_tables(NODES[4:], EDGES, ColumnRoles(id="paper"))


def test_a_nodes_own_columns_are_kept_to_be_shown() -> None:
    nodes = pd.DataFrame(
        {"id": [1, 2], "name": ["x" * 99, None], "size": [1.23456, float("inf")], "open": [True, False]}
    )
    data = from_tables(nodes, pd.DataFrame({"u": [1], "v": [2]}))
    assert data.attributes["size"] == [1.235, "inf"]
    assert data.attributes["open"] == ["True", "False"]
    assert len(data.attributes["name"][0]) == 99
    assert data.attributes["name"][1] == ""


SEVERAL = pd.DataFrame({"id": list("abcdef"), "site": ["n", "n", "s", "s", "w", "w"], "size": [1, 2, 3, 4, 5, 7]})


def test_the_named_column_of_the_graph_is_no_feature() -> None:
    edges = pd.DataFrame({"source": ["a", "c", "e"], "target": ["b", "d", "f"]})
    data = from_tables(SEVERAL, edges, ColumnRoles(graph="site"))
    assert data.graph_id.tolist() == [0, 0, 1, 1, 2, 2]
    assert list(data.encoders) == ["size"]
    assert next(one for one in data.read_log.columns if one.name == "site").role == "graph"
    assert from_tables(SEVERAL, edges).graph_id is None


def test_graphs_of_tables_that_are_not_separate_are_refused() -> None:
    edges = pd.DataFrame({"source": ["a", "c"], "target": ["b", "e"]})
    with pytest.raises(DataError, match=r"2 of 4 edges join nodes of two graphs \(first: c - e\)"):
        from_tables(SEVERAL, edges, ColumnRoles(graph="site"))
    with pytest.raises(DataError, match="The id 'a' occurs twice: ids have to be unique over all graphs"):
        from_tables(SEVERAL.assign(id=list("abacde")), edges, ColumnRoles(id="id", graph="site"))
    with pytest.raises(DataError, match=r"1 nodes have no graph \(first: a\)"):
        from_tables(SEVERAL.assign(site=[None, *"bcdef"]), edges, ColumnRoles(id="id", graph="site"))
    with pytest.raises(DataError, match="The nodes have no column 'place' for the graph"):
        from_tables(SEVERAL, edges, ColumnRoles(graph="place"))
