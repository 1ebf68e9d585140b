import pytest

from highwaygraph.data.databases.address import parse_address
from highwaygraph.data.databases.connect import connect
from highwaygraph.errors import DataError
from tests.helpers.databases import postgresql
from tests.helpers.postgresql import PASSWORD, free_port


@pytest.fixture(scope="module")
def address(server):
    with postgresql(server.url()) as cursor:
        for statement in (
            "DROP SCHEMA IF EXISTS other CASCADE",
            "CREATE SCHEMA other",
            "CREATE TYPE other.mood AS ENUM ('glad', 'sad')",
            "CREATE TABLE other.t AS SELECT n AS whole, n / 3.0 AS price, 'glad'::other.mood AS mood, "
            "'8cfbbb2c-6f3d-4f8b-9d3a-0e6b8a3c5d11'::uuid AS key, '{\"a\": 1}'::jsonb AS json, ARRAY[1.5, n]::float8[] "
            "AS list, '1 day'::interval AS period, '10.0.0.1'::inet AS host, date '2020-01-31' AS day, "
            "CASE WHEN n > 90000 THEN 'late' END AS late FROM generate_series(1, 100000) AS n",
            "CREATE TABLE other.b AS SELECT '\\x00'::bytea AS photo",
            "CREATE MATERIALIZED VIEW other.m AS SELECT whole FROM other.t",
        ):
            cursor.execute(statement)
    return parse_address(server.url())


def test_values_of_all_types_are_read(address) -> None:
    with connect(address) as connection:
        rows = connection.read("SELECT * FROM other.t").read_all()
    first = {name: rows[name][1].as_py() for name in rows.column_names}
    assert first.pop("price").startswith("0.6666")
    assert str(first.pop("day")) == "2020-01-31"
    assert first == {
        "whole": 2, "mood": "glad", "key": "8cfbbb2c-6f3d-4f8b-9d3a-0e6b8a3c5d11", "json": '{"a": 1}',
        "list": [1.5, 2.0], "period": "1 day", "host": "10.0.0.1/32", "late": None,
    }  # fmt: skip
    assert rows["late"].to_pylist()[-1] == "late"
    assert rows["whole"].to_pylist() == list(range(1, 100_001))


def test_tables_and_views_of_all_schemas_are_listed(address) -> None:
    with connect(address) as connection:
        found = connection.tables()
    assert found["other.t"] == '"other"."t"'
    assert {"other.t", "other.b", "other.m"} <= set(found)
    assert not [name for name in found if "pg_" in name]


def test_a_query_that_is_not_read_to_its_end_can_be_closed(address) -> None:
    with connect(address) as connection:
        next(iter(connection.read("SELECT * FROM other.t")))
    with connect(address) as connection:
        assert connection.read("SELECT 1 AS a").read_all().to_pylist() == [{"a": 1}]


def test_reading_cannot_change_the_database(address) -> None:
    with pytest.raises(DataError, match="read-only transaction"), connect(address) as connection:
        connection.drop("other.m")


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("SELECT zz FROM other.t", 'column "zz" does not exist'),
        ("SELECT * FROM none", 'relation "none" does not exist'),
        ("SELECT 1 / (whole - 500) FROM other.t", "division by zero"),
        ("SELECT * FROM other.b", "'photo' holds binary values"),
    ],
)
def test_errors_of_queries_are_one_sentence(address, query, reason) -> None:
    with pytest.raises(DataError, match=reason) as refused, connect(address) as connection:
        connection.read(query).read_all()
    assert "\n" not in str(refused.value)
    assert PASSWORD not in str(refused.value)


def test_errors_of_connections_are_one_sentence_without_the_password(server) -> None:
    wrong, closed = "wr0ng", free_port()
    cases = {
        server.url(password=wrong): "refuses the connection .*password authentication failed.*PGPASSWORD",
        server.url(port=closed): f"Cannot connect to 127.0.0.1:{closed} .*: check the address",
        server.url(database="none"): 'database "none" does not exist',
        f"postgresql://ada@127.0.0.1:{server.port}/postgres": "no password supplied.*: set PGPASSWORD",
    }
    for url, reason in cases.items():
        with pytest.raises(DataError, match=reason) as refused, connect(parse_address(url)):
            pass
        shown = str(refused.value)
        assert "\n" not in shown
        assert "s3cret" not in shown
        assert wrong not in shown


def test_the_password_may_come_from_the_environment(server, monkeypatch) -> None:
    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    with connect(parse_address(f"postgresql://ada@127.0.0.1:{server.port}/postgres")) as connection:
        assert connection.read("SELECT 1 AS a").read_all().num_rows == 1
