"""Nodes and edges of a database, in memory or as temporary files."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow.parquet import ParquetWriter

from highwaygraph.data.databases.address import Database
from highwaygraph.data.databases.connect import connect
from highwaygraph.data.databases.connection import Connection, find_table, refuse_repeated
from highwaygraph.data.tables.files import EDGES, NODES, to_frame
from highwaygraph.data.tables.read_log import quote_list
from highwaygraph.errors import DataError, FailedError, did_you_mean
from highwaygraph.runtime.atomic import reason, temporary_folder

QUERY = re.compile(r"(?is)\s*(?:--[^\n]*\n\s*)*(?:select|with|values|from|table)\s.*|\s*\(\s*(?:select|with)\s.*")


def read_database(source: Database) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the tables of nodes and edges, read in one transaction."""
    with connect(source.address) as connection:
        nodes, edges = (to_frame(_read(connection, query).read_all()) for query in _queries(connection, source))
    return nodes, edges


@contextmanager
def spooled(source: Database, folder: Path) -> Iterator[tuple[Path, Path]]:
    """Yield temporary Parquet files of nodes and edges, which may be larger than memory.

    The database is read once, in one transaction, however often the files are read.

    Args:
        source: The database.
        folder: The path beside which the temporary files are.
    """
    with _explained(folder), temporary_folder(folder.absolute()) as temporary:
        paths = temporary / "nodes.parquet", temporary / "edges.parquet"
        with connect(source.address) as connection:
            for path, query in zip(paths, _queries(connection, source), strict=True):
                _spool(_read(connection, query), path)
        yield paths


@contextmanager
def _explained(folder: Path) -> Iterator[None]:
    try:
        folder.absolute().parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise FailedError(f"Cannot write {folder}: {reason(error)}. Choose another folder.") from error


def _spool(reader: pa.RecordBatchReader, path: Path) -> None:
    # Neither compressed nor in dictionaries: the files are read soon and removed.
    with ParquetWriter(path, reader.schema, compression="none", use_dictionary=False) as writer:
        for batch in reader:
            writer.write_batch(batch)


def _read(connection: Connection, query: str) -> pa.RecordBatchReader:
    reader = connection.read(query)
    refuse_repeated(reader.schema.names)
    return reader


def _queries(connection: Connection, source: Database) -> tuple[str, str]:
    """Return the queries of nodes and edges."""
    tables = connection.tables()
    nodes = _query(source.nodes or _infer(source, tables, NODES, "nodes"), tables, source)
    edges = _query(source.edges or _infer(source, tables, EDGES, "edges"), tables, source)
    return nodes, edges


def _query(given: str, tables: dict[str, str], source: Database) -> str:
    """Return the query of a table, or the query that was given."""
    table = find_table(given, tables)
    if table is not None:
        return f"SELECT * FROM {table}"
    if QUERY.fullmatch(given):
        # A comment may end the query.
        return given.rstrip().rstrip(";") + "\n"
    raise DataError(f"There is no table {given!r} in {source.address}.{did_you_mean(given, tables)}")


def _infer(source: Database, tables: dict[str, str], words: re.Pattern[str], role: str) -> str:
    """Return the one table whose name is that of nodes, or of edges."""
    found = [name for name in tables if words.search(name.lower())]
    if len(found) != 1:
        raise DataError(
            f"Name the {role} of {source.address} with --{role}, a table or a query (tables: {quote_list(tables)})."
        )
    return found[0]
