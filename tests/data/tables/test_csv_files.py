"""CSV files as text."""

import csv
import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.data import limits
from highwaygraph.data.tables import csv_files
from highwaygraph.data.tables.csv_files import csv_batches, read_csv_header
from highwaygraph.errors import DataError


def rows(path) -> list[tuple[str, ...]]:
    return [row for table in csv_batches(path) for row in zip(*table.to_pydict().values(), strict=True)]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a,b\n1,NA\n007,\n", [("1", "NA"), ("007", "")]),
        (b'a,b\n1,"x\ry"\n2,"x\ny"\n', [("1", "x\ry"), ("2", "x\ny")]),
        (b'a,b\n1, "x,y"\n', [("1", "x,y")]),
        (b"a,b\r\n1,2\r\n\r\n3,4", [("1", "2"), ("3", "4")]),
        (b"a,b\r1,2\r", [("1", "2")]),
        (b"\xef\xbb\xbfa;b\n1;2,5\n", [("1", "2,5")]),
        (b'a,b\n1,5" pipe\n', [("1", '5" pipe')]),
        (b"\n\na,b\n1,2\n", [("1", "2")]),
        (b'"a\nb",c\n1,2\n', [("1", "2")]),
        (b"a,b\n", []),
        (b"a,b", []),
    ],
)
def test_cells_are_text_as_written(tmp_path, content, expected) -> None:
    (tmp_path / "t.csv").write_bytes(content)
    assert rows(tmp_path / "t.csv") == expected
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(content))
    assert rows(tmp_path / "t.csv.gz") == expected


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("source,target\n0,3,5\n", r"t.csv: line 2 has 3 cells where the header has 2 \('0,3,5'\)"),
        ("source,target\n0,3\n\n0,3,\n", "line 4 has 3 cells"),
        ("source,target\n0\n", "line 2 has 1 cells"),
        ('source,target\n"0",3,5\n', "line 2 has 3 cells"),
        ("label,label\n0,3\n", "columns of the same name: 'label'"),
        ("", "it is empty"),
    ],
)
def test_rows_of_another_length_and_repeated_names_are_refused(tmp_path, content, message) -> None:
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(DataError, match=message):
        rows(tmp_path / "t.csv")


@pytest.mark.parametrize("content", ['a,b\n1,"x\n2,3\n', 'a,b\n1,"x\n2,"y"\n'])
def test_a_quote_that_is_not_closed_is_refused(tmp_path, content) -> None:
    (tmp_path / "t.csv").write_text(content)
    with pytest.raises(DataError, match=r"t.csv: the quotes before line 4 do not match .*: close them"):
        rows(tmp_path / "t.csv")


def test_a_column_without_a_name_gets_one(tmp_path) -> None:
    (tmp_path / "t.csv").write_text(",x\n0,1\n")
    assert read_csv_header(tmp_path / "t.csv").names == ["Unnamed: 0", "x"]
    assert [table.column_names for table in csv_batches(tmp_path / "t.csv", ["x"])] == [["x"]]


@given(st.lists(st.tuples(st.text(alphabet='ab,;"\r\n\t 0', min_size=1), st.text("xy")), max_size=6))
def test_whatever_the_csv_module_writes_is_read_back(tmp_path_factory, cells) -> None:
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_ALL)
    writer.writerows([("a", "b"), *cells])
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    path.write_bytes(text.getvalue().encode())
    assert rows(path) == cells


def test_a_compressed_table_above_the_limit_is_refused_before_any_row_is_parsed(tmp_path, monkeypatch) -> None:
    path = tmp_path / "nodes.csv.gz"
    path.write_bytes(gzip.compress(b"id,size\n" + b"1,0\n" * 5000))
    monkeypatch.setattr(limits, "ALWAYS_ALLOWED", 1000)
    monkeypatch.setattr(limits, "MAX_RATIO", 10)
    with pytest.raises(DataError, match="more than 10 times its size"):
        next(csv_batches(path))
    assert sum(len(rows) for rows in csv_batches(path, whole=False)) == 5000


@pytest.mark.parametrize("quote", ["", '"'])
def test_a_line_that_is_longer_than_a_block_is_refused(tmp_path, monkeypatch, quote) -> None:
    monkeypatch.setattr(csv_files, "BLOCK", 100)
    path = tmp_path / "nodes.csv"
    path.write_text(f"id,text\n0,{quote}{'a' * 300}{quote}\n")
    with pytest.raises(DataError, match="a line of more than 100 characters"):
        list(csv_batches(path))
