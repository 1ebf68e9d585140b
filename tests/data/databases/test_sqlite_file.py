import sqlite3

import pyarrow as pa
import pytest

from highwaygraph.data.databases.address import parse_address
from highwaygraph.data.databases.connect import connect
from highwaygraph.errors import DataError


@pytest.fixture
def address(tmp_path):
    connection = sqlite3.connect(tmp_path / "a b.db")
    connection.execute("CREATE TABLE t (whole INTEGER, number REAL, mixed, words TEXT, late TEXT, empty TEXT)")
    rows = [(n, n / 2, n if n % 2 else f"{n}x", f"w{n}", None if n < 70_000 else "x", None) for n in range(70_001)]
    connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)", rows)
    connection.execute("CREATE VIEW v AS SELECT whole FROM t")
    connection.execute("CREATE TABLE b (photo BLOB)")
    connection.execute("INSERT INTO b VALUES (x'00')")
    connection.commit()
    connection.close()
    return parse_address(f"sqlite:{tmp_path / 'a b.db'}")


def test_a_column_has_the_type_of_all_its_values(address) -> None:
    with connect(address) as connection:
        rows = connection.read("SELECT * FROM t").read_all()
    kinds = [pa.int64(), pa.float64(), pa.string(), pa.string(), pa.string(), pa.string()]
    assert rows.schema.types == kinds
    assert rows["mixed"].to_pylist()[:3] == ["0x", "1", "2x"]
    # The first 70,000 values are missing, more than one batch.
    assert rows["late"].to_pylist()[-2:] == [None, "x"]
    assert rows["whole"].to_pylist()[-1] == 70_000


def test_whole_and_other_numbers_in_one_column_are_floats(address) -> None:
    with connect(address) as connection:
        rows = connection.read("SELECT 1 AS a UNION ALL SELECT 2.5").read_all()
    assert rows["a"].to_pylist() == [1.0, 2.5]


def test_tables_and_views_are_listed(address) -> None:
    with connect(address) as connection:
        assert connection.tables() == {"t": '"t"', "v": '"v"', "b": '"b"'}


def test_binary_values_are_refused(address) -> None:
    with pytest.raises(DataError, match="'photo' holds binary values"), connect(address) as connection:
        connection.read("SELECT * FROM b")


def test_a_missing_column_is_named(address) -> None:
    with pytest.raises(DataError, match="reports 'no such column: zz': correct the query"), connect(address) as one:
        one.read("SELECT zz FROM t")
