from pathlib import Path

import pandas as pd
import pytest

from highwaygraph.data.tables.files import edges_beside, find_tables, read_edge_table, read_table
from highwaygraph.errors import DataError


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_ids_are_read_as_written_and_numbers_as_numbers(tmp_path) -> None:
    table = read_table(write(tmp_path / "nodes.csv", "id,a,b\n007,1,x\n008,,y\n"))
    assert table["id"].tolist() == ["007", "008"]
    assert table["a"].dtype == float
    edges = read_edge_table(write(tmp_path / "edges.tsv", "x\ty\n01\t02\n"))
    assert edges.to_numpy().tolist() == [["01", "02"]]
    named = read_table(write(tmp_path / "other.csv", "b,code\n1,01\n"), as_written=("code",))
    assert named["code"].tolist() == ["01"]


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_whatever_stands_between_the_columns(tmp_path, sign) -> None:
    assert read_table(write(tmp_path / "t.csv", f"id{sign}a\n1{sign}2\n")).columns.tolist() == ["id", "a"]


def test_lists_and_parquet(tmp_path) -> None:
    table = read_table(write(tmp_path / "t.csv", 'id,v,w\n1,"[1, 2]","[a, \'b\']"\n2,"[3, 4]",\n'))
    assert table["v"].tolist() == [[1, 2], [3, 4]]
    assert table["w"][0] == ["a", "b"]
    table.to_parquet(tmp_path / "t.parquet")
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
