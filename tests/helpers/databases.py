"""The same small tables in every kind of database."""

import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

NODES = pd.DataFrame(
    {
        "id": [f"p{number}" for number in range(40)],
        "label": ["a" if number % 2 else "b" for number in range(40)],
        "size": [number / 4 for number in range(40)],
        "title": [None if number == 3 else f"word{number % 5} and word{number % 2}" for number in range(40)],
    }
)
EDGES = pd.DataFrame({"source": [f"p{n}" for n in range(38)], "target": [f"p{n + 2}" for n in range(38)]})


def sqlite_file(path: Path, **tables: pd.DataFrame) -> str:
    """Write tables to a SQLite file and return its address."""
    connection = sqlite3.connect(path)
    for name, table in (tables or {"nodes": NODES, "edges": EDGES}).items():
        table.to_sql(name, connection, index=False)
    connection.close()
    return f"sqlite:{path}"


def duckdb_file(path: Path, **tables: pd.DataFrame) -> str:
    """Write tables to a DuckDB file and return its address."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
    with duckdb.connect(str(path)) as connection:
        for name, table in (tables or {"nodes": NODES, "edges": EDGES}).items():
            connection.register("rows", pa.Table.from_pandas(table, preserve_index=False))
            connection.execute(f"CREATE TABLE {name} AS SELECT * FROM rows")
    return f"duckdb:{path}"


def postgresql_tables(url: str, **tables: pd.DataFrame) -> str:
    """Write tables to a PostgreSQL server, in place of those of these names, and return its address."""
    with postgresql(url) as cursor:
        for name, table in (tables or {"nodes": NODES, "edges": EDGES}).items():
            cursor.execute(f"DROP TABLE IF EXISTS {name} CASCADE")
            cursor.adbc_ingest(name, pa.Table.from_pandas(table, preserve_index=False), mode="create")
    return url


class postgresql:
    """A cursor on a PostgreSQL server; what it changes is committed."""

    def __init__(self, url: str) -> None:
        dbapi = pytest.importorskip("adbc_driver_postgresql.dbapi")
        self.connection = dbapi.connect(url)

    def __enter__(self) -> Any:
        self.cursor = self.connection.cursor()
        return self.cursor

    def __exit__(self, *error: object) -> None:
        self.cursor.close()
        if error[0] is None:
            self.connection.commit()
        self.connection.close()
