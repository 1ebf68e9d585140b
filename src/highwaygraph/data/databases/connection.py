"""The interface of the three kinds of databases, and the SQL that they share."""

from abc import ABC, abstractmethod
from typing import Any

import pyarrow as pa

from highwaygraph.data.databases.address import Address
from highwaygraph.errors import DataError

# Rows of a batch, where the driver has no limit of its own.
CHUNK = 2**16


class Connection(ABC):
    """One transaction on a database.

    Args:
        address: The database.
        write: Whether the transaction may change it.
    """

    @abstractmethod
    def __init__(self, address: Address, *, write: bool) -> None: ...

    @abstractmethod
    def begin(self) -> None:
        """Begin the transaction."""

    @classmethod
    @abstractmethod
    def errors(cls) -> Any:
        """Return the base class of the driver's errors; refuse to continue where the driver is not installed."""

    @classmethod
    def explain(cls, address: Address, error: Exception) -> str:
        """Return one sentence on an error of the driver."""
        return report(address, first_line(error))

    @abstractmethod
    def tables(self) -> dict[str, str]:
        """Return the tables and views by name, each as SQL refers to it."""

    @abstractmethod
    def read(self, query: str) -> pa.RecordBatchReader:
        """Return the rows of a query in batches, its columns of types that tables have."""

    @abstractmethod
    def drop(self, table: str) -> None:
        """Drop a table, given as SQL refers to it."""

    @abstractmethod
    def create(self, table: str, rows: pa.Table) -> None:
        """Create a table of a name with rows."""

    @abstractmethod
    def finish(self, *, commit: bool) -> None:
        """End the transaction and close the connection."""


def quoted(name: str) -> str:
    """Return a name as SQL quotes it.

    Example:
        >>> quoted('a "b" c')
        '"a ""b"" c"'
    """
    return '"' + name.replace('"', '""') + '"'


def find_table(name: str, tables: dict[str, str]) -> str | None:
    """Return a table as SQL refers to it, None where there is none; one of the main schema may be named with it.

    Args:
        name: TABLE or SCHEMA.TABLE.
        tables: As `Connection.tables` returns them.
    """
    if name in tables:
        return tables[name]
    full = ".".join(map(quoted, name.split(".", 1)))
    return full if full in tables.values() else None


def select(columns: str, query: str, more: str = "") -> str:
    """Return a query of another query; a comment at its end does not matter."""
    return f"SELECT {columns} FROM ({query}\n) AS rows_read{more}"


def refuse_repeated(names: list[str]) -> None:
    """Refuse a query with two columns of one name."""
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError(f"Two columns of the query are called {repeated[0]!r}: rename one with AS.")


def refuse_binary(name: str) -> None:
    """Refuse a column of binary values."""
    raise DataError(f"The column {name!r} holds binary values: leave it out with a query, as in SELECT id, label ...")


def readable(query: str, schema: pa.Schema, text_type: str) -> str:
    """Return a query whose columns are numbers, text, flags, dates or lists; values of other types are cast to text.

    Args:
        query: The user's query.
        schema: The types of its columns.
        text_type: Name of the type of text in SQL.
    """
    refuse_repeated(schema.names)
    for field in schema:
        if pa.types.is_binary(field.type) or pa.types.is_large_binary(field.type):
            refuse_binary(field.name)
    if all(_is_read(field.type) for field in schema):
        return query
    names = {field: quoted(field.name) for field in schema}
    casts = {field: f"CAST({name} AS {text_type}) AS {name}" for field, name in names.items()}
    return select(", ".join((names if _is_read(field.type) else casts)[field] for field in schema), query)


def _is_read(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return _is_plain(kind.value_type)
    return _is_plain(kind) or types.is_decimal(kind) or types.is_date(kind) or types.is_timestamp(kind)


def _is_plain(kind: pa.DataType) -> bool:
    """Return whether values are numbers, flags or text."""
    types = pa.types
    tests = (types.is_integer, types.is_floating, types.is_boolean, types.is_string, types.is_large_string)
    return any(test(kind) for test in tests)


def report(address: Address, why: str) -> str:
    """Return the sentence on an error of a query."""
    return f"{address} reports {why!r}: correct the query, or check the table."


def first_line(error: Exception) -> str:
    """Return the first line of an error, without a full stop."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0].strip().rstrip(".!")
