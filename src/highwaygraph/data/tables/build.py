"""Two tables, nodes and edges, as a graph: which column is what is found out, or said."""

import math
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from highwaygraph.data.formats import RUN_PREFIX
from highwaygraph.data.tables.edges import clean_ids, read_links
from highwaygraph.data.tables.encoders import Encoder, Nothing, is_missing
from highwaygraph.data.tables.infer import find_roles, learn
from highwaygraph.data.tables.labels import read_labels, read_split
from highwaygraph.data.tables.read_log import FIRST, Column, ReadLog, quote_list
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.errors import DataError
from highwaygraph.graph.csr import from_edge_index
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.structural import structural_features
from highwaygraph.graph.validate import validate

# Of a node's own columns, so many are kept to be shown.
MOST_ATTRIBUTES, LONGEST = 8, 80


def from_tables(
    nodes: pd.DataFrame, edges: pd.DataFrame, names: ColumnRoles | None = None, known: Schema | None = None
) -> Graph:
    """Return the graph of a table of nodes and one of edges, with how it was read in `data.read_log`."""
    reading = ReadLog()
    nodes, roles = read_nodes(nodes, names or ColumnRoles(), reading)
    ids = nodes[roles.id].tolist()
    links = read_links(edges, ids, reading)
    own = [n for n in nodes.columns if n not in roles and not n.startswith(RUN_PREFIX)]
    encoders = known.encoders if known else {name: learn(nodes[name]) for name in own}
    y, classes = torch.full((len(ids),), -1), known.classes if known else []
    if roles.label:
        y, classes = read_labels(nodes[roles.label], classes if known else None, reading)
    x = features(nodes, encoders)
    data = Graph(
        x=structural_features(from_edge_index(links.edge_index, len(ids))) if x is None else x, edge_index=links.edge_index, y=y
    )
    if links.weight is not None:
        data.edge_weight = links.weight
    if roles.split:
        data.update(read_split(nodes[roles.split], y >= 0, ids, reading))
    data.ids, data.classes = ids, classes
    data = validate(data)
    _tell(nodes, roles, encoders, len(classes), reading)
    data.encoders, data.read_log = encoders, reading
    data.attributes = {name: [_shown(v) for v in nodes[name]] for name in own[:MOST_ATTRIBUTES] if name in nodes}
    return data


def read_nodes(nodes: pd.DataFrame, names: ColumnRoles, reading: ReadLog) -> tuple[pd.DataFrame, ColumnRoles]:
    """Return the nodes that have an id, each id once, and which column is what."""
    nodes = nodes.rename(columns=str)
    roles = find_roles(nodes, names)
    return _with_ids(nodes, roles.id, reading), roles


def features(nodes: pd.DataFrame, encoders: dict[str, Encoder]) -> Tensor | None:
    """Return what the columns say of every node, None where none says anything."""
    needed = [name for name, encoder in encoders.items() if not isinstance(encoder, Nothing)]
    missing = [name for name in needed if name not in nodes]
    if missing:
        raise DataError(f"The nodes lack columns that the model was trained with: {quote_list(missing)}.")
    if not needed:
        return None
    return torch.from_numpy(np.concatenate([encoders[name].encode(nodes[name]) for name in needed], axis=1))


def _with_ids(nodes: pd.DataFrame, column: str, reading: ReadLog) -> pd.DataFrame:
    """Return the nodes that have an id, each id once."""
    empty = nodes[column].isna()
    rows = (f"row {i + 1}" for i in np.flatnonzero(empty))
    reading.find("nodes without an id", rows, int(empty.sum()), "left out")
    nodes = nodes[~empty].copy()
    nodes[column] = clean_ids(nodes[column])
    twice = nodes[column].duplicated()
    reading.find("nodes with an id that came before", nodes[column][twice].head(FIRST), int(twice.sum()),
                 "only the first of each is kept")  # fmt: skip
    if not len(nodes):
        raise DataError("The table of nodes has no node in it: check the file.")
    return nodes[~twice].reset_index(drop=True)


def _shown(value: Any) -> str | int | float:
    """Return a cell fit for JSON and for a small card."""
    if is_missing(value):
        return ""
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, float | np.floating):
        return float(f"{value:.4g}") if math.isfinite(value) else str(value)
    text = str(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _tell(
    nodes: pd.DataFrame, roles: ColumnRoles, encoders: dict[str, Encoder], classes: int, reading: ReadLog
) -> None:
    """Note what every column was taken for."""
    said: dict[str, tuple[str, str]] = {
        roles.id: ("id", f"{len(nodes):,} nodes"),
        roles.label: ("label", f"{classes} classes"),
        roles.split: ("split", "train, val and test"),
    }
    for name in nodes.columns:
        if name in said:
            reading.columns.append(Column(name, *said[name]))
        elif name in encoders:
            width = encoders[name].encode(nodes[name].head(1)).shape[1]
            reading.columns.append(Column(name, "feature" if width else "ignored", encoders[name].describe(), width))
        else:
            why = "what a run said" if name.startswith(RUN_PREFIX) else "the model was trained without it"
            reading.columns.append(Column(name, "ignored", f"left out: {why}"))
    if all(isinstance(encoder, Nothing) for encoder in encoders.values()):
        note = "no column says anything: degree and place in the graph are used instead"
        reading.columns.append(Column("(the graph itself)", "feature", note))
