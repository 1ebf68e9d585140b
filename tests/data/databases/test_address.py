import traceback
from pathlib import Path

import pytest

import highwaygraph as hg
from highwaygraph.data.databases.address import (
    Address,
    Database,
    is_database,
    parse_address,
    parse_database,
    parse_target,
    refuse_address,
)
from highwaygraph.errors import ConfigError, DataError
from highwaygraph.runs.folder import check_writable
from highwaygraph.runs.outputs import check_output


@pytest.mark.parametrize(
    "source", ["sqlite:a.db", "DuckDB:a b.duckdb", "postgresql://h/d", "postgres://u:p@h/d", "mysql://h/d"]
)
def test_addresses_are_recognised(source) -> None:
    assert is_database(source)


@pytest.mark.parametrize("source", ["cora", "a.db", "C:\\papers\\nodes.csv", "nodes.sqlite", None, 5])
def test_other_sources_are_no_databases(source) -> None:
    assert not is_database(source)


def test_files_have_a_kind_a_path_and_a_name() -> None:
    assert parse_address("sqlite:x/papers.db") == Address("sqlite", "x/papers.db", "papers")
    assert str(parse_address("DUCKDB:papers.duckdb")) == "duckdb:papers.duckdb"


@pytest.mark.parametrize(
    ("source", "shown", "name"),
    [
        ("postgresql://ada:secret@host:5433/graphs?sslmode=require", "postgresql://ada@host:5433/graphs", "graphs"),
        ("postgres://ada:s%40cret%23@host/my%20graphs", "postgresql://ada@host/my graphs", "my graphs"),
        ("postgresql:///graphs", "postgresql://localhost/graphs", "graphs"),
        ("postgresql://ada@host", "postgresql://ada@host/ada", "ada"),
        ("postgresql://host/graphs?password=secret", "postgresql://host/graphs", "graphs"),
        ("postgresql+psycopg2://ada:secret@host/graphs", "postgresql://ada@host/graphs", "graphs"),
    ],
)
def test_servers_are_shown_without_passwords(source, shown, name) -> None:
    address = parse_address(source)
    read = source.replace("postgres:", "postgresql:").replace("+psycopg2", "")
    assert (address.place, str(address), address.name) == (read, shown, name)
    assert "cret" not in repr(address) + repr(Database(address)) + f"{address}"


@pytest.mark.parametrize(
    "source",
    [
        "postgresql://ada:sec#ret@host/graphs",
        "postgresql://ada:sec@ret@host/graphs",
        "postgresql://ada:sec/ret@host/graphs",
        "postgresql://ada:sec ret@host/graphs",
        "postgresql://ada:secret@host:many/graphs",
        "postgresql://[ada:secret@host/graphs",
        "postgresql://ada:sec%ret@host/graphs",
        "postgresql://ada:sec%00ret@host/graphs",
        "postgresql://host/graphs?password=sec%ret",
        "postgresql://ada:secret",
    ],
)
def test_an_invalid_address_is_refused_without_showing_it(source) -> None:
    with pytest.raises(DataError, match="address of the database is invalid") as refused:
        parse_address(source)
    shown = "".join(traceback.format_exception_only(refused.value)) + str(refused.value.__cause__)
    assert refused.value.__suppress_context__ or refused.value.__context__ is None
    assert "sec" not in shown
    assert "ret" not in shown


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("mysql://ada:secret@host/graphs", "mysql:// is not supported .*: export both tables to CSV, or .* mysql ext"),
        ("mariadb+pymysql://ada:secret@host/graphs", "mariadb:// is not supported"),
        ("neo4j+s://ada:secret@host", "neo4j:// is not supported .*: export nodes and edges to CSV or Parquet"),
        ("https://ada:secret@host/nodes.csv", "https:// is not supported .*: save the file on this computer"),
    ],
)
def test_other_schemes_are_not_supported_and_their_passwords_not_shown(source, message) -> None:
    for refused in (parse_address, lambda address: parse_target(f"{address}#out"), hg.load):
        with pytest.raises(DataError, match=message) as error:
            refused(source)
        assert "secret" not in str(error.value)
    with pytest.raises(DataError, match="edges is an address: give that of the database first"):
        hg.load("nodes.csv", source)


def test_a_file_has_to_be_named() -> None:
    with pytest.raises(DataError, match="Name the file of the database, as in sqlite:FILE"):
        parse_address("sqlite:")


@pytest.mark.parametrize("source", ["duckdb:", "duckdb:  ", "sqlite:"])
def test_a_blank_place_is_no_file(source) -> None:
    with pytest.raises(DataError, match=f"Name the file of the database, as in {source.strip()}FILE"):
        parse_address(source)


@pytest.mark.parametrize(
    "source",
    ["duckdb::memory:", "DUCKDB::MEMORY:", "duckdb::memory:papers", "sqlite::memory:", "sqlite:///:memory:",
     "sqlite:file::memory:?cache=shared", "sqlite:file:papers?mode=memory"],
)  # fmt: skip
def test_a_database_in_memory_is_refused(source, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    message = "is a database in memory, which is not supported: name a file, as in .*, or give hg.load its two tables"
    for refused in (parse_address, lambda address: parse_target(f"{address}#out"), hg.load):
        with pytest.raises(DataError, match=message):
            refused(source)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("source", ["postgresql://ada:secret@host/graphs", "sqlite:a.db", "mysql://ada:secret@host/g"])
def test_an_address_is_no_path_to_write_to(source, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    cora = hg.load("cora")
    for write in (check_writable, check_output, lambda path: hg.convert(cora, path)):
        with pytest.raises(
            DataError, match="is no path of a file or folder: name one; predictions are written"
        ) as error:
            write(Path(source))
        assert "secret" not in str(error.value)
    assert not list(tmp_path.iterdir())
    for path in ("runs/postgresql:x", "C:\\runs", "c:/runs", "a:b", "/tmp/sqlite:x"):
        refuse_address(Path(path))


def test_edges_are_a_table_or_a_query() -> None:
    assert parse_database("sqlite:a.db", "n", None) == Database(parse_address("sqlite:a.db"), "n", "")
    with pytest.raises(DataError, match="table or a query, not int"):
        parse_database("sqlite:a.db", "", 5)


def test_the_table_to_write_follows_the_last_number_sign() -> None:
    assert parse_target("sqlite:a#b.db#out") == (parse_address("sqlite:a#b.db"), "out")
    address, table = parse_target("postgresql://ada:secret@host/graphs#my.out")
    assert (str(address), table) == ("postgresql://ada@host/graphs", "my.out")
    with pytest.raises(DataError, match="is invalid"):
        parse_target("postgresql://ada:12#34@host/graphs")
    for source in ("sqlite:a.db", "sqlite:a.db#"):
        with pytest.raises(ConfigError, match="Name the table to write"):
            parse_target(source)
