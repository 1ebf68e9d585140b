import pyarrow as pa
import pytest

from highwaygraph.data.databases.address import parse_address
from highwaygraph.data.databases.connect import connect
from highwaygraph.errors import DataError

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")


@pytest.fixture
def address(tmp_path):
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE t AS SELECT range AS whole, 1.5::DECIMAL(9, 2) AS price, 'x'::ENUM('x', 'y') AS kind, "
            "{'a': 1} AS pair, INTERVAL 1 DAY AS period, [1.5, 2]::FLOAT[] AS list, NULL AS empty FROM range(200_000)"
        )
        connection.execute("CREATE SCHEMA other")
        connection.execute("CREATE VIEW other.v AS SELECT whole FROM main.t")
        connection.execute("CREATE TABLE b AS SELECT 'a'::BLOB AS photo")
    return parse_address(f"duckdb:{tmp_path / 'a.duckdb'}")


def test_values_without_a_counterpart_become_text(address) -> None:
    with connect(address) as connection:
        reader = connection.read("SELECT * FROM t")
        rows = reader.read_all()
    assert len(rows) == 200_000
    assert rows["pair"][0].as_py() == "{'a': 1}"
    assert rows["period"][0].as_py() == "1 day"
    assert rows["empty"][0].as_py() is None
    assert rows.schema.field("empty").type == pa.string()
    assert rows["list"][0].as_py() == [1.5, 2.0]
    assert rows["whole"].to_pylist() == list(range(200_000))


def test_tables_of_other_schemas_are_listed_with_them(address) -> None:
    with connect(address) as connection:
        assert connection.tables() == {"t": '"main"."t"', "b": '"main"."b"', "other.v": '"other"."v"'}


def test_errors_name_the_cause(address) -> None:
    with pytest.raises(DataError, match="'photo' holds binary values"), connect(address) as connection:
        connection.read("SELECT * FROM b")
    with (
        pytest.raises(DataError, match='reports .*column "zz" not found.*: correct the query'),
        connect(address) as one,
    ):
        one.read("SELECT zz FROM t")


def test_a_file_of_another_kind_is_named_as_such(tmp_path) -> None:
    (tmp_path / "nodes.csv").write_text("id,label\n1,a\n")
    (tmp_path / "notes.db").write_text("no database at all " * 500)
    for name in ("nodes.csv", "notes.db"):
        with pytest.raises(DataError, match="is no DuckDB database: check the path"):
            connect(parse_address(f"duckdb:{tmp_path / name}")).__enter__()
    with pytest.raises(DataError, match="cannot be opened: check the path and its permissions"):
        connect(parse_address(f"duckdb:{tmp_path / 'missing' / 'a.duckdb'}"), write=True).__enter__()


def test_extensions_are_not_downloaded(address, tmp_path) -> None:
    with pytest.raises(DataError, match=r"reports|is no DuckDB"), connect(address) as connection:
        connection.read(f"SELECT * FROM sqlite_scan('{tmp_path / 'a.db'}', 't')").read_all()


def test_a_query_that_is_not_read_to_its_end_can_be_closed(address) -> None:
    with connect(address) as connection:
        next(iter(connection.read("SELECT * FROM t")))
