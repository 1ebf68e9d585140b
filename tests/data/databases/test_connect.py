import sqlite3

import pytest

from highwaygraph.data.databases.address import parse_address
from highwaygraph.data.databases.connect import connect
from highwaygraph.errors import DataError
from tests.helpers.databases import duckdb_file, sqlite_file


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_file_that_is_not_there_is_not_created(tmp_path, kind) -> None:
    with (
        pytest.raises(DataError, match="There is no file .*none.db: check the path"),
        connect(parse_address(f"{kind}:{tmp_path / 'none.db'}")),
    ):
        pass
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("write", [sqlite_file, duckdb_file])
def test_a_failed_block_changes_nothing(tmp_path, write) -> None:
    address = parse_address(write(tmp_path / "a.db"))
    with pytest.raises(ZeroDivisionError), connect(address, write=True) as connection:
        connection.drop('"nodes"')
        raise ZeroDivisionError
    with connect(address) as connection:
        assert set(connection.tables()) == {"nodes", "edges"}


@pytest.mark.parametrize("write", [sqlite_file, duckdb_file])
def test_reading_cannot_change_a_database(tmp_path, write) -> None:
    address = parse_address(write(tmp_path / "a.db"))
    with pytest.raises(DataError, match=r"reports|cannot|read"), connect(address) as connection:
        connection.drop('"nodes"')
    with connect(address) as connection:
        assert set(connection.tables()) == {"nodes", "edges"}


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_file_of_another_kind_is_refused(tmp_path, kind) -> None:
    (tmp_path / "a.db").write_text("no database at all, but a long text\n" * 200)
    with (
        pytest.raises(DataError, match=rf"^{kind}:.*a.db is no (SQLite|DuckDB) database: check the path"),
        connect(parse_address(f"{kind}:{tmp_path / 'a.db'}")) as connection,
    ):
        connection.tables()


def test_a_duckdb_file_is_not_read_as_sqlite_and_the_other_way_round(tmp_path) -> None:
    duckdb_file(tmp_path / "a.duckdb")
    sqlite_file(tmp_path / "a.db")
    with (
        pytest.raises(DataError, match="use duckdb: for a DuckDB file"),
        connect(parse_address(f"sqlite:{tmp_path / 'a.duckdb'}")) as connection,
    ):
        connection.tables()
    with (
        pytest.raises(DataError, match="use sqlite: for a SQLite file"),
        connect(parse_address(f"duckdb:{tmp_path / 'a.db'}")),
    ):
        pass


def test_a_locked_file_is_named(tmp_path) -> None:
    address = sqlite_file(tmp_path / "a.db")
    other = sqlite3.connect(tmp_path / "a.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    try:
        with (
            pytest.raises(DataError, match="reports 'database is locked'"),
            connect(parse_address(address), write=True),
        ):
            pass
    finally:
        other.close()
