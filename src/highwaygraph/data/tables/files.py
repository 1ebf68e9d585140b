"""Tables on disk: CSV, TSV and Parquet files, alone or as a folder with one of nodes and one of edges."""

import re
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
from pyarrow import DataType, Table, array, concat_tables, large_string, string, table
from pyarrow import schema as pa_schema
from pyarrow.parquet import ParquetFile
from pyarrow.types import is_dictionary, is_large_string, is_string, is_string_view

from highwaygraph.data.formats import PARQUET, RUN_PREFIX, table_stem, table_suffix
from highwaygraph.data.spreadsheet import unquote_formula
from highwaygraph.data.tables.columns import TEXT
from highwaygraph.data.tables.csv_files import csv_batches, read_csv_header
from highwaygraph.data.tables.parquet import parquet_batches
from highwaygraph.data.tables.read_log import quote_list
from highwaygraph.errors import DataError

NODES, EDGES = (re.compile(rf"(?<![a-z])(?:{words})") for words in ("node|vert", "edge|link|relation"))


# Rows of a chunk where a table may be larger than memory.
CHUNK = 2**18


def is_table(path: Path) -> bool:
    """Return whether a file is a table by its suffix."""
    return table_suffix(path) != ""


def find_tables(folder: Path) -> tuple[Path, Path] | None:
    """Return the table of nodes and that of edges in a folder, if it has one of each."""
    tables = sorted(path for path in folder.iterdir() if path.is_file() and is_table(path))
    nodes, edges = ([path for path in tables if words.search(table_stem(path).lower())] for words in (NODES, EDGES))
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


def read_table(path: Path) -> pd.DataFrame:
    """Return a whole table: text as written, other columns of Parquet files with their types."""
    with _explained(path):
        return to_frame(concat_tables(_parts(path)), exported=_is_export(path))


def read_header(path: Path) -> list[str]:
    """Return the names of a table's columns."""
    with _explained(path):
        names: list[str] = next(_parts(path, whole=False)).column_names
        return names


def read_columns(path: Path, columns: list[str]) -> pd.DataFrame:
    """Return all rows of some columns, of the types that `read_table` gives them."""
    with _explained(path):
        return to_frame(concat_tables(_parts(path, columns, whole=False)), exported=_is_export(path))[columns]


def read_chunks(path: Path) -> Generator[pd.DataFrame]:
    """Yield a table in chunks of `CHUNK` rows, at least one, of the types that `read_table` gives them."""
    with _explained(path):
        exported = _is_export(path)
        waiting: list[Table] = []
        for part in _parts(path, whole=False):
            waiting.append(part)
            while sum(map(len, waiting)) > CHUNK:
                rows = concat_tables(waiting)
                yield to_frame(rows.slice(0, CHUNK), exported=exported)
                waiting = [rows.slice(CHUNK)]
        yield to_frame(concat_tables(waiting), exported=exported)


def _is_export(path: Path) -> bool:
    """Return whether a CSV file has columns of a run, and therefore quotes before cells that look like formulas."""
    return table_suffix(path) not in PARQUET and any(
        name.startswith(RUN_PREFIX) for name in read_csv_header(path).names
    )


def _parts(path: Path, columns: list[str] | None = None, *, whole: bool = True) -> Iterator[Table]:
    """Yield an empty table with all columns, then the rows; refuse a file above the decompression limit if `whole`."""
    if table_suffix(path) in PARQUET:
        yield from _parquet_parts(path, columns, whole=whole)
        return
    yield table({name: array([], string()) for name in columns or read_csv_header(path).names})
    yield from csv_batches(path, columns, whole=whole)


def _parquet_parts(path: Path, columns: list[str] | None, *, whole: bool) -> Iterator[Table]:
    with ParquetFile(path) as file:
        # The index of a pandas table has no name of its own.
        kept = [name for name in file.schema_arrow.names if not re.fullmatch(r"__index_level_\d+__", name)]
        _refuse_repeated_names(path, pd.Index(kept))
        names = columns or kept
        yield file.schema_arrow.empty_table().select(names)
        for batch in parquet_batches(path, file, names, whole=whole):
            rows = Table.from_batches([batch]).select(names)
            # Text that is not UTF-8 would fail much later.
            rows.validate(full=True)
            yield rows


def to_frame(rows: Table, *, exported: bool = False) -> pd.DataFrame:
    """Return a table for pandas, its text as `columns.TEXT`, whole numbers with gaps without loss."""
    kinds = [large_string() if _is_text(field.type) else field.type for field in rows.schema]
    rows = rows.cast(pa_schema(list(zip(rows.column_names, kinds, strict=True))))
    frame: pd.DataFrame = rows.to_pandas(
        integer_object_nulls=True, ignore_metadata=True, types_mapper={large_string(): TEXT}.get, split_blocks=True
    )
    return frame.apply(lambda column: column.map(unquote_formula, na_action="ignore")) if exported else frame


def _is_text(kind: DataType) -> bool:
    kind = kind.value_type if is_dictionary(kind) else kind
    return any(is_kind(kind) for is_kind in (is_string, is_large_string, is_string_view))


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
