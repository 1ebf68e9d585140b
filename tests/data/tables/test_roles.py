"""The roles of columns: the id is the column that the edges refer to."""

import pandas as pd
import pytest

import highwaygraph as hg
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.roles import find_ends, find_roles, remembered
from highwaygraph.data.tables.schema import ColumnRoles
from highwaygraph.errors import DataError

NODES = pd.DataFrame(
    {
        "name": ["Ada", "Bob", "Cy"],
        "company_id": ["7", "8", "9"],
        "u": ["x", "y", "z"],
        "label": ["a", "b", "a"],
        "split": ["train", "val", "holdout"],
    }
)


def find(nodes: pd.DataFrame, ends: list[object], log: ReadLog | None = None, **names: str) -> ColumnRoles:
    return find_roles(list(nodes.columns), nodes.__getitem__, ColumnRoles(**names), pd.Series(ends), log or ReadLog())


@pytest.mark.parametrize(
    ("ends", "column"),
    [(["7", "9"], "company_id"), ([7.0, 8.0], "company_id"), (["Ada", "Bob", "Zoe"], "name"), (["x", "y"], "u")],
)
def test_the_id_is_the_column_that_holds_the_ends(ends, column) -> None:
    assert find(NODES, ends) == ColumnRoles(column, "label")
    assert find(NODES, ends, id="name").id == "name"


NUMBERS = [str(i) for i in range(1, 61)]


@pytest.mark.parametrize(
    ("columns", "found"),
    [
        ({"Unnamed: 0": range(60), "company": range(1, 61)}, "company"),
        ({"order_id": range(3, 63), "customer_id": range(1, 61)}, "customer_id"),
        ({"age": [*range(1, 56), *range(1, 6)], "customer": range(1, 61)}, "customer"),
        ({"id": range(1, 61), "rank": range(60, 0, -1)}, "id"),
        ({"id": [f"{i:04d}" for i in range(1, 61)], "visits": [i % 9 for i in range(60)]}, "id"),
    ],
)
def test_the_best_column_is_the_id(columns, found) -> None:
    nodes = pd.DataFrame({name: [str(cell) for cell in cells] for name, cells in columns.items()})
    assert find(nodes, NUMBERS).id == found


def test_two_columns_that_hold_all_ends_are_refused() -> None:
    nodes = pd.DataFrame({"row": NUMBERS, "customer": NUMBERS[::-1]})
    with pytest.raises(DataError, match="Several columns of the nodes may be the id \\('row', 'customer'\\): name it"):
        find(nodes, NUMBERS)


def test_another_column_than_the_usual_one_is_remarked_on() -> None:
    nodes = pd.DataFrame({"id": [f"{i:04d}" for i in range(1, 61)], "x": NUMBERS})
    assert find(nodes, NUMBERS, log := ReadLog()).id == "x"
    assert "of which the column 'id' holds 0%: ids are read from 'x', which holds 100%" in str(log.findings[0])


@pytest.mark.parametrize(
    ("columns", "ends"),
    [
        ({"amount": ["0.5", "0.7"], "buyer": ["7", "8"], "seller": ["8", "9"]}, "buyer,seller"),
        ({"edge_id": ["100", "101"], "a": ["7", "8"], "b": ["8", "9"]}, "a,b"),
        ({"weight": ["1", "2"], "a": ["7", "8"], "b": ["8", "9"]}, "a,b"),
        ({"id": ["7", "8"], "from_id": ["7", "8"], "to_id": ["8", "9"]}, "from_id,to_id"),
    ],
)
def test_the_ends_are_the_columns_that_hold_ids(columns, ends) -> None:
    edges = pd.DataFrame(columns)
    found = find_ends(edges, ColumnRoles(), NODES.columns.tolist(), NODES.__getitem__)
    assert f"{found.source},{found.target}" == ends


def test_ends_that_cannot_be_told_from_a_key_have_to_be_named() -> None:
    edges = pd.DataFrame({"key": ["7", "8"], "a": ["7", "8"], "b": ["8", "9"]})
    with pytest.raises(DataError, match=r"Which two columns .* Name them with --ends"):
        find_ends(edges, ColumnRoles(), NODES.columns.tolist(), NODES.__getitem__)
    named = ColumnRoles(source="a", target="b")
    assert find_ends(edges, named, NODES.columns.tolist(), NODES.__getitem__) == named


def test_numbers_with_a_gap_match_too() -> None:
    nodes = pd.DataFrame({"name": ["a", "b", "c"], "key2": [1.0, 2.0, None], "size": [1.5, 2.5, 3.5]})
    assert find(nodes, ["1", "2"]).id == "key2"


def test_without_a_match_the_usual_name_or_the_first_unique_column_counts() -> None:
    assert find(NODES, ["nobody"]).id == "name"
    assert find(NODES.drop(columns="name"), []).id == "company_id"
    with pytest.raises(DataError, match="looks like an id: name it with --id"):
        find(pd.DataFrame({"kind": ["a", "a"]}), [])


def test_a_missing_header_is_refused() -> None:
    with pytest.raises(DataError, match="no header: its first line holds '0', which is an end"):
        find(pd.DataFrame({"0": ["1", "2"], "red": ["red", "blue"]}), ["0", "1", "2"])


def test_a_split_with_other_words_is_remarked_on() -> None:
    find(NODES, ["7"], log := ReadLog())
    assert "1 word in the column 'split' other than train, val and test (holdout)" in str(log.findings[0])
    assert find(NODES, ["7"], split="split").split == "split"


def test_names_of_an_earlier_table_are_used_where_they_are_there() -> None:
    before = ColumnRoles("company_id", "label", "", "years")
    nodes, edges = NODES.columns.tolist(), ["source", "target", "years"]
    assert remembered(ColumnRoles(), before, nodes, edges) == before
    assert remembered(ColumnRoles(), before, nodes, edges[:2]) == ColumnRoles("company_id", "label")
    assert remembered(ColumnRoles(id="u"), before, nodes, edges).id == "u"


def test_both_ends_are_cells_of_one_column_of_the_nodes() -> None:
    nodes = pd.DataFrame({"key": [f"n{i}" for i in range(6)], "kind": ["x", "y"] * 3, "label": ["a", "b"] * 3})
    edges = pd.DataFrame({"a": ["n0", "n1", "n2"], "b": ["n3", "n4", "gone"], "kind": ["x", "x", "y"]})
    graph = hg.load(nodes, edges)
    assert (graph.column_roles["source"], graph.column_roles["target"]) == ("a", "b")


def test_a_column_with_gaps_is_no_end() -> None:
    nodes = pd.DataFrame({"key": [f"n{i}" for i in range(6)], "label": ["a", "b"] * 3})
    edges = pd.DataFrame({"a": ["n0", "n1", "n2"], "b": ["n3", "n4", "gone"], "seen": [None, None, "n5"]})
    graph = hg.load(nodes, edges)
    assert (graph.column_roles["source"], graph.column_roles["target"]) == ("a", "b")
