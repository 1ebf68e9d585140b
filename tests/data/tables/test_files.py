from pathlib import Path

import pandas as pd
import pytest

from highwaygraph.data.tables.files import edges_beside, find_tables, read_table
from highwaygraph.errors import DataError


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_cells_are_read_as_written(tmp_path) -> None:
    table = read_table(write(tmp_path / "nodes.csv", "id,a,b\n007,1e5,NA\n008,,True\n"))
    assert table["id"].tolist() == ["007", "008"]
    assert table["a"].tolist() == ["1e5", ""]
    assert table["b"].tolist() == ["NA", "True"]
    edges = read_table(write(tmp_path / "edges.tsv", "x\ty\n01\t02\n"))
    assert edges.to_numpy().tolist() == [["01", "02"]]


def test_whole_numbers_of_parquet_keep_all_digits_beside_a_gap(tmp_path) -> None:
    pd.DataFrame({"id": pd.array([2**60, 2**60 + 1, None], dtype="Int64")}).to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet")["id"].tolist() == [2**60, 2**60 + 1, None]


def test_the_index_of_a_pandas_table_is_no_column_unless_it_has_a_name(tmp_path) -> None:
    frame = pd.DataFrame({"key": ["a", "b"], "size": [1, 2]}, index=[5, 7])
    frame.to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").columns.tolist() == ["key", "size"]
    frame.set_index("key").to_parquet(tmp_path / "t.parquet")
    assert read_table(tmp_path / "t.parquet").columns.tolist() == ["size", "key"]


def test_the_apostrophe_of_an_export_is_removed(tmp_path) -> None:
    rows = "'@ada,1\n''bob,2\n'tis,3\n"
    exported = read_table(write(tmp_path / "t.csv", f"id,highway_round\n{rows}"))
    assert exported["id"].tolist() == ["@ada", "'bob", "'tis"]
    assert read_table(write(tmp_path / "t.csv", f"id,round\n{rows}"))["id"].tolist() == ["'@ada", "''bob", "'tis"]


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_whatever_stands_between_the_columns(tmp_path, sign) -> None:
    assert read_table(write(tmp_path / "t.csv", f"id{sign}a\n1{sign}2\n")).columns.tolist() == ["id", "a"]


def test_lists_and_parquet(tmp_path) -> None:
    table = read_table(write(tmp_path / "t.csv", 'id,v\n1,"[1, 2]"\n2,"[3, 4]"\n'))
    assert table["v"].tolist() == ["[1, 2]", "[3, 4]"]
    pd.DataFrame({"id": ["1", "2"], "v": [[1, 2], [3, 4]]}).to_parquet(tmp_path / "t.parquet")
    again = read_table(tmp_path / "t.parquet")
    assert [list(v) for v in again["v"]] == [[1, 2], [3, 4]]


def test_the_two_tables_of_a_folder(tmp_path) -> None:
    assert find_tables(tmp_path) is None
    nodes, edges = write(tmp_path / "my_nodes.csv", "id\n1\n"), write(tmp_path / "my_edges.csv", "a,b\n")
    assert find_tables(tmp_path) == (nodes, edges)
    assert edges_beside(nodes) == edges
    with pytest.raises(DataError, match=r"Where are the edges of alone.csv\? Name their table with --edges"):
        edges_beside(write(tmp_path / "alone.csv", "id\n"))
    write(tmp_path / "links.csv", "a,b\n")
    with pytest.raises(DataError, match="several tables of edges"):
        find_tables(tmp_path)


def test_a_file_that_is_no_table_is_refused(tmp_path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        read_table(tmp_path / "none.csv")
    (tmp_path / "bad.csv").write_bytes(b"id,a\n\xff\xfe,1\n")
    with pytest.raises(DataError, match="not written in UTF-8"):
        read_table(tmp_path / "bad.csv")
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(DataError, match="bad.parquet cannot be read as a table"):
        read_table(tmp_path / "bad.parquet")
    with pytest.raises(DataError, match="empty.csv cannot be read as a table"):
        read_table(write(tmp_path / "empty.csv", ""))
    pd.DataFrame([[1, 2]], columns=["a", "b"]).to_csv(tmp_path / "fine.csv", index=False)
    assert len(read_table(tmp_path / "fine.csv")) == 1
