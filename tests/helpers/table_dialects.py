"""Ways to write the same two tables: dialects of CSV, types of Parquet and pandas, NetworkX and GraphML."""

import gzip
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from tests.helpers.table_meaning import NUMBER, is_whole
from tests.helpers.table_truth import Truth
from tests.helpers.table_typed import GRAPHS, PANDAS, PARQUET

Cells = dict[str, list[str]]
FORMULA = ("=", "+", "-", "@", "\t", "\r", "'")


class Source(NamedTuple):
    """Arguments of `load` and `convert`, beside the folder to write."""

    source: Any
    edges: Any = None
    loose: bool = False
    """Whether numbers, flags, dates and lists that are written as text may also be read as words."""


class Csv(NamedTuple):
    """A dialect of CSV."""

    separator: str = ","
    suffix: str = ".csv"
    quoting: str = "minimal"
    end: str = "\n"
    bom: bool = False
    last: bool = True
    """Whether the last line ends with a line break."""
    space: str = ""
    """Text after a separator."""

    def text(self, table: Cells) -> str:
        """Return the table in this dialect."""
        rows = [list(table), *(list(row) for row in zip(*table.values(), strict=True))]
        lines = [(self.separator + self.space).join(self.quote(cell) for cell in row) for row in rows]
        return ("\ufeff" if self.bom else "") + self.end.join(lines) + (self.end if self.last else "")

    def quote(self, cell: str) -> str:
        """Return a cell, in quotes where they are needed or the dialect has them."""
        needed = any(sign in cell for sign in (*self.separator, '"', "\r", "\n")) or cell != cell.strip()
        others = {"minimal": False, "all": True, "nonnumeric": bool(cell) and not NUMBER.fullmatch(cell)}
        return '"' + cell.replace('"', '""') + '"' if needed or others[self.quoting] else cell

    def write(self, table: Cells, path: Path) -> Path:
        """Write the table and return its path."""
        return self.write_text(self.text(table), path)

    def write_text(self, text: str, path: Path) -> Path:
        """Write a text and return its path."""
        path = path.with_name(path.name + self.suffix)
        path.write_bytes(gzip.compress(text.encode(), 1) if self.suffix.endswith("gz") else text.encode())
        return path


def tables(truth: Truth) -> tuple[Cells, Cells]:
    """Return the cells of the nodes and of the edges."""
    roles = {truth.id: truth.ids, truth.label: truth.labels, truth.split: truth.splits}
    nodes = {name: truth.columns[name] if name in truth.columns else roles[name] for name in truth.order}
    source, target = ([edge[end] for edge in truth.edges] for end in (0, 1))
    edges = {truth.ends[0]: source, truth.ends[1]: target}
    return nodes, edges | ({truth.weight: truth.weights} if truth.weight else {}) | truth.extra


def _csv(dialect: Csv, **more: Any) -> Callable[[Truth, Path, random.Random], Source]:
    def write(truth: Truth, folder: Path, rng: random.Random) -> Source:
        nodes, edges = tables(truth)
        paths = [dialect.write(nodes, folder / "nodes"), dialect.write(edges, folder / "edges")]
        return Source(folder, **more) if rng.random() < 0.5 else Source(*paths, **more)

    return write


def shuffled(truth: Truth, rng: random.Random) -> Truth:
    """Return the truth with rows and columns in another order; of equal ids the first stays the first."""
    rows = list(range(len(truth.ids)))
    if len({cell.strip() for cell in truth.ids}) == len(rows):
        rng.shuffle(rows)

    def taken(cells: list[str]) -> list[str]:
        return [cells[row] for row in rows] if cells else []

    edges = list(range(len(truth.edges)))
    rng.shuffle(edges)
    return replace(
        truth,
        ids=taken(truth.ids),
        labels=taken(truth.labels),
        splits=taken(truth.splits),
        columns={name: taken(cells) for name, cells in truth.columns.items()},
        order=rng.sample(truth.order, len(truth.order)),
        edges=[truth.edges[i][:: rng.choice((1, -1))] for i in edges],
        weights=[truth.weights[i] for i in edges] if truth.weight else [],
        extra={name: [cells[i] for i in edges] for name, cells in truth.extra.items()},
    )


def _exported(truth: Truth, folder: Path, rng: random.Random) -> Source:
    """Write words as exports do: with a quote before those that a spreadsheet would evaluate."""
    nodes, edges = tables(truth)
    nodes |= {"highway_class": ["x"] * len(truth.ids)}
    edges |= {"highway_round": [""] * len(truth.edges)}
    Csv().write({name: [_escaped(cell) for cell in cells] for name, cells in nodes.items()}, folder / "nodes")
    Csv().write({name: [_escaped(cell) for cell in cells] for name, cells in edges.items()}, folder / "edges")
    return Source(folder)


def _escaped(cell: str) -> str:
    # Exports write surrounding space as it is; reading removes it before and after.
    cell = cell.strip()
    return "'" + cell if cell.startswith(FORMULA) and not NUMBER.fullmatch(cell) else cell


def _float_ends(truth: Truth, folder: Path, rng: random.Random) -> Source:
    """Write the ends of the edges as 7.0 where the ids are whole numbers."""
    if is_whole({cell.strip() for cell in truth.ids if cell.strip()}) and max(len(cell) for cell in truth.ids) < 16:
        ends = {end for edge in truth.edges for end in edge if is_whole({end})}
        points = {end: f"{end}.0" for end in ends if end}
        truth = replace(truth, edges=[(points.get(a, a), points.get(b, b)) for a, b in truth.edges])
    return _csv(Csv())(truth, folder, rng)


def _quoted_ends(truth: Truth, folder: Path, rng: random.Random) -> Source:
    """Write the two tables in different dialects."""
    nodes, edges = tables(truth)
    one = Csv(separator=";", quoting="all").write(nodes, folder / "nodes")
    return Source(one, Csv(suffix=".tsv", separator="\t", end="\r\n").write(edges, folder / "edges"))


def _of_types(write: Callable[..., tuple[Any, Any]], **more: Any) -> Callable[[Truth, Path, random.Random], Source]:
    def made(truth: Truth, folder: Path, rng: random.Random) -> Source:
        return Source(*write(truth, *tables(truth), folder, rng), **more)

    return made


Dialect = Callable[[Truth, Path, random.Random], Source]
TEXT: dict[str, Dialect] = {
    "csv": _csv(Csv()),
    "csv-semicolon": _csv(Csv(separator=";")),
    "csv-tab": _csv(Csv(separator="\t")),
    "csv-all": _csv(Csv(quoting="all")),
    "csv-nonnumeric": _csv(Csv(quoting="nonnumeric")),
    "csv-crlf": _csv(Csv(end="\r\n")),
    "csv-bom": _csv(Csv(bom=True)),
    "csv-bom-all": _csv(Csv(bom=True, quoting="all", end="\r\n")),
    "csv-no-newline": _csv(Csv(last=False)),
    "csv-spaces": _csv(Csv(space=" ")),
    "csv-spaces-all": _csv(Csv(space=" ", quoting="all", separator=";")),
    "csv-gz": _csv(Csv(suffix=".csv.gz")),
    "txt": _csv(Csv(suffix=".txt", separator=";")),
    "tsv": _csv(Csv(suffix=".tsv", separator="\t")),
    "tsv-crlf": _csv(Csv(suffix=".tsv", separator="\t", end="\r\n", quoting="all", last=False)),
    "csv-two-dialects": _quoted_ends,
    "csv-float-ends": _float_ends,
    "csv-exported": _exported,
}
DIALECTS: dict[str, Dialect] = {
    **TEXT,
    **{name: _of_types(write, loose=True) for name, write in (PARQUET | PANDAS).items()},
}
"""Dialects that express every truth."""
CLEAN: dict[str, Dialect] = {name: _of_types(write, loose=True) for name, write in GRAPHS.items()}
"""Dialects without rows that are left out; GraphML has no control characters either."""
