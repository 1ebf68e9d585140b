import numpy as np
import pytest

pytest.importorskip("pandas", reason="pandas is not installed")

import pyarrow as pa
import pyarrow.parquet as pq

from highwaygraph.data import limits
from highwaygraph.data.tables import parquet
from highwaygraph.data.tables.parquet import parquet_batches
from highwaygraph.errors import DataError

LIMIT = 2**24


@pytest.fixture
def strict(monkeypatch) -> None:
    monkeypatch.setattr(limits, "ALWAYS_ALLOWED", LIMIT)


def read(path, columns=None, *, whole=True) -> list[pa.RecordBatch]:
    with pq.ParquetFile(path) as file:
        return list(parquet_batches(path, file, columns, whole=whole))


def table() -> pa.Table:
    words = ["a", None, "ü" * 20, ""] * 50
    return pa.table(
        {
            "id": pa.array(range(200)),
            "word": pa.array(words),
            "large": pa.array(words, pa.large_string()),
            "bytes": pa.array([None if w is None else w.encode() for w in words]),
            "category": pa.array(words).dictionary_encode(),
            "words": pa.array([["a", None, "b"], [], None, ["c"]] * 50),
            "nested": pa.array([{"a": "x", "b": [1.0]}, None] * 100),
            "flag": pa.array([True, None] * 100),
            "number": pa.array(np.linspace(0, 1, 200)),
        }
    )


@pytest.mark.parametrize("options", [{}, {"use_dictionary": False}, {"row_group_size": 30}, {"store_schema": False}])
@pytest.mark.parametrize("whole", [True, False])
def test_rows_and_types_are_those_of_the_file(tmp_path, options, whole) -> None:
    pq.write_table(table(), tmp_path / "t.parquet", **options)
    expected = pq.read_table(tmp_path / "t.parquet")
    found = pa.Table.from_batches(read(tmp_path / "t.parquet", whole=whole), expected.schema)
    assert found.equals(expected)
    some = pa.Table.from_batches(read(tmp_path / "t.parquet", ["words", "id"], whole=whole))
    assert some.select(["words", "id"]).equals(expected.select(["words", "id"]).replace_schema_metadata())


def test_dictionaries_give_the_same_rows(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(parquet, "MOST_DICTIONARIES", 0)
    pq.write_table(table(), tmp_path / "t.parquet", row_group_size=30)
    expected = pq.read_table(tmp_path / "t.parquet")
    assert pa.Table.from_batches(read(tmp_path / "t.parquet"), expected.schema).equals(expected)


@pytest.mark.parametrize(("length", "bounded"), [(10, True), (2**16, False)])
def test_the_longest_text_of_a_dictionary_counts_in_whatever_row_it_is(tmp_path, strict, length, bounded) -> None:
    words = ["a"] * 999 + ["b" * length]
    pq.write_table(pa.table({"w": words, "v": words[::-1]}), tmp_path / "t.parquet")
    with pq.ParquetFile(tmp_path / "t.parquet") as file:
        assert parquet._is_bounded(tmp_path / "t.parquet", file, ["w", "v"]) == bounded
    assert [row for batch in read(tmp_path / "t.parquet") for row in batch["w"].to_pylist()] == words


def test_texts_beyond_a_full_dictionary_count_as_they_are_stored(tmp_path, strict) -> None:
    words = [f"{i:05d}" * 20 for i in range(5_000)]
    options = {"dictionary_pagesize_limit": 2_000, "data_page_size": 1_000}
    pq.write_table(pa.table({"w": words}), tmp_path / "t.parquet", **options)
    with pq.ParquetFile(tmp_path / "t.parquet") as file:
        assert set(file.metadata.row_group(0).column(0).encodings) >= {"PLAIN", "RLE_DICTIONARY"}
        encoded = pq.ParquetFile(tmp_path / "t.parquet", read_dictionary=["w"])
        assert parquet._largest_batch(encoded, 0, {"w"}) >= sum(map(len, words))
        assert parquet._is_bounded(tmp_path / "t.parquet", file, ["w"])
    assert [row for batch in read(tmp_path / "t.parquet") for row in batch["w"].to_pylist()] == words


def test_batches_are_divided_by_their_decoded_size(tmp_path, strict) -> None:
    frame = pa.table({"w": ["a" * 100_000, "b"] * 100, "l": [["a" * 50_000] * 2, []] * 100})
    pq.write_table(frame, tmp_path / "t.parquet", use_dictionary=True, dictionary_pagesize_limit=2**30)
    batches = read(tmp_path / "t.parquet", whole=False)
    assert max(batch.nbytes for batch in batches) <= LIMIT // 4 + 300_000
    assert len(batches) > 3
    assert pa.Table.from_batches(batches).equals(frame)


def repeated(count: int, kind: str) -> pa.Table:
    word = pa.DictionaryArray.from_arrays(np.zeros(count, np.int32), pa.array(["a" * 2**20]))
    lists = pa.ListArray.from_arrays(np.arange(0, count + 1, 50, dtype=np.int32), word)
    return pa.table({"w": word} if kind == "text" else {"l": lists})


@pytest.mark.parametrize("kind", ["text", "list"])
def test_a_word_that_every_row_repeats_is_refused_before_it_is_repeated(tmp_path, strict, kind) -> None:
    path, pool = tmp_path / "t.parquet", pa.default_memory_pool()
    pq.write_table(repeated(100_000, kind), path, dictionary_pagesize_limit=2**30, store_schema=False)
    assert path.stat().st_size < 60_000
    # A peak of before would hide the one that is measured.
    before, held = pool.max_memory(), pool.bytes_allocated()
    with pytest.raises(DataError, match="would decompress from .* to 104,85"):
        read(path)
    assert pool.max_memory() <= max(before, held + 3 * LIMIT)


def test_texts_that_repeat_the_text_before_are_read_in_short_batches(tmp_path, strict) -> None:
    options = {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY", "compression": "zstd"}
    pq.write_table(pa.table({"w": ["a" * 2**20] * 64}), tmp_path / "t.parquet", **options)
    with pytest.raises(DataError, match="would decompress"):
        read(tmp_path / "t.parquet")
    assert max(batch.nbytes for batch in read(tmp_path / "t.parquet", whole=False)) <= LIMIT // 4 + 2**20 + 100
    pq.write_table(pa.table({"w": [["a"] * 3]}), tmp_path / "t.parquet", **options)
    with pytest.raises(DataError, match="encoded incrementally"):
        read(tmp_path / "t.parquet")


def test_fixed_lengths_are_counted(tmp_path, strict) -> None:
    column = pa.array([b"a" * 2**20] * 20, pa.binary(2**20))
    pq.write_table(pa.table({"w": column}), tmp_path / "t.parquet")
    with pytest.raises(DataError, match="would decompress"):
        read(tmp_path / "t.parquet")


def test_an_empty_file_has_no_batch(tmp_path) -> None:
    pq.write_table(table().slice(0, 0), tmp_path / "t.parquet")
    assert read(tmp_path / "t.parquet") == []
