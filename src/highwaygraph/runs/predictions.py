"""Predictions as a table with the user's own ids, fit for spreadsheets and data frames."""

import csv
import io
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from highwaygraph.data.formats import PARQUET
from highwaygraph.errors import ConfigError, FailedError
from highwaygraph.graph.bfs import UNREACHABLE
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import hops_from
from highwaygraph.runs.history import HighwayTable
from highwaygraph.runtime.environment import require_extra

if TYPE_CHECKING:
    from highwaygraph.runs.result import Result

Columns = dict[str, list[Any]]


TEXT = (".csv", ".txt", "")


# A spreadsheet runs what begins so.
FORMULA = ("=", "+", "-", "@", "\t", "\r")


MOST_ORIGINS = 3


def columns(data: Graph, logits: Tensor, classes: list[str], roads: HighwayTable | None = None) -> Columns:
    """Return id, class and confidence of every node, hops to the nearest label, and where its highways come from."""
    confidence, best = logits.softmax(dim=1).max(dim=1)
    ids = list(data.ids or range(len(best)))
    found: Columns = {
        "id": list(ids),
        "class": [classes[c] for c in best.tolist()],
        "confidence": [round(p, 6) for p in confidence.tolist()],
    }
    if data.has_split:
        hops = hops_from(data, data.train_mask.nonzero().flatten())
        found["hops"] = [None if hop == UNREACHABLE else hop for hop in hops.tolist()]
    if roads is not None:
        found["highways"] = _origins(roads, ids)
    return found


def prediction_table(result: "Result", data: Graph | None = None) -> Columns:
    """Return the predictions as columns: of the training graph, of the nodes attached to it, or of another graph."""
    names = class_names(result.data, result.logits.size(1))
    if data is None:
        return columns(result.data, result.logits, names, result.highway_table)
    if data.num_attached:
        table = columns(data, result.predict_logits(data), names)
        return {name: values[-data.num_attached :] for name, values in table.items()}
    return columns(without_labels(data), result.predict_logits(data), names)


def without_labels(data: Graph) -> Graph:
    """Return the attributes that prediction reads; labels and masks are neither needed nor validated."""
    names = ("x", "edge_index", "edge_weight", "csr", "highway_csr", "ids", "folder")
    kept = {name: data[name] for name in names if name in data}
    nodes = len(data.x) if isinstance(data.x, Tensor) else 0
    return Graph(**kept, y=torch.full((nodes,), -1))


def class_names(data: Graph, count: int) -> list[str]:
    """Return a name for every class, its number where it has none."""
    named = data.classes or []
    return [*named, *(str(c) for c in range(len(named), count))]


def to_csv(found: Columns) -> str:
    """Return the table as text; what a spreadsheet would run as a formula is quoted."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(found)
    writer.writerows([_quoted(value) for value in row] for row in zip(*found.values(), strict=True))
    return text.getvalue()


def ids_in(text: str) -> list[str]:
    """Return the ids in such a text, as they were before quoting."""
    return [row[0].removeprefix("'") for row in csv.reader(io.StringIO(text))][1:]


def write(found: Columns, path: Path) -> None:
    """Write the table by the file's ending, CSV or Parquet."""
    kind = path.suffix.lower()
    if kind not in (*TEXT, *PARQUET):
        raise ConfigError(f"Predictions are written as CSV or Parquet, not as {path.suffix}: name it {path.stem}.csv.")
    try:
        if kind in PARQUET:
            require_extra("pandas", "Parquet", "tables").DataFrame(found).to_parquet(path)
        else:
            path.write_text(to_csv(found), encoding="utf-8")
    except OSError as error:
        raise FailedError(f"Cannot write {path}: {error.strerror}. Choose another file.") from error


def _origins(roads: HighwayTable, ids: list[Any]) -> list[str]:
    """Return the other ends of each node's first highways, with their rounds."""
    own: dict[int, list[str]] = defaultdict(list)
    for a, b, number in zip(*roads.edges.tolist(), roads.round.tolist(), strict=True):
        if len(own[b]) < MOST_ORIGINS:
            own[b].append(f"{ids[a]} (round {number})")
    return ["; ".join(own[node]) if node in own else "" for node in range(len(ids))]


def _quoted(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, str) and value.startswith((*FORMULA, "'")):
        return "'" + value
    return f"{value:.6f}" if isinstance(value, float) else value
