"""Tables larger than memory, read in chunks by the rules of `nodes` and `edges`.

Ids, labels and the split of all rows are held in memory; features and edges are read chunk by chunk. Encoders are
inferred from the first chunk.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from highwaygraph.data.mapped.external_sort import EdgeChunk
from highwaygraph.data.mapped.writer import Nodes
from highwaygraph.data.tables.edges import EdgeRules, note_repeated
from highwaygraph.data.tables.encoders import Encoder, Ignored, Number
from highwaygraph.data.tables.files import (
    edge_chunks,
    edges_beside,
    find_tables,
    read_chunks,
    read_columns,
    read_header,
)
from highwaygraph.data.tables.infer import find_roles, role_candidates
from highwaygraph.data.tables.nodes import NodeKeys, describe_columns, encode_features, infer_encoders, read_keys
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.schema import ColumnRoles
from highwaygraph.errors import DataError
from highwaygraph.graph.validate import MASKS


class TableStream(NamedTuple):
    """Nodes and edges of two tables, read while they are written to disk."""

    nodes: Nodes
    edges: Iterable[EdgeChunk]
    on_repeated: Callable[[int, list[tuple[int, int]], bool], None]
    """Takes the number of repeated edges, the first of them, and whether edges have weights."""


def stream_tables(path: Path, edges: Path | None, names: ColumnRoles, log: ReadLog) -> TableStream:
    """Return the nodes and the edges of two tables as streams."""
    if path.is_dir():
        found = find_tables(path)
        if found is None:
            raise DataError(f"{path} holds no graph: nodes.csv and edges.csv (or such) are expected in it.")
        path, edges = found[0], edges or found[1]
    nodes = stream_nodes(path, names, log)
    ids = nodes.ids or []

    def on_repeated(count: int, pairs: list[tuple[int, int]], weighted: bool) -> None:
        note_repeated(log, count, pairs, ids, weighted=weighted)

    return TableStream(nodes, stream_edges(edges or edges_beside(path), ids, log), on_repeated)


def stream_nodes(path: Path, names: ColumnRoles, log: ReadLog) -> Nodes:
    """Return the nodes of a table, with their features as a stream; encoders are inferred from the first chunk."""
    header = read_header(path)
    columns = read_columns(path, (names.id,), role_candidates(header, names))
    roles = find_roles(header, columns, names)
    keys = read_keys(columns, roles, None, log)
    head, rows = _first_chunk(path, names, keys.kept)
    encoders = infer_encoders(head, roles)
    describe_columns(head, roles, encoders, keys, log)
    log.find(
        "rows outside the first chunk",
        (),
        # Rows that are left out count too: in hg.load they decide on the type of a column.
        len(keys.kept) - (rows.stop - rows.start) if encoders else 0,
        f"encoders were inferred from rows {rows.start + 1:,} to {rows.stop:,} only; hg.load infers them from all",
    )
    part = np.zeros(len(keys.ids), dtype=np.int8)
    for number, name in enumerate(MASKS, 1):
        if name in keys.masks:
            part[keys.masks[name].numpy()] = number
    first = encode_features(head.head(1), encoders)
    width, features = (0, None) if first is None else (first.size(1), _features(path, names, encoders, keys))
    return Nodes(len(keys.ids), width, features, keys.y.numpy(), part, keys.ids, keys.classes, encoders)


def stream_edges(path: Path, ids: list[Any], log: ReadLog) -> Iterator[EdgeChunk]:
    """Yield the edges between known nodes; the log is written after the last chunk."""
    rules = EdgeRules(ids)
    for chunk in edge_chunks(path):
        yield EdgeChunk(*rules.apply(chunk))
    rules.report(log)


def _first_chunk(path: Path, names: ColumnRoles, kept: NDArray[np.bool_]) -> tuple[pd.DataFrame, slice]:
    """Return the nodes of the first chunk that has any, and the rows of that chunk."""
    start = 0
    with closing(read_chunks(path, (names.id,))) as chunks:
        for chunk in chunks:
            rows = slice(start, start + len(chunk))
            nodes = chunk[kept[rows]]
            start = rows.stop
            if len(nodes):
                return nodes.reset_index(drop=True), rows
    raise AssertionError("some row was kept")


def _features(
    path: Path, names: ColumnRoles, encoders: dict[str, Encoder], keys: NodeKeys
) -> Iterator[NDArray[np.float32]]:
    # Read as text, because the type that pandas infers for a column may differ from chunk to chunk.
    text = [name for name, encoder in encoders.items() if not isinstance(encoder, Number | Ignored)]
    row = 0
    for chunk in read_chunks(path, (names.id, *text), lists=False):
        kept = chunk[keys.kept[row : row + len(chunk)]]
        row += len(chunk)
        features = encode_features(kept, encoders)
        assert features is not None
        yield features.numpy()
