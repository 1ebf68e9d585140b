"""CSV files as text: every cell as written, without surrounding whitespace; rows of another length are refused.

Types are not inferred here, because 007, 1e5, NA and True are words in a column of ids.
"""

import csv
import gzip
import re
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.csv as arrow_csv

from highwaygraph.data.formats import GZIP, table_suffix
from highwaygraph.data.limits import check_decompressed
from highwaygraph.data.tables.read_log import MOST_SHOWN, quote_list
from highwaygraph.errors import DataError, shortened

# Bytes that are parsed at once; no row may be longer.
BLOCK = 2**25


# Rows with quotes that are parsed at once.
ROWS = 2**14


SEPARATORS = ",;\t"


# The csv module refuses cells of more than 131,072 characters otherwise.
csv.field_size_limit(sys.maxsize if sys.maxsize < 2**31 else 2**31 - 1)


class Header(NamedTuple):
    """The separator, the names of the columns, and the number of lines before the first row."""

    separator: str
    names: list[str]
    lines: int


def read_csv_header(path: Path) -> Header:
    """Return the header of a CSV file; refuse one that is empty or has a name twice."""
    with _opened(path) as file:
        separator = _separator(path, file)
        reader = _reader(_lines(path, file), separator)
        cells = next((row for row in reader if row), None)
        if cells is None:
            raise DataError(f"{path.name} cannot be read as a table: it is empty.")
        # A table that pandas writes with its index has one column without a name.
        names = [cell.strip() or f"Unnamed: {i}" for i, cell in enumerate(cells)]
        _refuse_repeated(path, names)
        return Header(separator, names, reader.line_num)


def csv_batches(path: Path, columns: list[str] | None = None, *, whole: bool = True) -> Iterator[pa.Table]:
    """Yield the rows of a CSV file as columns of text.

    Args:
        path: The file, possibly compressed by gzip.
        columns: Columns to read, all of them otherwise.
        whole: Refuse a compressed file above the decompression limit before any row is read.
    """
    header = read_csv_header(path)
    wanted = header.names if columns is None else columns
    # Arrow's parser is several times faster, but accepts quotes that are never closed or closed within a cell.
    yield from (_quoted_rows if _has_quotes(path, whole=whole) else _plain_rows)(path, header, wanted)


def _plain_rows(path: Path, header: Header, columns: list[str]) -> Iterator[pa.Table]:
    """Yield the rows of a file without any quote, parsed by Arrow."""
    types = arrow_csv.ConvertOptions(
        column_types=dict.fromkeys(columns, pa.string()), include_columns=columns, strings_can_be_null=False
    )
    rows = arrow_csv.ReadOptions(column_names=header.names, skip_rows=header.lines, block_size=BLOCK)
    cells = arrow_csv.ParseOptions(delimiter=header.separator, quote_char=False)
    with _opened(path, binary=True) as file, _explained_rows(path, header):
        if _is_empty(path, header):
            return
        for batch in arrow_csv.open_csv(file, rows, cells, types):
            yield pa.Table.from_batches([batch])


def _is_empty(path: Path, header: Header) -> bool:
    """Return whether nothing follows the header; Arrow refuses such a file."""
    with _opened(path) as file:
        return not any(line.strip("\r\n") for line in islice(_lines(path, file), header.lines, None))


def _quoted_rows(path: Path, header: Header, columns: list[str]) -> Iterator[pa.Table]:
    """Yield the rows of a file with quotes, parsed strictly by the csv module."""
    place = {name: i for i, name in enumerate(header.names)}
    with _opened(path) as file:
        reader = _reader(_lines(path, file), header.separator)
        next(row for row in reader if row)
        rows = (_checked(path, header, row, reader.line_num) for row in _explained_quotes(path, reader) if row)
        while block := list(islice(rows, ROWS)):
            cells = list(zip(*block, strict=True))
            yield pa.table({name: pa.array(cells[place[name]], pa.string()) for name in columns})


def _explained_quotes(path: Path, reader: Any) -> Iterator[list[str]]:
    try:
        yield from reader
    except csv.Error as error:
        raise DataError(
            f"{path.name}: the quotes before line {reader.line_num + 1} do not match ({error}): close them, and double "
            "quotes within a cell."
        ) from error


@contextmanager
def _explained_rows(path: Path, header: Header) -> Iterator[None]:
    """Replace Arrow's error on a row of another length by one that names its line."""
    try:
        yield
    except pa.ArrowInvalid:
        with _opened(path) as file:
            for line, text in enumerate(islice(_lines(path, file), header.lines, None), header.lines + 1):
                if text.strip("\r\n"):
                    _checked(path, header, text.rstrip("\r\n").split(header.separator), line)
        raise


def _checked(path: Path, header: Header, row: list[str], line: int) -> list[str]:
    """Return the row, refuse one with more or fewer cells than the header."""
    if len(row) != len(header.names):
        text = header.separator.join(row)
        raise DataError(
            f"{path.name}: line {line} has {len(row)} cells where the header has {len(header.names)} "
            f"({shortened(text, MOST_SHOWN)!r}): correct it, or put cells that "
            f"contain {header.separator!r} in quotes."
        )
    return row


def _refuse_repeated(path: Path, names: list[str]) -> None:
    if len(set(names)) < len(names):
        repeated = [name for name, count in Counter(names).items() if count > 1]
        raise DataError(f"{path.name} has columns of the same name: {quote_list(repeated)}. Rename one of each.")


def _reader(file: Any, separator: str) -> Any:
    return csv.reader(file, delimiter=separator, skipinitialspace=separator != " ", strict=True)


def _separator(path: Path, file: IO[Any]) -> str:
    """Return the separator of the columns: by the file's suffix, or the most frequent one of the first line."""
    if table_suffix(path) == ".tsv":
        return "\t"
    line = next((line for line in _lines(path, file) if line.strip()), "")
    file.seek(0)
    # Separators within quotes belong to the name of a column.
    return max(SEPARATORS, key=re.sub(r'"[^"]*"', "", line).count)


def _has_quotes(path: Path, *, whole: bool) -> bool:
    """Return whether the file has any quote; refuse a compressed one that is too large to be read as a whole."""
    size, found, limited = 0, False, whole and path.suffix.lower() == GZIP
    with _opened(path, binary=True) as file:
        for block in iter(lambda: file.read(BLOCK), b""):
            size, found = size + len(block), found or b'"' in block
            if limited:
                check_decompressed(path, size, "unpack it, or convert it with highway data convert")
            elif found:
                return True
    return found


def _lines(path: Path, file: Any) -> Iterator[str]:
    """Yield the lines of a text file; refuse one that is longer than a block."""
    while line := file.readline(BLOCK):
        if len(line) == BLOCK and not line.endswith(("\r", "\n")):
            raise DataError(f"{path.name} has a line of more than {BLOCK:,} characters: shorten its cells.")
        yield line


def _opened(path: Path, *, binary: bool = False) -> Any:
    """Open a file, decompressed; text with the line breaks that it has, without a byte order mark."""
    mode, options = ("rb", {}) if binary else ("rt", {"encoding": "utf-8-sig", "newline": ""})
    return gzip.open(path, mode, **options) if path.suffix.lower() == GZIP else path.open(mode, **options)  # type: ignore[call-overload]
