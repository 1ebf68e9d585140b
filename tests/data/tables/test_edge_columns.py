import pytest

from highwaygraph.data.tables.edge_columns import EdgeColumns, describe_edge_columns, edge_columns, listed
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.schema import ColumnRoles
from highwaygraph.errors import DataError

COLUMNS = ["from", "to", "kind", "weight", "amount", "since"]


def test_types_and_features_are_used_where_they_are_named() -> None:
    assert edge_columns(COLUMNS) == EdgeColumns("from", "to", "weight")
    found = edge_columns(COLUMNS, ColumnRoles(edge_type="kind", edge_features="amount, weight"))
    assert found == EdgeColumns("from", "to", "", "kind", ("amount", "weight"))


def test_every_column_has_a_role() -> None:
    log = ReadLog()
    describe_edge_columns(COLUMNS, ColumnRoles(edge_type="kind", edge_features="amount"), ["a"], log)
    roles = [column.role for column in log.edge_columns]
    assert roles == ["end", "end", "edge type", "weight", "edge feature", "ignored"]
    assert "--edge-features or --edge-type" in log.edge_columns[-1].note


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"edge_type": "sort"}, "no column 'sort' for the type: there are 'from'"),
        ({"edge_features": "amount,size"}, "no column 'size' for the features"),
        ({"edge_type": "from"}, "'from' cannot be both an end of the edges and their type or feature"),
    ],
)
def test_columns_that_do_not_fit_are_refused(names, message) -> None:
    with pytest.raises(DataError, match=message):
        edge_columns(COLUMNS, ColumnRoles(**names))


def test_a_list_of_columns() -> None:
    assert listed("a, b,,a") == ("a", "b")
    assert listed("") == ()
