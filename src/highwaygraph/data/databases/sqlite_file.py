"""SQLite files, by Python's own module.

A column of SQLite may hold values of any type, whatever it declares. Its type is therefore that of all its values.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pyarrow as pa

from highwaygraph.data.databases.address import Address
from highwaygraph.data.databases.connection import CHUNK, Connection, quoted, refuse_binary, refuse_repeated, select

TABLES = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'"


class SQLiteFile(Connection):
    """One transaction on a SQLite file."""

    def __init__(self, address: Address, *, write: bool) -> None:
        path = Path(address.place)
        self._write, self._created = write, None if path.exists() else path
        uri = f"file:{quote(str(path.absolute()))}?mode={'rwc' if write else 'ro'}"
        self._connection = sqlite3.connect(uri, uri=True, isolation_level=None)

    def begin(self) -> None:
        """Begin the transaction."""
        self._connection.execute("BEGIN IMMEDIATE" if self._write else "BEGIN")

    @classmethod
    def errors(cls) -> Any:
        """Return the base class of the driver's errors."""
        return sqlite3.Error

    @classmethod
    def explain(cls, address: Address, error: Exception) -> str:
        """Return one sentence on an error of the driver."""
        if "not a database" in str(error):
            return f"{address} is no SQLite database: check the path, or use duckdb: for a DuckDB file."
        if "unable to open" in str(error):
            return f"{address} cannot be opened: check the path and its permissions."
        return super().explain(address, error)

    def tables(self) -> dict[str, str]:
        """Return the tables and views by name."""
        return {name: quoted(name) for (name,) in self._connection.execute(TABLES)}

    def read(self, query: str) -> pa.RecordBatchReader:
        """Return the rows of a query, every column of one type."""
        # Not of a query of the query, which would rename repeated columns.
        names = [column[0] for column in self._connection.execute(query).description]
        refuse_repeated(names)
        kinds = ", ".join(f"group_concat(DISTINCT typeof({quoted(name)}))" for name in names)
        found = self._connection.execute(select(kinds, query)).fetchone()
        types = [_type(name, set((kind or "").split(","))) for name, kind in zip(names, found, strict=True)]
        schema = pa.schema(list(zip(names, types, strict=True)))
        casts = (f"CAST({quoted(name)} AS {_declared(kind)})" for name, kind in zip(names, types, strict=True))
        return pa.RecordBatchReader.from_batches(schema, self._batches(select(", ".join(casts), query), schema))

    def drop(self, table: str) -> None:
        """Drop a table."""
        self._connection.execute(f"DROP TABLE {table}")

    def create(self, table: str, rows: pa.Table) -> None:
        """Create a table with rows."""
        columns = ", ".join(f"{quoted(field.name)} {_declared(field.type)}" for field in rows.schema)
        self._connection.execute(f"CREATE TABLE {quoted(table)} ({columns})")
        cells = [column.to_pylist() for column in rows.columns]
        places = ", ".join("?" * len(cells))
        self._connection.executemany(f"INSERT INTO {quoted(table)} VALUES ({places})", zip(*cells, strict=True))

    def finish(self, *, commit: bool) -> None:
        """End the transaction and close the connection; remove a file that was created in vain."""
        try:
            if self._connection.in_transaction:
                self._connection.execute("COMMIT" if commit else "ROLLBACK")
        finally:
            self._connection.close()
        if self._created is not None and not commit:
            self._created.unlink(missing_ok=True)

    def _batches(self, query: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
        cursor = self._connection.execute(query)
        while rows := cursor.fetchmany(CHUNK):
            columns = zip(*rows, strict=True)
            arrays = [pa.array(cells, field.type) for cells, field in zip(columns, schema, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _type(name: str, kinds: set[str]) -> pa.DataType:
    """Return the type that holds all values of a column."""
    if "blob" in kinds:
        refuse_binary(name)
    if "text" in kinds or not kinds & {"integer", "real"}:
        return pa.string()
    return pa.float64() if "real" in kinds else pa.int64()


def _declared(kind: Any) -> str:
    if pa.types.is_integer(kind):
        return "INTEGER"
    return "REAL" if pa.types.is_floating(kind) else "TEXT"
