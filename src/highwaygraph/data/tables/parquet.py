"""Parquet files in batches of bounded size: texts in a dictionary are counted before they are repeated."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray
from pyarrow.parquet import ParquetFile

from highwaygraph.data import limits
from highwaygraph.errors import DataError

# Rows of a batch, where they are short.
CHUNK = 2**18


NO_DICTIONARIES = "write it without dictionaries (use_dictionary=False)"


# Column chunks whose dictionaries are looked at before the rows are read.
MOST_DICTIONARIES = 1024


# Encodings in which every byte of a text is stored, or stored once in a dictionary that is read as such.
STORED = {"PLAIN", "RLE", "BIT_PACKED", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "DELTA_LENGTH_BYTE_ARRAY"}


def parquet_batches(
    path: Path, file: ParquetFile, columns: list[str] | None = None, *, whole: bool = True
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a file in batches of at most a quarter GiB, or of one row.

    Args:
        path: The file.
        file: The same file, opened.
        columns: Columns to read; all of them by default.
        whole: Refuse a file whose rows, read all together, exceed the decompression limit.

    Raises:
        DataError: The file declares or holds more than the limit for its size.
    """
    rows = _check_declared(path, file, whole=whole)
    schema, total, repeated = file.schema_arrow, 0, _dictionary_columns(file)
    # Arrow cannot join the dictionaries of lists in two row groups.
    single = any(name not in schema.names for name in repeated)
    if repeated and not single and _is_bounded(path, file, repeated):
        repeated, single = [], True
    groups = [[number] for number in range(file.num_row_groups)] if single else [list(range(file.num_row_groups))]
    with ParquetFile(path, read_dictionary=repeated, metadata=file.metadata) as encoded:
        for batch in (b for group in groups for b in encoded.iter_batches(rows, group, columns)):
            sizes = sum((_row_bytes(column) for column in batch.columns), np.zeros(len(batch)))
            total += int(sizes.sum())
            if whole:
                limits.check_decompressed(path, total, NO_DICTIONARIES)
            for part in _parts(sizes, limits.ALWAYS_ALLOWED // 4):
                yield _decoded(batch, part, schema)


def _check_declared(path: Path, file: ParquetFile, *, whole: bool) -> int:
    """Return the rows that may be read at once; refuse a file by the sizes that it declares."""
    facts, schema = file.metadata, file.schema
    limits.check_decompressed(path, 8 * facts.num_rows, "write it again")
    total, rows = 0, CHUNK
    for group in (facts.row_group(number) for number in range(facts.num_row_groups)):
        for number in range(group.num_columns):
            chunk, leaf = group.column(number), schema.column(number)
            size = chunk.total_uncompressed_size
            limits.check_decompressed(path, size, NO_DICTIONARIES)
            length = max(leaf.length, 8)
            if chunk.physical_type == "BYTE_ARRAY" and not set(chunk.encodings) <= STORED:
                # A text may repeat the text before it.
                if leaf.max_repetition_level:
                    raise DataError(f"{path.name} has lists that are encoded incrementally: {NO_DICTIONARIES}.")
                length = max(size, length)
            total += max(size, max(leaf.length, 8) * chunk.num_values)
            rows = min(rows, max(limits.ALWAYS_ALLOWED // 4 // length, 1))
    if whole:
        limits.check_decompressed(path, total, NO_DICTIONARIES)
    return rows


def _dictionary_columns(file: ParquetFile) -> list[str]:
    """Return the columns of texts that have a dictionary; they are read as indices into it."""
    facts, found = file.metadata, dict[str, None]()
    for group in (facts.row_group(number) for number in range(facts.num_row_groups)):
        for chunk in (group.column(number) for number in range(group.num_columns)):
            if chunk.physical_type == "BYTE_ARRAY" and any("DICTIONARY" in name for name in chunk.encodings):
                found[chunk.path_in_schema] = None
    return list(found)


def _is_bounded(path: Path, file: ParquetFile, names: list[str]) -> bool:
    """Return whether a batch within one row group is small, however often the texts of its dictionaries are repeated.

    Arrow reads texts several times as fast as indices into a dictionary, which it has to build anew where the writer
    gave it up. A text is in the dictionary of its column chunk, of which the first row shows the whole, or is stored.
    """
    if len(names) * file.num_row_groups > MOST_DICTIONARIES:
        return False
    with ParquetFile(path, read_dictionary=names, metadata=file.metadata) as encoded:
        sizes = (_largest_batch(encoded, number, set(names)) for number in range(file.num_row_groups))
        return all(size <= limits.ALWAYS_ALLOWED // 4 for size in sizes)


def _largest_batch(encoded: ParquetFile, number: int, names: set[str]) -> int:
    """Return the bytes that the texts of a batch from a row group cannot exceed."""
    group = encoded.metadata.row_group(number)
    chunks = (group.column(place) for place in range(group.num_columns))
    stored = sum(chunk.total_uncompressed_size for chunk in chunks if chunk.path_in_schema in names)
    first = next(encoded.iter_batches(1, [number], sorted(names)), None)
    longest = 0 if first is None else sum(map(_longest_text, first.columns))
    return int(stored + min(group.num_rows, CHUNK) * (longest + 8 * len(names)))


def _longest_text(column: pa.DictionaryArray) -> int:
    """Return the bytes of the longest text of a dictionary, whether the rows have it or not."""
    if not _is_text(column.type.value_type):
        return 8
    return int(pc.max(pc.binary_length(column.dictionary)).as_py() or 0)


def _row_bytes(array: Any) -> NDArray[np.float64]:
    """Return the bytes that every row of a column takes when its texts are repeated."""
    if pa.types.is_dictionary(array.type):
        lengths = pc.fill_null(pc.binary_length(array.dictionary), 0) if _is_text(array.type.value_type) else None
        if lengths is None:
            return np.full(len(array), 8.0)
        return np.asarray(pc.fill_null(pc.take(lengths, array.indices), 0), dtype=np.float64) + 8
    if pa.types.is_list(array.type) or pa.types.is_large_list(array.type):
        ends = np.concatenate([[0.0], np.cumsum(_row_bytes(array.values))])
        offsets = np.asarray(array.offsets)
        return np.asarray(ends[offsets[1:]] - ends[offsets[:-1]], dtype=np.float64) + 8
    if pa.types.is_struct(array.type):
        return sum((_row_bytes(inner) for inner in array.flatten()), np.full(len(array), 8.0))
    return np.full(len(array), array.nbytes / max(len(array), 1))


def _is_text(kind: Any) -> bool:
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary, pa.types.is_large_binary)
    return any(test(kind) for test in tests)


def _parts(sizes: NDArray[np.float64], most: int) -> Iterator[tuple[int, int]]:
    """Yield the ranges of rows of at most so many bytes together, or of one row."""
    ends, start = np.cumsum(sizes), 0
    while start < len(sizes):
        before = ends[start - 1] if start else 0.0
        stop = max(int(np.searchsorted(ends, before + most, side="right")), start + 1)
        yield start, stop
        start = stop


def _decoded(batch: pa.RecordBatch, part: tuple[int, int], schema: pa.Schema) -> pa.RecordBatch:
    """Return some rows with every text repeated, of the types of the file."""
    names = batch.schema.names
    if part != (0, len(batch)):
        # A slice of lists would be decoded with all texts of the batch.
        batch = batch.take(pa.array(range(*part)))
    fields = [schema.field(schema.get_field_index(name)) for name in names]
    return pa.RecordBatch.from_arrays(
        [column.cast(field.type) for column, field in zip(batch.columns, fields, strict=True)], schema=pa.schema(fields)
    )
