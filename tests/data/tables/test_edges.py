import pandas as pd
import pytest

from highwaygraph.data.tables.edges import clean_ids, read_links
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.errors import DataError

IDS = ["a", "b", "c"]


def test_edges_go_both_ways_once() -> None:
    reading = ReadLog()
    rows = [("a", "b"), ("b", "a"), ("a", "b"), ("c", "c"), ("a", "x"), (None, "a"), ("c", "b")]
    links = read_links(pd.DataFrame(rows, columns=["from", "to"]), IDS, reading)
    assert links.weight is None
    assert links.edge_index.T.tolist() == [[0, 1], [1, 2], [1, 0], [2, 1]]
    assert [(f.count, f.done) for f in reading.findings] == [
        (2, "left out"),
        (1, "left out"),
        (2, "each pair is kept once"),
    ]


def test_weights_of_equal_edges_are_averaged() -> None:
    reading = ReadLog()
    table = pd.DataFrame({"Target": ["b", "a", "c"], "Source": ["a", "b", "b"], "Weight": ["1", "3", "heavy"]})
    links = read_links(table, IDS, reading)
    assert links.edge_index.T.tolist() == [[0, 1], [1, 0]]
    assert links.weight.tolist() == [2, 2]
    assert "no number (heavy)" in str(reading.findings[0])


def test_columns_without_a_usual_name_are_taken_in_order() -> None:
    links = read_links(pd.DataFrame({"x": ["a"], "y": ["c"]}), IDS, ReadLog())
    assert links.edge_index.tolist() == [[0, 2], [2, 0]]
    assert read_links(pd.DataFrame({"x": [], "y": []}), IDS, ReadLog()).edge_index.shape == (2, 0)
    with pytest.raises(DataError, match="needs two columns of ids: it has 'x'"):
        read_links(pd.DataFrame({"x": ["a"]}), IDS, ReadLog())


def test_numbers_as_ids_match_however_they_are_written() -> None:
    table = pd.DataFrame({"source": [1.0, 2.0], "target": ["2", "3"]})
    assert read_links(table, [1, 2, 3], ReadLog()).edge_index[:, :2].tolist() == [[0, 1], [1, 2]]


def test_ids_keep_their_zeros() -> None:
    assert clean_ids(pd.Series(["007", "7"])).tolist() == ["007", "7"]
    assert clean_ids(pd.Series([" 7", "8 "])).tolist() == [7, 8]
    assert clean_ids(pd.Series([7.0, 8.0])).tolist() == [7, 8]
    assert clean_ids(pd.Series([7.5])).tolist() == ["7.5"]
    assert clean_ids(pd.Series(["1.0", "20.00", "0"])).tolist() == [1, 20, 0]


def test_tables_with_other_ids_are_an_error() -> None:
    with pytest.raises(DataError, match=r"None of the 1 edges joins two known nodes \(first: x - y\)"):
        read_links(pd.DataFrame({"source": ["x"], "target": ["y"]}), IDS, ReadLog())
