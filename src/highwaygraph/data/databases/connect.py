"""Transactions on databases; every error of a driver becomes one sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from highwaygraph.data.databases.address import Address
from highwaygraph.data.databases.connection import Connection
from highwaygraph.data.databases.duckdb_file import DuckDBFile
from highwaygraph.data.databases.postgresql import PostgreSQL
from highwaygraph.data.databases.sqlite_file import SQLiteFile
from highwaygraph.errors import DataError

CONNECTIONS: dict[str, type[Connection]] = {"sqlite": SQLiteFile, "duckdb": DuckDBFile, "postgresql": PostgreSQL}


@contextmanager
def connect(address: Address, *, write: bool = False) -> Iterator[Connection]:
    """Yield a connection in one transaction, which is committed if the block succeeds and may write.

    Args:
        address: The database.
        write: Whether the transaction may change the database; a file that does not exist is created.

    Raises:
        DataError: The database cannot be opened, read or written; the message has no password.
    """
    kind = CONNECTIONS[address.kind]
    if not write and address.kind != "postgresql" and not Path(address.place).is_file():
        raise DataError(f"There is no file {address.place}: check the path.")
    try:
        connection, done = kind(address, write=write), False
        try:
            connection.begin()
            yield connection
            done = True
        finally:
            connection.finish(commit=write and done)
    except kind.errors() as error:
        raise DataError(kind.explain(address, error)) from error
