"""PostgreSQL servers, by Arrow's driver (ADBC), which reads by binary COPY."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

import pyarrow as pa

from highwaygraph.data.databases.address import Address, server
from highwaygraph.data.databases.connection import Connection, first_line, quoted, readable, report, select
from highwaygraph.errors import DataError
from highwaygraph.runtime.environment import require_extra

TABLES = """SELECT n.nspname, c.relname, n.nspname = current_schema() FROM pg_class c JOIN pg_namespace n
ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f')
AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg!_t%' ESCAPE '!'"""


# Rows come in the order in which they are stored.
SETTINGS = ("SET LOCAL synchronize_seqscans = off", "SET LOCAL max_parallel_workers_per_gather = 0")


TIMEOUT = "connect_timeout=10"


class PostgreSQL(Connection):
    """One transaction on a PostgreSQL server."""

    def __init__(self, address: Address, *, write: bool) -> None:
        self._address, self._write = address, write
        self._connection = _driver().connect(_with_timeout(address.place))
        self._cursor = self._connection.cursor()

    def begin(self) -> None:
        """Begin the transaction, which sees the tables as they are now."""
        access = "READ WRITE" if self._write else "ISOLATION LEVEL REPEATABLE READ READ ONLY"
        for statement in (f"SET TRANSACTION {access}", *SETTINGS):
            self._cursor.execute(statement)

    @classmethod
    def errors(cls) -> Any:
        """Return the base class of the driver's errors."""
        return _driver().Error

    @classmethod
    def explain(cls, address: Address, error: Exception) -> str:
        """Return one sentence on an error of the driver."""
        why = re.split(r"ERROR:\s+|FATAL:\s+|failed: |Failed to connect: ", first_line(error))[-1]
        if "password" in why:
            return f"{address} refuses the connection ({why}): set PGPASSWORD, or correct the password."
        if "Failed to connect" in str(error):
            return f"Cannot connect to {server(urlsplit(address.place))} ({why}): check the address and the server."
        return report(address, why)

    def tables(self) -> dict[str, str]:
        """Return the tables and views by name, those outside the current schema as SCHEMA.TABLE."""
        self._cursor.execute(TABLES)
        rows = self._cursor.fetchall()
        return {t if own else f"{s}.{t}": f"{quoted(s)}.{quoted(t)}" for s, t, own in rows}

    def read(self, query: str) -> pa.RecordBatchReader:
        """Return the rows of a query."""
        self._cursor.execute(select("*", query, " LIMIT 0"))
        schema = self._cursor.fetch_arrow_table().schema
        self._cursor.execute(readable(query, schema, "text"))
        reader = self._cursor.fetch_record_batch()
        return pa.RecordBatchReader.from_batches(reader.schema, self._batches(reader))

    def drop(self, table: str) -> None:
        """Drop a table."""
        self._cursor.execute(f"DROP TABLE {table}")

    def create(self, table: str, rows: pa.Table) -> None:
        """Create a table with rows."""
        schema, _, name = table.rpartition(".")
        self._cursor.adbc_ingest(name, rows, mode="create", db_schema_name=schema or None)

    def finish(self, *, commit: bool) -> None:
        """End the transaction and close the connection."""
        try:
            self._connection.commit() if commit else self._connection.rollback()
        finally:
            # A cursor whose rows were not read to the end cannot be closed without an error.
            with suppress(_driver().Error):
                self._cursor.close()
            self._connection.close()

    def _batches(self, reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
        try:
            yield from reader
        except (OSError, pa.ArrowException) as error:
            raise DataError(self.explain(self._address, error)) from error


def _with_timeout(place: str) -> str:
    """Return the address with a limit of the time to connect, where it has none."""
    if "connect_timeout=" in place:
        return place
    return f"{place}{'&' if urlsplit(place).query else '?'}{TIMEOUT}"


def _driver() -> Any:
    return require_extra("adbc_driver_postgresql.dbapi", "A PostgreSQL server", "sql")
