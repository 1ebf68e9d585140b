import pyarrow as pa
import pytest

from highwaygraph.data.databases.address import parse_address
from highwaygraph.data.databases.connection import (
    find_table,
    first_line,
    quoted,
    readable,
    refuse_repeated,
    report,
    select,
)
from highwaygraph.errors import DataError


def test_readable_types_are_left_as_they_are() -> None:
    kinds = [pa.int8(), pa.float64(), pa.bool_(), pa.string(), pa.date32(), pa.timestamp("us"), pa.decimal128(9, 2),
             pa.list_(pa.float32()), pa.list_(pa.string())]  # fmt: skip
    schema = pa.schema([(f"c{i}", kind) for i, kind in enumerate(kinds)])
    assert readable("SELECT 1", schema, "TEXT") == "SELECT 1"


def test_other_types_are_cast_to_text() -> None:
    schema = pa.schema(
        [("a", pa.int64()), ('b"', pa.struct([("x", pa.int8())])), ("c", pa.dictionary(pa.int8(), pa.string()))]
    )
    assert readable("SELECT 1", schema, "TEXT") == select(
        '"a", CAST("b""" AS TEXT) AS "b""", CAST("c" AS TEXT) AS "c"', "SELECT 1"
    )


def test_binary_and_repeated_columns_are_refused() -> None:
    with pytest.raises(DataError, match="'photo' holds binary values: leave it out"):
        readable("SELECT 1", pa.schema([("photo", pa.binary())]), "TEXT")
    with pytest.raises(DataError, match="Two columns of the query are called 'a'"):
        refuse_repeated(["a", "b", "a"])


def test_tables_are_found_with_and_without_their_schema() -> None:
    tables = {"nodes": '"public"."nodes"', "other.nodes": '"other"."nodes"', "a.b": '"a.b"'}
    assert find_table("nodes", tables) == find_table("public.nodes", tables) == '"public"."nodes"'
    assert find_table("other.nodes", tables) == '"other"."nodes"'
    assert find_table("a.b", tables) == '"a.b"'
    assert find_table("edges", tables) is None


def test_names_are_quoted() -> None:
    assert quoted('a"; DROP TABLE b') == '"a""; DROP TABLE b"'


def test_errors_are_one_sentence() -> None:
    assert first_line(ValueError("\nno such thing!\nmore")) == "no such thing"
    assert first_line(ValueError()) == "ValueError"
    assert report(parse_address("sqlite:a.db"), "no such thing").startswith("sqlite:a.db reports 'no such thing': ")
