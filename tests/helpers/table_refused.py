"""Tables with a flaw that no reading can be right about: they must be refused with a sentence."""

import random
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import highwaygraph as hg
from highwaygraph.errors import HighwayError
from highwaygraph.training.preflight import check_weights
from tests.helpers.table_dialects import Csv, tables
from tests.helpers.table_truth import Truth

CSV = {
    "csv": Csv(),
    "csv-semicolon": Csv(separator=";"),
    "tsv": Csv(separator="\t", suffix=".tsv"),
    "csv-all": Csv(quoting="all"),
    "csv-gz": Csv(suffix=".csv.gz"),
}
Rows = list[list[str]]


def _rows(table: dict[str, list[str]]) -> Rows:
    return [list(table), *(list(row) for row in zip(*table.values(), strict=True))]


def _write(rows: Rows, dialect: Csv, path: Path) -> None:
    """Write rows, of different lengths too."""
    lines = [dialect.separator.join(dialect.quote(cell) for cell in row) for row in rows]
    dialect.write_text("\n".join(lines) + "\n", path)


def _long(nodes: Rows, edges: Rows, rng: random.Random) -> None:
    rng.choice(rng.choice((nodes, edges))[1:]).append(rng.choice(("5", "", "x")))


def _all_long(nodes: Rows, edges: Rows, rng: random.Random) -> None:
    for row in rng.choice((nodes, edges))[1:]:
        row.append(rng.choice(("", "5")))


def _short(nodes: Rows, edges: Rows, rng: random.Random) -> None:
    rng.choice(rng.choice((nodes, edges))[1:]).pop()


def _no_header(nodes: Rows, edges: Rows, rng: random.Random) -> None:
    rows = [row[:2] for row in edges[1:]]
    # The first line consists of two nodes.
    first = next(i for i, (a, b) in enumerate(rows) if a != b and {a, b}.isdisjoint({"", "no such node"}))
    edges[:] = [rows.pop(first), *rows]


def _same_names(nodes: Rows, edges: Rows, rng: random.Random) -> None:
    rows = rng.choice((nodes, edges))
    first, second = rng.sample(range(len(rows[0])), 2)
    rows[0][second] = rows[0][first]


def _negative(nodes: Rows, edges: Rows, rng: random.Random) -> None:
    for number, row in enumerate(edges):
        row[2:] = ["-0.5"] if number else ["weight"]


def _flaw(corrupt: Callable[[Rows, Rows, random.Random], None]) -> Callable[..., Iterator[str]]:
    def check(truth: Truth, dialect: str, folder: Path, rng: random.Random) -> Iterator[str]:
        nodes, edges = (_rows(table) for table in tables(replace(truth, extra={})))
        corrupt(nodes, edges, rng)
        _write(nodes, CSV[dialect], folder / "nodes")
        _write(edges, CSV[dialect], folder / "edges")
        read = rng.choice((hg.load, lambda path, **more: hg.convert(path, folder / "converted", **more)))
        try:
            graph = read(folder, **truth.options)
            # Negative weights are noted, and refused before training, as a module of one's own may use them.
            noted = any("negative weight" in finding.what for finding in graph.read_log.findings)
            check_weights(hg.models.build("gcn", graph), graph)
        except HighwayError:
            return
        if noted:
            return
        yield f"not refused: {graph.num_nodes} nodes were read"

    return check


FLAWS = {
    "long row": _flaw(_long),
    "long rows": _flaw(_all_long),
    "short row": _flaw(_short),
    "no header": _flaw(_no_header),
    "same names": _flaw(_same_names),
    "negative weight": _flaw(_negative),
}
