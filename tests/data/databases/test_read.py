import os

import pandas as pd
import pytest
import torch

from highwaygraph.data import convert, load
from highwaygraph.data.tables import parquet
from highwaygraph.errors import DataError, FailedError
from tests.helpers.databases import EDGES, NODES, duckdb_file, postgresql, postgresql_tables, sqlite_file


@pytest.fixture(params=["sqlite", "duckdb", "postgresql"])
def source(request, tmp_path) -> str:
    if request.param == "postgresql":
        return postgresql_tables(request.getfixturevalue("server").url())
    return (sqlite_file if request.param == "sqlite" else duckdb_file)(tmp_path / "papers.db")


def same(one, other) -> bool:
    return all(torch.equal(one[name], other[name]) for name in ("x", "y", "edge_index")) and one.ids == other.ids


def test_a_database_gives_the_graph_of_its_tables(source) -> None:
    expected = load(NODES, EDGES)
    read = load(source, nodes="nodes", edges="edges")
    assert same(read, expected)
    assert read.read_log.columns == expected.read_log.columns
    assert read.name == ("postgres" if source.startswith("postgres") else "papers")


def test_queries_choose_rows_and_columns(source) -> None:
    nodes = "SELECT id, label, size FROM nodes WHERE size < 5 ORDER BY id DESC; "
    edges = "WITH e AS (SELECT * FROM edges) SELECT source AS a, target AS b FROM e -- all of them"
    few = NODES[NODES["size"] < 5][["id", "label", "size"]].sort_values("id", ascending=False)
    assert same(load(source, nodes=nodes, edges=edges), load(few, EDGES))


def test_arrays_of_text_are_several_labels_per_node(source) -> None:
    if source.startswith("sqlite"):
        pytest.skip("SQLite has no lists")
    both = "ARRAY['bio', 'hot']" if source.startswith("postgres") else "['bio', 'hot']"
    one, empty = both.replace("'bio', ", ""), both.replace("'bio', 'hot'", "") + "::text[]"
    cases = f"CASE size WHEN 1 THEN {both} WHEN 2 THEN {one} WHEN 3 THEN {empty} END"
    data = load(source, nodes=f"SELECT id, size, {cases} AS label FROM nodes", edges="edges")
    rows = {1: [1, 1], 2: [0, 1]}
    assert data.classes == ["bio", "hot"]
    assert data.y.tolist() == [rows.get(size, [-1, -1]) for size in NODES["size"]]


def test_a_database_is_converted_by_streaming(source, tmp_path, monkeypatch) -> None:
    # Several chunks, of nodes and of edges.
    monkeypatch.setattr(parquet, "CHUNK", 16)
    steps: list[str] = []
    mapped = convert(source, tmp_path / "new" / "papers.graph", nodes="nodes", edges="edges", notify=steps.append)
    expected = load(NODES, EDGES)
    assert torch.equal(mapped.x, expected.x)
    assert torch.equal(mapped.y, expected.y)
    assert list(mapped.ids) == expected.ids
    assert len(mapped.csr.col) == expected.edge_index.size(1)
    assert os.listdir(tmp_path / "new") == ["papers.graph"]
    assert "s3cret" not in "".join(steps)


def test_tables_are_inferred_by_their_names(tmp_path) -> None:
    source = sqlite_file(tmp_path / "a.db", node_table=NODES, relations=EDGES, other=EDGES)
    assert load(source).num_nodes == 40
    source = sqlite_file(tmp_path / "b.db", papers=NODES, cites=EDGES)
    with pytest.raises(DataError, match=r"Name the nodes of sqlite:.* with --nodes.*'papers', 'cites'"):
        load(source)
    with pytest.raises(DataError, match="Name the edges of .* with --edges"):
        load(source, nodes="papers")


def test_a_missing_table_is_named_with_the_nearest(source) -> None:
    with pytest.raises(DataError, match=r"There is no table 'node' in .*\. Did you mean 'nodes'\?") as refused:
        load(source, nodes="node", edges="edges")
    assert "s3cret" not in str(refused.value)


def test_a_missing_column_is_named(source) -> None:
    with pytest.raises(DataError, match="klass"):
        load(source, nodes="nodes", edges="edges", label="klass")


def test_columns_of_one_name_are_refused(source) -> None:
    with pytest.raises(DataError, match="Two columns of the query are called 'id'"):
        load(source, nodes="SELECT id, label, id FROM nodes", edges="edges")


def test_tables_of_another_schema_are_named_with_it(server) -> None:
    url = postgresql_tables(server.url(), nodes=NODES.head(10), edges=EDGES)
    with postgresql(url) as cursor:
        cursor.execute("DROP SCHEMA IF EXISTS mine CASCADE")
        cursor.execute("CREATE SCHEMA mine")
        cursor.execute("CREATE TABLE mine.nodes AS SELECT * FROM nodes LIMIT 4")
    assert load(url, nodes="mine.nodes", edges="edges").num_nodes == 4
    assert load(url, nodes="public.nodes", edges="public.edges").num_nodes == 10


def test_nodes_are_for_databases_only() -> None:
    with pytest.raises(DataError, match="nodes names a table or a query of a database"):
        load("cora", nodes="papers")


def test_a_folder_that_exists_is_refused_before_the_database_is_read(tmp_path) -> None:
    (tmp_path / "there").mkdir()
    with pytest.raises(DataError, match="exists already"):
        convert(f"sqlite:{tmp_path / 'none.db'}", tmp_path / "there")


def test_a_conversion_that_fails_leaves_nothing(tmp_path) -> None:
    source = sqlite_file(tmp_path / "a.db", nodes=NODES, edges=pd.DataFrame({"source": ["x"], "target": ["y"]}))
    with pytest.raises(DataError, match="None of the 1 edges joins two known nodes"):
        convert(source, tmp_path / "out")
    assert os.listdir(tmp_path) == ["a.db"]


def test_a_place_that_cannot_be_written_is_named(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(FailedError, match="Cannot write .*file/out: .*Choose another folder"):
        convert(sqlite_file(tmp_path / "a.db"), tmp_path / "file" / "out")


def test_values_of_all_types_survive_a_conversion(tmp_path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    with duckdb.connect(str(tmp_path / "a.duckdb")) as connection:
        connection.execute(
            "CREATE TABLE nodes AS SELECT range AS id, if(range < 2_900, NULL, range % 2) AS label, "
            "(range / 7)::DECIMAL(9, 2) AS price, range::HUGEINT AS big, 'ab'[1 + range % 2]::ENUM('a', 'b') AS kind, "
            "DATE '2020-01-01' + (range % 99)::INT AS day, range % 3 = 0 AS flag, [range % 5, 1.5]::FLOAT[2] AS list, "
            "NULL AS empty, uuid() AS key, {'a': range % 2} AS pair FROM range(3_000)"
        )
        connection.execute("CREATE TABLE edges AS SELECT range AS source, range + 1 AS target FROM range(2_999)")
    source = f"duckdb:{tmp_path / 'a.duckdb'}"
    mapped, loaded = convert(source, tmp_path / "out"), load(source)
    assert torch.equal(mapped.x, loaded.x)
    assert torch.equal(mapped.y, loaded.y)
    assert {name: encoder.kind for name, encoder in loaded.encoders.items()} == {
        "price": "number", "big": "number", "kind": "category", "day": "date", "flag": "flag", "list": "vector",
        "empty": "nothing", "key": "words", "pair": "category",
    }  # fmt: skip
