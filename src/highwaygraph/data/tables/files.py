"""Tables on disk: CSV, TSV and Parquet files, alone or as a folder with one of nodes and one of edges."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow import RecordBatch, Table
from pyarrow import schema as pa_schema
from pyarrow.parquet import ParquetFile

from highwaygraph.data.formats import PARQUET, TABLES
from highwaygraph.data.limits import ALWAYS_ALLOWED, check_decompressed
from highwaygraph.data.tables.cells import parse_lists
from highwaygraph.data.tables.edges import ENDS, edge_columns
from highwaygraph.data.tables.read_log import quote_list
from highwaygraph.data.tables.schema import IDS
from highwaygraph.errors import DataError

NODES, EDGES = ("node", "vert", "vertex"), ("edge", "link", "relation")


NO_DICTIONARIES = "write it without dictionaries (use_dictionary=False)"


# Rows of a chunk where a table may be larger than memory.
CHUNK = 2**18


# Columns that are read as text: 007 is not 7.
AS_WRITTEN = {*IDS, *(end for ends in ENDS for end in ends)}


def is_table(path: Path) -> bool:
    """Return whether a file is a table by its suffix."""
    return path.suffix.lower() in TABLES


def find_tables(folder: Path) -> tuple[Path, Path] | None:
    """Return the table of nodes and that of edges in a folder, if it has one of each."""
    tables = sorted(path for path in folder.iterdir() if path.is_file() and is_table(path))
    nodes, edges = ([p for p in tables if any(word in p.stem.lower() for word in words)] for words in (NODES, EDGES))
    for kind, found in (("nodes", nodes), ("edges", edges)):
        if len(found) > 1:
            raise DataError(f"{folder} has several tables of {kind} ({quote_list(p.name for p in found)}): keep one.")
    return (nodes[0], edges[0]) if nodes and edges else None


def edges_beside(nodes: Path) -> Path:
    """Return the table of edges in the folder of a table of nodes."""
    found = find_tables(nodes.parent)
    if found is None or found[0] != nodes:
        raise DataError(f"Where are the edges of {nodes.name}? Name their table with --edges (edges=...).")
    return found[1]


def read_table(path: Path, as_written: tuple[str, ...] = ()) -> pd.DataFrame:
    """Return a whole table; ids, and the named columns, are not converted to numbers."""
    with _explained(path):
        table = _read_parquet(path) if path.suffix.lower() in PARQUET else _read_csv(path, as_written)
        _refuse_repeated_names(path, table.columns)
        return table.apply(parse_lists)


def read_edge_table(path: Path) -> pd.DataFrame:
    """Return a whole table of edges, ids and weights as written."""
    return read_table(path, _edge_text_columns(path))


def edge_chunks(path: Path) -> Generator[pd.DataFrame]:
    """Yield a table of edges in chunks, ids and weights as written."""
    return read_chunks(path, _edge_text_columns(path))


def read_header(path: Path) -> list[str]:
    """Return the names of a table's columns."""
    with _explained(path):
        if path.suffix.lower() in PARQUET:
            with ParquetFile(path) as file:
                columns = file.schema_arrow.empty_table().to_pandas().columns
        else:
            columns = pd.read_csv(path, nrows=0, **_csv_options(path, ())).columns
        _refuse_repeated_names(path, columns)
        return [str(name) for name in columns]


def read_columns(path: Path, as_written: tuple[str, ...], columns: list[str]) -> pd.DataFrame:
    """Return all rows of some columns, of the types that `read_table` gives them."""
    with _explained(path):
        if path.suffix.lower() in PARQUET:
            with ParquetFile(path) as file:
                schema = file.schema_arrow
                table = Table.from_batches(
                    list(_batches(path, file, columns, whole=False)), pa_schema([schema.field(c) for c in columns])
                )
            table.validate(full=True)
            frame = table.to_pandas()
        else:
            frame = pd.read_csv(path, usecols=columns, **_csv_options(path, as_written))
        return frame[columns].apply(parse_lists)


def read_chunks(path: Path, as_written: tuple[str, ...] = (), *, lists: bool = True) -> Generator[pd.DataFrame]:
    """Yield a table in chunks of rows, at least one, each with types of its own.

    Args:
        path: A CSV, TSV or Parquet file.
        as_written: Columns that are not converted to numbers.
        lists: Parse columns whose cells are all written as lists.
    """
    with _explained(path):
        for chunk in _parquet_chunks(path) if path.suffix.lower() in PARQUET else _csv_chunks(path, as_written):
            _refuse_repeated_names(path, chunk.columns)
            yield chunk.apply(parse_lists) if lists else chunk


def _parquet_chunks(path: Path) -> Iterator[pd.DataFrame]:
    with ParquetFile(path) as file:
        if not file.metadata.num_rows:
            yield file.schema_arrow.empty_table().to_pandas().rename(columns=str)
        for batch in _batches(path, file, whole=False):
            batch.validate(full=True)
            yield batch.to_pandas().rename(columns=str)


def _csv_chunks(path: Path, as_written: tuple[str, ...]) -> Iterator[pd.DataFrame]:
    empty = True
    with pd.read_csv(path, chunksize=CHUNK, **_csv_options(path, as_written)) as reader:
        for chunk in reader:
            empty = False
            yield chunk
    if empty:
        yield _read_csv(path, as_written)


def _edge_text_columns(path: Path) -> tuple[str, ...]:
    """Return the columns of both ends and of the weight: the type of a cell must not depend on its chunk."""
    found = edge_columns(pd.DataFrame(columns=read_header(path)))
    return tuple(name for name in found if name is not None)


def _refuse_repeated_names(path: Path, columns: pd.Index) -> None:
    if not columns.is_unique:
        raise DataError(f"{path.name} has columns of the same name: {quote_list(columns[columns.duplicated()])}.")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn any failure to read a file into one sentence."""
    if not path.is_file():
        raise DataError(f"There is no file {path}: check the path.")
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not written in UTF-8: save it so.") from error
    except DataError:
        raise
    except Exception as error:
        # A corrupted file fails in any way inside the libraries; whatever it is, this is no table.
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"{path.name} cannot be read as a table: {what}.") from error


def _read_parquet(path: Path) -> pd.DataFrame:
    with ParquetFile(path) as file:
        table = Table.from_batches(list(_batches(path, file)), file.schema_arrow)
    # Text that is not UTF-8 would fail much later.
    table.validate(full=True)
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _batches(
    path: Path, file: ParquetFile, columns: list[str] | None = None, *, whole: bool = True
) -> Iterator[RecordBatch]:
    """Yield the rows in batches of bounded size; refuse a file above the decompression limit if `whole`."""
    facts = file.metadata
    groups = [facts.row_group(number) for number in range(facts.num_row_groups)]
    chunks = [group.column(number) for group in groups for number in range(group.num_columns)]
    if whole:
        check_decompressed(path, sum(max(c.total_uncompressed_size, 8 * c.num_values) for c in chunks), NO_DICTIONARIES)
    # A long word may stand in the file once and be repeated in every row.
    longest = max((c.total_uncompressed_size for c in chunks if c.physical_type == "BYTE_ARRAY"), default=1)
    size = 0
    for batch in file.iter_batches(max(1, min(CHUNK, ALWAYS_ALLOWED // max(longest, 1))), columns=columns):
        size += batch.nbytes
        if whole:
            check_decompressed(path, size, NO_DICTIONARIES)
        yield batch


def _read_csv(path: Path, as_written: tuple[str, ...]) -> pd.DataFrame:
    table: pd.DataFrame = pd.read_csv(path, **_csv_options(path, as_written))
    return table


def _csv_options(path: Path, as_written: tuple[str, ...]) -> dict[str, Any]:
    separator = _separator(path)
    header = pd.read_csv(path, sep=separator, nrows=0, skipinitialspace=True).columns
    # Where no column has a usual name of an id, the first one is the id.
    text = {name for i, name in enumerate(header) if name.strip().lower() in AS_WRITTEN or name in as_written or i < 1}
    # Types are inferred from whole columns: pandas' own chunks would mix them.
    return {"sep": separator, "dtype": dict.fromkeys(text, str), "skipinitialspace": True, "low_memory": False}


def _separator(path: Path) -> str:
    """Return the separator of the columns: by the file's suffix, or the most frequent one of the first line."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    with path.open(encoding="utf-8") as file:
        head = file.readline()
    return max(",;\t", key=head.count)
