"""Addresses of databases: `sqlite:FILE`, `duckdb:FILE` and `postgresql://...`, shown without passwords."""

import re
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast
from urllib.parse import SplitResult, unquote, urlsplit

from highwaygraph.errors import ConfigError, DataError

Kind = Literal["sqlite", "duckdb", "postgresql"]


FILES = re.compile(r"(?i)(sqlite|duckdb):(.*)", re.DOTALL)


# Names of databases in memory: of DuckDB and SQLite, of SQLite's URIs, and of SQLAlchemy's addresses.
MEMORY = re.compile(r"(?i)(?:/*|file:):memory:|file:.*[?&]mode=memory")


# SQLAlchemy writes its driver after a plus sign, as in postgresql+psycopg2://.
SERVERS = re.compile(r"(?i)postgres(?:ql)?(?:\+\w+)?(?=://)")


# The start of a path that was made of an address, of which a Path keeps one slash.
ADDRESS_AS_PATH = re.compile(r"(?i)(?:sqlite|duckdb):|[a-z][a-z0-9.+-]+:/")


# A drive of Windows has one letter.
SCHEMES = re.compile(r"(?i)([a-z][a-z0-9.-]+)(?:\+[\w.-]*)?://")


DOWNLOADED = ("http", "https", "ftp", "s3", "gs", "gcs", "az", "abfs", "hdfs", "file")
"""Schemes of files."""


# libpq quotes the word with such a sign, which may be the password.
BAD_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})|%00")


INVALID = (
    "The address of the database is invalid: write postgresql://USER@HOST:PORT/DATABASE, with %25, %40, %23 and %2F "
    "for %, @, # and / in a user or password."
)


class Address(NamedTuple):
    """Where a database is; its text has no password."""

    kind: Kind
    place: str
    """Path of the file, or the address of the server with its password."""
    name: str
    """Name of the database."""

    def __str__(self) -> str:
        if self.kind != "postgresql":
            return f"{self.kind}:{self.place}"
        url = urlsplit(self.place)
        user = f"{url.username}@" if url.username else ""
        return f"postgresql://{user}{server(url)}/{self.name}"

    def __repr__(self) -> str:
        return f"Address({str(self)!r})"


class Database(NamedTuple):
    """A database, with the tables or queries of its nodes and of its edges; empty where they are inferred."""

    address: Address
    nodes: str = ""
    edges: str = ""


def is_database(source: Any) -> bool:
    """Return whether a source is an address and no path; `parse_address` refuses those that are not supported.

    Example:
        >>> is_database("sqlite:papers.db"), is_database("papers.csv")
        (True, False)
    """
    return isinstance(source, str) and bool(FILES.match(source) or SCHEMES.match(source))


def parse_address(source: str) -> Address:
    """Return the address of a database that is read.

    Args:
        source: As in `is_database`.

    Raises:
        DataError: The address is invalid or not supported; the message does not contain it.
    """
    if found := FILES.fullmatch(source):
        return _file(cast("Kind", found[1].lower()), found[2])
    if not SERVERS.match(source):
        raise _not_supported(source)
    source = SERVERS.sub("postgresql", source, count=1)
    url = _split(source)
    return Address("postgresql", source, unquote(url.path.lstrip("/")) or url.username or "postgres")


def _file(kind: Kind, place: str) -> Address:
    """Return the address of a file; refuse a database in memory, which no other process and no later call can read."""
    if not place.strip():
        raise DataError(f"Name the file of the database, as in {kind}:FILE.")
    if MEMORY.match(place):
        raise DataError(
            f"{kind}:{place} is a database in memory, which is not supported: name a file, as in {kind}:FILE, or give "
            "hg.load its two tables as data frames."
        )
    path = Path(place).expanduser()
    return Address(kind, str(path), path.stem)


def _not_supported(source: str) -> DataError:
    """Return the error of another scheme; the rest of the address may hold a password and is not shown."""
    found = SCHEMES.match(source)
    scheme = found[1].lower() if found else "This"
    if scheme in DOWNLOADED:
        remedy = "save the file on this computer and name its path"
    elif scheme in ("mysql", "mariadb"):
        remedy = "export both tables to CSV, or copy them to a DuckDB file with DuckDB's mysql extension"
    else:
        remedy = "export nodes and edges to CSV or Parquet"
    return DataError(f"{scheme}:// is not supported (sqlite:FILE, duckdb:FILE and postgresql:// are): {remedy}.")


def refuse_address(path: Path) -> None:
    """Refuse to write to a path that is the address of a database: its folders would be named by a password.

    Args:
        path: A file or folder that is to be written.
    """
    if ADDRESS_AS_PATH.match(str(path)):
        raise DataError(
            "The address of a database is no path of a file or folder: name one; predictions are written to a database "
            "by highway predict RUN --out ADDRESS#TABLE."
        )


def parse_database(source: str, nodes: str, edges: Any) -> Database:
    """Return a database with its tables or queries.

    Args:
        source: Its address.
        nodes: Table or query of the nodes; empty to infer it.
        edges: Table or query of the edges; empty or None to infer it.
    """
    if not isinstance(edges, str | None):
        raise DataError(f"The edges of a database are a table or a query, not {type(edges).__name__}.")
    return Database(parse_address(source), nodes, edges or "")


def parse_target(source: str) -> tuple[Address, str]:
    """Return the address of a database that is written, and the name of the table after the last #."""
    if not (FILES.match(source) or SERVERS.match(source)):
        raise _not_supported(source)
    place, _, table = source.rpartition("#")
    if not place or not table:
        raise ConfigError("Name the table to write after the address of the database, as in sqlite:FILE#predictions.")
    if SERVERS.match(source) and "@" in table:
        # The # belongs to a password, which the message of another error would show.
        raise DataError(INVALID)
    return parse_address(place), unquote(table)


def server(url: SplitResult) -> str:
    """Return the host and port of a server, as messages show them."""
    host = url.hostname or "localhost"
    return f"{host}:{url.port}" if url.port else host


def _split(source: str) -> SplitResult:
    try:
        url = urlsplit(source)
        # The port is checked when it is read.
        valid = not (re.search(r"\s", source) or BAD_PERCENT.search(source) or url.fragment or "@" in url.path)
        valid = valid and url.port != 0
    except ValueError:
        # The error of urlsplit quotes what stands in the place of the port, which may be the password.
        raise DataError(INVALID) from None
    if not valid or url.netloc.count("@") > 1:
        raise DataError(INVALID)
    return url
