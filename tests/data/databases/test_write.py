import pytest

from highwaygraph.data.databases.address import parse_address
from highwaygraph.data.databases.connect import connect
from highwaygraph.data.databases.write import write_table
from highwaygraph.errors import DataError
from tests.helpers.databases import duckdb_file, postgresql_tables, sqlite_file

COLUMNS = {
    "id": ["a", "b"],
    "class": ["x", "=y"],
    "confidence": [0.5, 1.0],
    "hops": [1, None],
    "highways": ["", "a (round 1)"],
}


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def address(request, tmp_path):
    if request.param == "postgresql":
        url = postgresql_tables(request.getfixturevalue("server").url())
        _drop(parse_address(url), "out")
        return parse_address(url)
    return parse_address((sqlite_file if request.param == "sqlite" else duckdb_file)(tmp_path / "papers.db"))


def _drop(address, table) -> None:
    with connect(address, write=True) as connection:
        if table in connection.tables():
            connection.drop(connection.tables()[table])


def rows(address, table: str) -> dict[str, list[object]]:
    with connect(address) as connection:
        return connection.read(f"SELECT * FROM {connection.tables()[table]}").read_all().to_pydict()


def test_a_table_is_written_with_its_types(address) -> None:
    write_table(COLUMNS, address, "out")
    assert rows(address, "out") == COLUMNS


def test_an_existing_table_is_replaced_only_if_it_is_an_earlier_prediction(address) -> None:
    write_table(COLUMNS, address, "out")
    fewer = {name: values[:1] for name, values in COLUMNS.items()}
    with pytest.raises(DataError, match="'out' exists in .*: choose another name, or replace it with --force"):
        write_table(fewer, address, "out")
    assert rows(address, "out") == COLUMNS
    write_table(fewer, address, "out", replace=True)
    assert rows(address, "out") == fewer
    with pytest.raises(DataError, match="'nodes' in .* is no earlier prediction"):
        write_table(fewer, address, "nodes", replace=True)
    assert len(rows(address, "nodes")["id"]) == 40


def test_predictions_of_several_labels_are_replaced_and_similar_tables_are_not(address) -> None:
    first = {"id": ["a", "b"], "labels": ["x;y", ""], "known": ["x", ""], "part": ["train", "none"], "p_x": [0.5, 0.1]}
    other = {name: first[name] for name in ("id", "labels", "p_x")}
    for table in (first, other, first):
        write_table(table, address, "out", replace=True)
        assert rows(address, "out") == table
    write_table(first | {"price": [1.0, 2.0]}, address, "out", replace=True)
    with pytest.raises(DataError, match="'out' in .* is no earlier prediction"):
        write_table(first, address, "out", replace=True)


def test_a_write_that_fails_changes_nothing(address, monkeypatch) -> None:
    write_table(COLUMNS, address, "out")
    with connect(address) as connection:
        kind = type(connection)
    create = kind.create

    def fails(self, table, found) -> None:
        create(self, table, found)
        raise ZeroDivisionError

    monkeypatch.setattr(kind, "create", fails)
    with pytest.raises(ZeroDivisionError):
        write_table({"id": ["c"], "class": ["z"], "confidence": [0.1]}, address, "out", replace=True)
    assert rows(address, "out") == COLUMNS


def test_hops_may_all_be_missing(address) -> None:
    write_table(COLUMNS | {"hops": [None, None]}, address, "out")
    assert rows(address, "out")["hops"] == [None, None]


def test_names_of_tables_are_quoted(address) -> None:
    name = 'my "out"; DROP TABLE nodes'
    _drop(address, name)
    write_table(COLUMNS, address, name)
    assert rows(address, name) == COLUMNS
    assert len(rows(address, "nodes")["id"]) == 40
    _drop(address, name)


@pytest.mark.parametrize("kind", ["sqlite", "duckdb"])
def test_a_new_file_is_created_or_left_out(tmp_path, kind) -> None:
    if kind == "duckdb":
        pytest.importorskip("duckdb", reason="duckdb is not installed")
    address = parse_address(f"{kind}:{tmp_path / 'new.db'}")
    write_table(COLUMNS, address, "out")
    assert rows(address, "out") == COLUMNS
    with pytest.raises(ZeroDivisionError), connect(parse_address(f"{kind}:{tmp_path / 'other.db'}"), write=True):
        raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["new.db"]
