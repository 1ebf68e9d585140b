"""DuckDB files, by the package `duckdb`, without its extensions, which it would download."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from highwaygraph.data.databases.address import Address
from highwaygraph.data.databases.connection import (
    CHUNK,
    Connection,
    first_line,
    quoted,
    readable,
    refuse_repeated,
    report,
    select,
)
from highwaygraph.runtime.environment import require_extra

TABLES = "SELECT table_schema, table_name, table_schema = current_schema() FROM information_schema.tables"


SETTINGS = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}


class DuckDBFile(Connection):
    """One transaction on a DuckDB file."""

    def __init__(self, address: Address, *, write: bool) -> None:
        path = Path(address.place)
        self._created = None if path.exists() else path
        self._reader: pa.RecordBatchReader | None = None
        self._connection = _driver().connect(str(path), read_only=not write, config=SETTINGS)

    def begin(self) -> None:
        """Begin the transaction."""
        self._connection.execute("BEGIN TRANSACTION")

    @classmethod
    def errors(cls) -> Any:
        """Return the base class of the driver's errors."""
        return _driver().Error

    @classmethod
    def explain(cls, address: Address, error: Exception) -> str:
        """Return one sentence on an error of the driver."""
        why = first_line(error)
        if "Could not set lock" in why:
            return f"{address} is open for writing in another process: close it there."
        if why.startswith("IO Error: Cannot open file"):
            return f"{address} cannot be opened: check the path and its permissions."
        # DuckDB takes a CSV or Parquet file for a database in memory with one view.
        if "not a valid DuckDB database" in why or "xtension" in why or "in-memory database" in why:
            return f"{address} is no DuckDB database: check the path, or use sqlite: for a SQLite file."
        return report(address, why.partition(": ")[2] or why)

    def tables(self) -> dict[str, str]:
        """Return the tables and views by name, those outside the main schema as SCHEMA.TABLE."""
        rows = self._connection.execute(TABLES).fetchall()
        return {t if own else f"{s}.{t}": f"{quoted(s)}.{quoted(t)}" for s, t, own in rows}

    def read(self, query: str) -> pa.RecordBatchReader:
        """Return the rows of a query."""
        refuse_repeated(self._connection.sql(query).columns)
        schema = self._connection.sql(select("*", query, " LIMIT 0")).to_arrow_reader(CHUNK).schema
        self._reader = self._connection.sql(readable(query, schema, "VARCHAR")).to_arrow_reader(CHUNK)
        return self._reader

    def drop(self, table: str) -> None:
        """Drop a table."""
        self._connection.execute(f"DROP TABLE {table}")

    def create(self, table: str, rows: pa.Table) -> None:
        """Create a table with rows."""
        self._connection.register("rows_written", rows)
        place = ".".join(quoted(part) for part in table.split(".", 1))
        self._connection.execute(f"CREATE TABLE {place} AS SELECT * FROM rows_written")

    def finish(self, *, commit: bool) -> None:
        """End the transaction and close the connection; remove a file that was created in vain."""
        if self._reader is not None:
            # A transaction with rows that were not read cannot be ended.
            self._reader.close()
        try:
            self._connection.execute("COMMIT" if commit else "ROLLBACK")
        finally:
            self._connection.close()
        if self._created is not None and not commit:
            self._created.unlink(missing_ok=True)


def _driver() -> Any:
    return require_extra("duckdb", "A DuckDB file", "sql")
