import pandas as pd
import pytest

from highwaygraph.data.tables.edges import read_edges
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.schema import ColumnRoles
from highwaygraph.errors import DataError

IDS = ["a", "b", "c"]


def test_edges_go_both_ways_once() -> None:
    log = ReadLog()
    rows = [("a", "b"), ("b", "a"), ("a", "b"), ("c", "c"), ("a", "x"), (None, "a"), ("c", "b")]
    edges = read_edges(pd.DataFrame(rows, columns=["from", "to"]), IDS, log)
    assert edges.weight is None
    assert edges.edge_index.T.tolist() == [[0, 1], [1, 2], [1, 0], [2, 1]]
    assert [(f.count, f.done) for f in log.findings] == [
        (2, "left out"),
        (1, "left out"),
        (2, "each pair is kept once"),
    ]


def test_weights_of_equal_edges_are_averaged() -> None:
    log = ReadLog()
    table = pd.DataFrame({"Target": ["b", "a", "c"], "Source": ["a", "b", "b"], "Weight": ["1", "3", "heavy"]})
    edges = read_edges(table, IDS, log)
    assert edges.edge_index.T.tolist() == [[0, 1], [1, 0]]
    assert edges.weight.tolist() == [2, 2]
    assert "no number (heavy)" in str(log.findings[0])


def test_columns_without_a_usual_name_are_taken_in_order() -> None:
    edges = read_edges(pd.DataFrame({"x": ["a"], "y": ["c"]}), IDS, ReadLog())
    assert edges.edge_index.tolist() == [[0, 2], [2, 0]]
    assert read_edges(pd.DataFrame({"x": [], "y": []}), IDS, ReadLog()).edge_index.shape == (2, 0)
    with pytest.raises(DataError, match="needs two columns of ids: it has 'x'"):
        read_edges(pd.DataFrame({"x": ["a"]}), IDS, ReadLog())


def test_numbers_as_ids_match_however_they_are_written() -> None:
    table = pd.DataFrame({"source": [1.0, 2.0], "target": ["2", "3"]})
    assert read_edges(table, [1, 2, 3], ReadLog()).edge_index[:, :2].tolist() == [[0, 1], [1, 2]]


def test_the_weight_is_named_or_left_out() -> None:
    table = pd.DataFrame({"source": ["a"], "target": ["b"], "weight": ["2"], "years": ["3"]})
    assert read_edges(table, IDS, ReadLog()).weight.tolist() == [2, 2]
    assert read_edges(table, IDS, log := ReadLog(), ColumnRoles(weight="years")).weight.tolist() == [3, 3]
    assert [(c.name, c.role) for c in log.edge_columns] == [
        ("source", "end"),
        ("target", "end"),
        ("weight", "ignored"),
        ("years", "weight"),
    ]
    assert "both directions" in log.edge_columns[0].note
    assert read_edges(table, IDS, ReadLog(), ColumnRoles(weight="none")).weight is None
    with pytest.raises(DataError, match="no column 'age' for the weight: there are 'source', 'target', 'weight'"):
        read_edges(table, IDS, ReadLog(), ColumnRoles(weight="age"))
    with pytest.raises(DataError, match="'source' cannot be both an end of the edges and their weight"):
        read_edges(table, IDS, ReadLog(), ColumnRoles(weight="source"))


def test_the_ends_are_named() -> None:
    table = pd.DataFrame({"key": ["a", "b"], "one": ["a", "b"], "two": ["b", "c"]})
    edges = read_edges(table, IDS, ReadLog(), ColumnRoles(source="one", target="two"))
    assert edges.edge_index[:, :2].T.tolist() == [[0, 1], [1, 2]]
    for wrong in (("one", ""), ("one", "one"), ("one", "three")):
        with pytest.raises(DataError, match="The ends of the edges are two of their columns"):
            read_edges(table, IDS, ReadLog(), ColumnRoles(source=wrong[0], target=wrong[1]))


def test_weights_that_are_mostly_no_numbers_are_refused() -> None:
    table = pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "weight": ["1,5", "2,5"]})
    with pytest.raises(DataError, match=r"2 of 2 edges whose weight is no number \(first: 1,5\): write them"):
        read_edges(table, IDS, ReadLog())


def test_negative_weights_are_noted_before_edges_are_merged() -> None:
    table = pd.DataFrame({"source": ["a", "b"], "target": ["b", "a"], "weight": ["-1", "3"]})
    assert read_edges(table, IDS, log := ReadLog()).weight.tolist() == [1, 1]
    assert str(log.findings[0]).startswith("1 edge with a negative weight (a - b - -1): kept, but")


@pytest.mark.parametrize(("header", "ids"), [(["a", "b"], IDS), (["5", "6"], [1, 2, 3])])
def test_a_missing_header_is_refused(header, ids) -> None:
    with pytest.raises(DataError, match=f"no header: its first line is the edge {header[0]} - {header[1]}"):
        read_edges(pd.DataFrame([["b", "c"]], columns=header), ids, ReadLog())


def test_tables_with_other_ids_are_an_error() -> None:
    with pytest.raises(DataError, match=r"None of the 1 edges joins two known nodes \(first: x - y\)"):
        read_edges(pd.DataFrame({"source": ["x"], "target": ["y"]}), IDS, ReadLog())
