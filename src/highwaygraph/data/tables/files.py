"""Tables on disk: CSV, TSV and Parquet files, alone or as a folder with one of nodes and one of edges."""

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
from pyarrow import RecordBatch, Table
from pyarrow.parquet import ParquetFile

from highwaygraph.data.formats import PARQUET, TABLES
from highwaygraph.data.limits import ALWAYS, check_unfolded
from highwaygraph.data.tables.edges import ENDS
from highwaygraph.data.tables.read_log import quote_list
from highwaygraph.data.tables.schema import IDS
from highwaygraph.errors import DataError

NODES, EDGES = ("node", "vert", "vertex"), ("edge", "link", "relation")


PLAINLY = "write it without dictionaries (use_dictionary=False)"


# Rows that are read at once where a table may be larger than memory.
CHUNK = 2**18


# Read as they are written: 007 is not 7.
AS_WRITTEN = {*IDS, *(end for ends in ENDS for end in ends)}


def is_table(path: Path) -> bool:
    """Tell whether a file is a table by its name."""
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
    """Return a table; ids, and the columns named, are not turned into numbers."""
    with _explained(path):
        table = _read_parquet(path) if path.suffix.lower() in PARQUET else _read_csv(path, as_written)
    if not table.columns.is_unique:
        twice = table.columns[table.columns.duplicated()]
        raise DataError(f"{path.name} has columns of the same name: {quote_list(twice)}.")
    return table.apply(_lists)


def read_chunks(
    path: Path, as_written: tuple[str, ...] = (), columns: list[str] | None = None
) -> Generator[pd.DataFrame]:
    """Return a table, or some columns of it, a stretch of rows at a time, each stretch read for itself."""
    with _explained(path):
        if path.suffix.lower() in PARQUET:
            with ParquetFile(path) as file:
                for batch in _batches(path, file, columns, whole=False):
                    batch.validate(full=True)
                    yield batch.to_pandas().rename(columns=str).apply(_lists)
        else:
            with pd.read_csv(path, chunksize=CHUNK, usecols=columns, **_csv_options(path, as_written)) as reader:
                for chunk in reader:
                    yield chunk.apply(_lists)


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Turn what goes wrong with a file into one sentence."""
    if not path.is_file():
        raise DataError(f"There is no file {path}: check the path.")
    try:
        yield
    except UnicodeDecodeError as error:
        raise DataError(f"{path.name} is not written in UTF-8: save it so.") from error
    except DataError:
        raise
    except Exception as error:
        # A spoiled file fails in any way inside the libraries; whatever it is, this is no table.
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(f"{path.name} cannot be read as a table: {what}.") from error


def _read_parquet(path: Path) -> pd.DataFrame:
    with ParquetFile(path) as file:
        table = Table.from_batches(list(_batches(path, file)), file.schema_arrow)
    # Words that are no UTF-8 would be found out much later.
    table.validate(full=True)
    frame: pd.DataFrame = table.to_pandas()
    return frame


def _batches(
    path: Path, file: ParquetFile, columns: list[str] | None = None, *, whole: bool = True
) -> Iterator[RecordBatch]:
    """Return the rows, few enough at a time, refusing what unfolds to too much where all of it is to be held."""
    facts = file.metadata
    groups = [facts.row_group(number) for number in range(facts.num_row_groups)]
    chunks = [group.column(number) for group in groups for number in range(group.num_columns)]
    if whole:
        check_unfolded(path, sum(max(c.total_uncompressed_size, 8 * c.num_values) for c in chunks), PLAINLY)
    # A long word may stand in the file once and be meant by every row.
    longest = max((c.total_uncompressed_size for c in chunks if c.physical_type == "BYTE_ARRAY"), default=1)
    size = 0
    for batch in file.iter_batches(max(1, min(CHUNK, ALWAYS // max(longest, 1))), columns=columns):
        size += batch.nbytes
        if whole:
            check_unfolded(path, size, PLAINLY)
        yield batch


def _read_csv(path: Path, as_written: tuple[str, ...]) -> pd.DataFrame:
    table: pd.DataFrame = pd.read_csv(path, **_csv_options(path, as_written))
    return table


def _csv_options(path: Path, as_written: tuple[str, ...]) -> dict[str, Any]:
    separator = _separator(path)
    heads = pd.read_csv(path, sep=separator, nrows=0).columns
    # Where no column is called like an id, the first ones are taken for it.
    kept = {head for i, head in enumerate(heads) if head.strip().lower() in AS_WRITTEN or head in as_written or i < 1}
    kept |= set(heads[:2]) if any(word in path.stem.lower() for word in EDGES) else set()
    return {"sep": separator, "dtype": dict.fromkeys(kept, str), "skipinitialspace": True}


def _separator(path: Path) -> str:
    """Return what stands between the columns: by the file's name, or what the first line has most of."""
    if path.suffix.lower() == ".tsv":
        return "\t"
    with path.open(encoding="utf-8") as file:
        head = file.readline()
    return max(",;\t", key=head.count)


def _lists(column: pd.Series) -> pd.Series:
    """Return a column whose cells are written as lists with lists in it; any other as it is."""
    if column.dtype != object and not pd.api.types.is_string_dtype(column):
        return column
    known = column.dropna()
    written = known.map(lambda v: isinstance(v, str) and v.startswith("[") and v.endswith("]"))
    if not len(known) or not written.all():
        return column
    return column.map(_parsed(json.loads), na_action="ignore").astype(object)


def _parsed(read: Callable[[str], object]) -> Callable[[str], object]:
    def parse(text: str) -> object:
        try:
            return read(text)
        except ValueError:
            # A list of bare words.
            return [part.strip().strip("'\"") for part in text[1:-1].split(",")]

    return parse
