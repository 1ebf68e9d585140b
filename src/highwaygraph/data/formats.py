"""Suffixes of files and names of columns, without the libraries that read them."""

from pathlib import Path

from highwaygraph.errors import DataError

PARQUET = (".parquet", ".pq")


CSV = (".csv", ".tsv", ".txt")


TABLES = (*CSV, *PARQUET)


NETWORKS = (".graphml", ".gexf", ".gml", ".edgelist", ".edges")


GZIP = ".gz"


# Compressions that are not read, by suffix.
ARCHIVES = (".zip", ".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz")


RUN_PREFIX = "highway_"
"""Prefix of exported columns with the output of a run: a model must not be trained on its own predictions."""


def table_suffix(path: Path) -> str:
    """Return the suffix for the kind of a table: .csv for nodes.csv and for nodes.csv.gz; empty otherwise."""
    suffix = path.suffix.lower()
    if suffix == GZIP:
        suffix = Path(path.stem).suffix.lower()
        return suffix if suffix in CSV else ""
    return suffix if suffix in TABLES else ""


def table_stem(path: Path) -> str:
    """Return the name of a table without its suffixes: nodes for nodes.csv and for nodes.csv.gz."""
    return Path(path.stem).stem if path.suffix.lower() == GZIP else path.stem


def refuse_archive(path: Path) -> None:
    """Refuse a compressed file of a kind that is not read."""
    if path.suffix.lower() in (*ARCHIVES, GZIP):
        raise DataError(f"{path.name} is compressed: unpack it; tables are also read as csv.gz, tsv.gz or txt.gz.")
