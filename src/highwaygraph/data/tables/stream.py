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
from highwaygraph.data.tables.build import infer_roles
from highwaygraph.data.tables.edge_columns import describe_edge_columns, edge_columns
from highwaygraph.data.tables.edge_rows import relation_names, sorted_names
from highwaygraph.data.tables.edges import EdgeRules, note_repeated
from highwaygraph.data.tables.encoders import Encoder
from highwaygraph.data.tables.files import edges_beside, find_tables, read_chunks, read_columns, read_header
from highwaygraph.data.tables.nodes import FeatureEncoder, NodeKeys, describe_columns, infer_encoders, read_keys
from highwaygraph.data.tables.read_log import ReadLog
from highwaygraph.data.tables.roles import ENDS_TRIED
from highwaygraph.data.tables.schema import ColumnRoles
from highwaygraph.data.tables.text_models import TextModel
from highwaygraph.data.tables.tidy import tidy_frame
from highwaygraph.data.tables.typed import find_typed_tables
from highwaygraph.errors import DataError
from highwaygraph.graph.validate import MASKS


class TableStream(NamedTuple):
    """Nodes and edges of two tables, read while they are written to disk."""

    nodes: Nodes
    edges: Iterable[EdgeChunk]
    on_repeated: Callable[[int, list[tuple[int, int]], bool], None]
    """Takes the number of repeated edges, the first of them, and whether edges have weights."""


def stream_tables(
    path: Path, edges: Path | None, names: ColumnRoles, log: ReadLog, text: TextModel | None = None
) -> TableStream:
    """Return the nodes and the edges of two tables as streams."""
    if names.label_separator:
        raise _several_labels()
    if path.is_dir():
        if find_typed_tables(path) is not None:
            raise DataError("Several node types are not supported on disk: train on the folder, without converting.")
        found = find_tables(path)
        if found is None:
            raise DataError(f"{path} holds no graph: nodes.csv and edges.csv (or such) are expected in it.")
        path, edges = found[0], edges or found[1]
    edges = edges or edges_beside(path)
    nodes, roles = stream_nodes(path, edges, names, log, text)
    nodes = nodes._replace(relations=_relations(edges, roles))
    ids = nodes.ids or []

    def on_repeated(count: int, pairs: list[tuple[int, int]], weighted: bool) -> None:
        note_repeated(log, count, pairs, ids, weighted=weighted)

    return TableStream(nodes, stream_edges(edges, ids, log, roles, nodes.relations), on_repeated)


def _several_labels() -> DataError:
    return DataError("A converted graph is not supported for several labels per node: load the tables instead.")


def stream_nodes(
    path: Path, edges: Path, names: ColumnRoles, log: ReadLog, text: TextModel | None = None
) -> tuple[Nodes, ColumnRoles]:
    """Return the nodes of a table, with their features as a stream; encoders are inferred from the first chunk."""
    roles, read = _roles(path, edges, names, log)
    keys = read_keys(read([name for name in (roles.id, roles.label, roles.split) if name]), roles, None, log)
    if keys.label_separator:
        raise _several_labels()
    head, rows = _first_chunk(path, keys.kept)
    encoders = infer_encoders(head, roles, log, text)
    describe_columns(list(head.columns), roles, encoders, keys, log)
    log.find(
        "rows outside the first chunk",
        (),
        len(keys.kept) - (rows.stop - rows.start) if encoders else 0,
        f"encoders were inferred from rows {rows.start + 1:,} to {rows.stop:,} only; hg.load infers them from all",
    )
    part = np.zeros(len(keys.ids), dtype=np.int8)
    for number, name in enumerate(MASKS, 1):
        if name in keys.masks:
            part[keys.masks[name].numpy()] = number
    first = FeatureEncoder(encoders).apply(head.head(1))
    width, features = (0, None) if first is None else (first.size(1), _features(path, encoders, keys, log))
    nodes = Nodes(
        len(keys.ids), width, features, keys.y.numpy(), part, keys.ids, keys.classes, encoders, roles._asdict()
    )
    return nodes, roles


def stream_edges(
    path: Path, ids: list[Any], log: ReadLog, names: ColumnRoles, relations: list[str] | None = None
) -> Iterator[EdgeChunk]:
    """Yield the edges between known nodes; the log is written after the last chunk."""
    rules = EdgeRules(ids, describe_edge_columns(read_header(path), names, ids, log), relations or ())
    for chunk in read_chunks(path):
        yield EdgeChunk(*rules.apply(tidy_frame(chunk)))
    rules.report(log)


def _relations(edges: Path, names: ColumnRoles) -> list[str] | None:
    """Return the names of the edge types, from a first pass over the edges."""
    if not names.edge_type:
        return None
    found: set[str] = set()
    for chunk in read_chunks(edges):
        found |= relation_names(chunk[edge_columns(list(chunk.columns), names).edge_type])
    return sorted_names(found)


def _roles(
    path: Path, edges: Path, names: ColumnRoles, log: ReadLog
) -> tuple[ColumnRoles, Callable[[list[str]], pd.DataFrame]]:
    """Return the roles of the columns of the nodes, and a function that reads columns of theirs once."""
    cache: dict[str, pd.Series] = {}

    def read(columns: list[str]) -> pd.DataFrame:
        new = [name for name in columns if name not in cache]
        cache.update(tidy_frame(read_columns(path, new)).items() if new else ())
        return pd.DataFrame({name: cache[name] for name in columns})

    with closing(read_chunks(edges)) as chunks:
        first = _first_rows(chunks, ENDS_TRIED)
    return infer_roles(read_header(path), lambda name: read([name])[name], first, names, log), read


def _first_rows(chunks: Iterable[pd.DataFrame], count: int) -> pd.DataFrame:
    """Return the first chunks that hold that many rows together, or all of them."""
    found: list[pd.DataFrame] = []
    for chunk in chunks:
        found.append(chunk)
        if sum(map(len, found)) >= count:
            break
    return pd.concat(found, ignore_index=True)


def _first_chunk(path: Path, kept: NDArray[np.bool_]) -> tuple[pd.DataFrame, slice]:
    """Return the nodes of the first chunk that has any, and the rows of that chunk."""
    start = 0
    with closing(read_chunks(path)) as chunks:
        for chunk in chunks:
            rows = slice(start, start + len(chunk))
            nodes = chunk[kept[rows]]
            start = rows.stop
            if len(nodes):
                return tidy_frame(nodes.reset_index(drop=True)), rows
    raise AssertionError("some row was kept")


def _features(path: Path, encoders: dict[str, Encoder], keys: NodeKeys, log: ReadLog) -> Iterator[NDArray[np.float32]]:
    encoder, row = FeatureEncoder(encoders), 0
    for chunk in read_chunks(path):
        kept = tidy_frame(chunk[keys.kept[row : row + len(chunk)]])
        row += len(chunk)
        features = encoder.apply(kept)
        assert features is not None
        yield features.numpy()
    encoder.report(log)
