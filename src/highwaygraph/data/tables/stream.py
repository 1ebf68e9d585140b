"""Tables larger than memory as streams: what is kept of all rows are ids, labels and the split."""

from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray

from highwaygraph.data.formats import RUN_PREFIX
from highwaygraph.data.mapped.external_sort import Piece
from highwaygraph.data.mapped.writer import Nodes
from highwaygraph.data.tables.build import features
from highwaygraph.data.tables.edges import WHOLE, clean_ids, edge_columns
from highwaygraph.data.tables.encoders import Encoder
from highwaygraph.data.tables.files import edges_beside, find_tables, read_chunks
from highwaygraph.data.tables.infer import find_roles, learn
from highwaygraph.data.tables.labels import read_labels, read_split
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.schema import ColumnRoles
from highwaygraph.errors import DataError
from highwaygraph.graph.validate import MASKS

Places = NDArray[np.int64]


def stream_tables(
    path: Path, edges: Path | None, names: tuple[str, str, str], reading: ReadLog
) -> tuple[Nodes, Iterator[Piece]]:
    """Return the nodes and the edges of two tables, read as they are written down."""
    if path.is_dir():
        found = find_tables(path)
        if found is None:
            raise DataError(f"{path} holds no graph: nodes.csv and edges.csv (or such) are expected in it.")
        path, edges = found[0], edges or found[1]
    nodes = stream_nodes(path, ColumnRoles(*names), reading)
    return nodes, stream_edges(edges or edges_beside(path), nodes.ids or [], reading)


def stream_nodes(path: Path, names: ColumnRoles, reading: ReadLog) -> Nodes:
    """Return the nodes of a table, their features as they are asked for; the first rows teach what columns are."""
    with closing(read_chunks(path, (names.id,))) as chunks:
        head = next(chunks, pd.DataFrame())
    if not len(head):
        raise DataError("The table of nodes has no node in it: check the file.")
    roles = find_roles(head, names)
    kept = [name for name in roles if name]
    keys = pd.concat([chunk[kept] for chunk in read_chunks(path, (names.id,), kept)], ignore_index=True)
    ids = _unique(keys[roles.id], path)
    labels, classes = torch.full((len(ids),), -1), list[str]()
    if roles.label:
        labels, classes = read_labels(keys[roles.label], None, reading)
    part = np.zeros(len(ids), dtype=np.int8)
    if roles.split:
        masks = read_split(keys[roles.split], labels >= 0, ids, reading)
        for number, name in enumerate(MASKS, 1):
            part[masks[name].numpy()] = number
    own = [name for name in head.columns if name not in roles and not name.startswith(RUN_PREFIX)]
    encoders = {name: learn(head[name]) for name in own}
    first = features(head.head(1), encoders)
    if first is None:
        raise DataError(f"No column of {path.name} says anything of the nodes: add one, such as their degree.")
    stream = _features(path, names, encoders)
    return Nodes(len(ids), first.size(1), stream, labels.numpy(), part, ids, classes or None, encoders)


def stream_edges(path: Path, ids: list[Any], reading: ReadLog) -> Iterator[Piece]:
    """Return the edges between known nodes, noting at the end how many led elsewhere."""
    place, lost, total, first = _finder(ids), 0, 0, ""
    for chunk in read_chunks(path):
        one, other, column = edge_columns(chunk)
        ends = np.stack([place(chunk[end]) for end in (one, other)])
        good = (ends >= 0).all(axis=0)
        weight = None if column is None else pd.to_numeric(chunk[column], errors="coerce").to_numpy(np.float32)
        good &= True if weight is None else np.isfinite(weight)
        if not first and not good.all():
            first = " - ".join(str(end) for end in chunk[[one, other]][~good].iloc[0])
        lost, total = lost + int((~good).sum()), total + len(chunk)
        yield Piece(ends[0, good], ends[1, good], None if weight is None else weight[good])
    if total and lost == total:
        raise DataError(f"None of the {total:,} edges joins two known nodes (first: {first}): check both tables' ids.")
    reading.find("edges to ids that no node has, or without a weight", [first], lost, "left out")


def _features(path: Path, names: ColumnRoles, encoders: dict[str, Encoder]) -> Iterator[NDArray[np.float32]]:
    for chunk in read_chunks(path, (names.id,)):
        table = features(chunk, encoders)
        assert table is not None
        yield table.numpy()


def _unique(column: pd.Series, path: Path) -> list[Any]:
    if column.isna().any():
        raise DataError(f"{int(column.isna().sum()):,} rows of {path.name} have no id: give every node one.")
    ids = clean_ids(column)
    if not ids.is_unique:
        raise DataError(
            f"{path.name} has ids that come twice (first: {ids[ids.duplicated()].iloc[0]}): keep each once."
        )
    found: list[Any] = ids.tolist()
    return found


def _finder(ids: list[Any]) -> Callable[[pd.Series], Places]:
    """Return a function from a column of ids to the nodes' places, -1 where there is no such node."""
    if isinstance(ids[0], str):
        words = pd.Index(ids)
        return lambda column: words.get_indexer(column.astype(str).str.strip())
    numbers = np.array(ids)
    count, known = len(ids), pd.Index(numbers)
    if (numbers == np.arange(count)).all():
        return lambda column: _within(_whole(column), count)
    return lambda column: known.get_indexer(_whole(column))


def _whole(column: pd.Series) -> Places:
    """Return a column as whole numbers; what is not written as one becomes one that no id is."""
    if pd.api.types.is_integer_dtype(column) and not column.hasnans:
        numbers: Places = column.to_numpy(np.int64)
        return numbers
    words = column.astype(str).str.strip()
    good = words.str.fullmatch(WHOLE).to_numpy(bool)
    found = np.full(len(words), np.iinfo(np.int64).min)
    found[good] = words[good].str.replace(r"\.0+$", "", regex=True).astype(np.int64)
    return found


def _within(places: Places, count: int) -> Places:
    return np.where((places >= 0) & (places < count), places, -1)
