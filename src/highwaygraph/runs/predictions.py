"""Predictions as a table with the user's own ids, for spreadsheets and data frames."""

import csv
import io
import re
from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from highwaygraph.data.formats import PARQUET
from highwaygraph.data.spreadsheet import quote_formula, unquote_formula
from highwaygraph.errors import ConfigError, FailedError
from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import EDGE_VALUES, Graph
from highwaygraph.graph.queries import hops_from
from highwaygraph.runs.history import HighwayTable
from highwaygraph.runs.outputs import check_output
from highwaygraph.runtime.atomic import reason, staged_file
from highwaygraph.runtime.environment import require_extra

Columns = dict[str, list[Any]]


TEXT = (".csv", ".txt", "")


# Cells with one of these are in quotation marks. The csv module of Python leaves out the carriage return, which ends
# a row for other readers.
SPECIAL = re.compile('[,"\r\n]')


# Highways listed per node, and digits of probabilities.
MAX_ORIGINS, DIGITS = 3, 6


def columns(data: Graph, probs: Tensor, classes: list[str], highways: HighwayTable | None = None) -> Columns:
    """Return the predictions of all nodes as columns.

    Args:
        data: The graph.
        probs: The class probabilities of its nodes.
        classes: The name of every class.
        highways: The highways of the run, where they lead to nodes of this graph.

    Returns:
        Id, class, confidence, hops to the nearest label (with a split), and the origins of the highways.
    """
    confidence, best = probs.max(dim=1)
    ids = list(data.ids or range(len(best)))
    table: Columns = {
        "id": list(ids),
        "class": [classes[c] for c in best.tolist()],
        "confidence": rounded(confidence),
    }
    if data.has_split:
        hops = hops_from(data, data.train_mask.nonzero().flatten())
        table["hops"] = [None if hop == UNREACHABLE else hop for hop in hops.tolist()]
    if highways is not None:
        table["highways"] = _origins(highways, ids)
    return table


def rounded(values: Tensor) -> list[float]:
    """Return probabilities with the digits that tables have."""
    return [round(value, DIGITS) for value in values.tolist()]


def without_labels(data: Graph) -> Graph:
    """Return the attributes that prediction reads; labels and masks are neither needed nor validated."""
    names = ("x", "edge_index", *EDGE_VALUES, "csr", "highway_csr", "ids", "folder", "hetero", "highway_values")
    attributes = {name: data[name] for name in names if name in data}
    nodes = len(data.x) if isinstance(data.x, Tensor) and data.x.dim() else 0
    return Graph(**attributes, y=torch.full((nodes,), -1))


def class_names(data: Graph, count: int) -> list[str]:
    """Return a name for every class; its number where the graph has no name for it."""
    names = data.classes or []
    return [*names, *(str(c) for c in range(len(names), count))]


def to_csv(table: Columns) -> str:
    """Return the table as CSV; cells that a spreadsheet would evaluate as a formula are quoted."""
    rows = (map(_cell, row) for row in zip(*table.values(), strict=True))
    return "".join(",".join(row) + "\n" for row in chain([map(_cell, table)], rows))


def ids_in(text: str) -> list[str]:
    """Return the ids in such a CSV, without the quotes."""
    limit = csv.field_size_limit(max(len(text), csv.field_size_limit()))
    try:
        return [unquote_formula(row[0]) for row in csv.reader(io.StringIO(text))][1:]
    except csv.Error as error:
        raise ValueError(f"predictions.csv: {error}") from error
    finally:
        csv.field_size_limit(limit)


def check_table(path: Path) -> None:
    """Refuse a file that no table can be written to: another format, or no earlier output."""
    if path.suffix.lower() not in (*TEXT, *PARQUET):
        raise ConfigError(f"Tables are written as CSV or Parquet, not as {path.suffix}: name it {path.stem}.csv.")
    check_output(path)


def write(table: Columns, path: Path) -> None:
    """Write the table as CSV or Parquet, by the suffix of the file."""
    check_table(path)
    try:
        with staged_file(path) as staged:
            fill(staged, table)
    except OSError as error:
        raise FailedError(f"Cannot write {path}: {reason(error)}. Choose another file.") from error


def fill(staged: Path, table: Columns) -> None:
    """Write the table to a staged file, by its suffix."""
    if staged.suffix.lower() in PARQUET:
        require_extra("pandas", "Parquet", "tables").DataFrame(table).to_parquet(staged)
    else:
        staged.write_bytes(to_csv(table).encode())


def _origins(highways: HighwayTable, ids: list[Any]) -> list[str]:
    """Return the other ends of each node's first highways, with their rounds."""
    origins: dict[int, list[str]] = defaultdict(list)
    for a, b, number in zip(*highways.edges.tolist(), highways.round.tolist(), strict=True):
        if len(origins[b]) < MAX_ORIGINS:
            origins[b].append(f"{ids[a]} (round {number})")
    return ["; ".join(origins[node]) if node in origins else "" for node in range(len(ids))]


def _cell(value: Any) -> str:
    if isinstance(value, float):
        # Six digits, unless the number has more.
        return f"{value:.6f}" if round(value, 6) == value else repr(value)
    text = quote_formula(value) if isinstance(value, str) else "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if SPECIAL.search(text) else text
