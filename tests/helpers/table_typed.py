"""Typed tables: Parquet files, pandas tables and NetworkX graphs with the values that cells of text mean."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from tests.helpers.table_meaning import Meaning, is_whole, meaning, words
from tests.helpers.table_truth import Truth

Cells = dict[str, list[str]]
SMALL = 2**53


def values(table: Cells, keys: tuple[str, ...]) -> dict[str, Meaning]:
    """Return the kind and the values of every column; those of keys are of kind whole or words."""
    return {name: _key(words(cells)) if name in keys else meaning(cells) for name, cells in table.items()}


def _key(cells: list[str | None]) -> Meaning:
    return Meaning("whole" if is_whole({cell for cell in cells if cell is not None}) else "words", cells)


def _keys(truth: Truth) -> tuple[tuple[str, ...], tuple[str, str]]:
    """Return the columns of keys in the nodes and in the edges."""
    return (truth.id, truth.label, truth.split), truth.ends


def _text(column: Meaning, cells: list[str]) -> list[str | None]:
    keys = column.values if column.kind in ("whole", "words") else [cell.strip() or None for cell in cells]
    return list(keys)


def _arrow(column: Meaning, cells: list[str], how: str, rng: random.Random) -> pa.Array:
    """Return an Arrow array of a column."""
    if how != "typed":
        array = pa.array(_text(column, cells), pa.large_string() if how == "large" else pa.string())
        return array.dictionary_encode() if how == "dictionary" else array
    match column.kind:
        case "whole":
            return _whole(column.values, rng)
        case "number":
            return pa.array(column.values, rng.choice((pa.float64(), pa.float64(), _integers(column.values))))
        case "flag":
            return pa.array(column.values, pa.bool_())
        case "date" if all(value is None or value == int(value) for value in column.values):
            return pa.array([None if v is None else int(v) for v in column.values], pa.int32()).cast(pa.date32())
        case "date":
            micros = [None if value is None else round(value * 86400 * 10**6) for value in column.values]
            return pa.array(micros, pa.int64()).cast(pa.timestamp("us"))
        case "vector" if all(value is not None for value in column.values):
            return pa.array(column.values, pa.list_(pa.float64()))
        case "list":
            return pa.array(column.values, pa.list_(pa.string()))
    return pa.array(_text(column, cells), pa.string())


def _whole(keys: list[str | None], rng: random.Random) -> pa.Array:
    numbers = [None if key is None else int(key) for key in keys]
    known = [abs(number) for number in numbers if number is not None]
    if max(known, default=0) >= 2**63:
        return pa.array(keys, pa.string())
    as_float = max(known, default=0) < SMALL and rng.random() < 0.4
    return pa.array(numbers, pa.float64() if as_float else pa.int64())


def _integers(numbers: list[float | None]) -> pa.DataType:
    fits = all(number is None or (number == int(number) and abs(number) < SMALL) for number in numbers)
    return pa.int64() if fits else pa.float64()


def _parquet(how: str) -> Callable[..., tuple[Any, Any]]:
    def write(truth: Truth, nodes: Cells, edges: Cells, folder: Path, rng: random.Random) -> tuple[Any, Any]:
        for name, table, keys in zip(("nodes", "edges"), (nodes, edges), _keys(truth), strict=True):
            meant = values(table, keys)
            arrays = {key: _arrow(meant[key], cells, how, rng) for key, cells in table.items()}
            pq.write_table(pa.table(arrays), folder / f"{name}.parquet")
        return folder, None

    return write


def _pandas(how: str) -> Callable[..., tuple[Any, Any]]:
    def write(truth: Truth, nodes: Cells, edges: Cells, folder: Path, rng: random.Random) -> tuple[Any, Any]:
        one, other = _keys(truth)
        return _frame(values(nodes, one), nodes, how, rng), _frame(values(edges, other), edges, how, rng)

    return write


def _frame(meant: dict[str, Meaning], table: Cells, how: str, rng: random.Random) -> pd.DataFrame:
    frame = pd.DataFrame({name: _series(meant[name], cells, how, rng) for name, cells in table.items()})
    # Positions and names of rows differ.
    frame.index = pd.Index(rng.sample(range(100, 100 + 2 * len(frame)), len(frame)))
    return frame


def _series(column: Meaning, cells: list[str], how: str, rng: random.Random) -> pd.Series:
    text = pd.Series(_text(column, cells), dtype=object)
    if how == "objects":
        return text.where(text.notna(), rng.choice((None, np.nan, pd.NA)))
    if how == "categorical":
        return text.astype("category")
    if column.kind == "date":
        return pd.Series([None if v is None else _moment(v) for v in column.values], dtype=object)
    if column.kind in ("list", "vector"):
        return pd.Series(column.values, dtype=object)
    # Whole numbers with a gap are floats otherwise, which 18 digits do not fit in.
    nullable = column.kind == "whole" or rng.random() < 0.5
    return _arrow(column, cells, "typed", rng).to_pandas(types_mapper=_nullable if nullable else None)


def _nullable(kind: pa.DataType) -> Any:
    return {pa.int64(): pd.Int64Dtype(), pa.float64(): pd.Float64Dtype(), pa.bool_(): pd.BooleanDtype()}.get(kind)


def _moment(days: float) -> datetime:
    return datetime(1970, 1, 1) + timedelta(days=days)


def _network(truth: Truth, nodes: Cells, edges: Cells, folder: Path, rng: random.Random) -> tuple[Any, Any]:
    """Return a NetworkX graph; a gap is an attribute that is not there."""
    graph: Any = nx.Graph()
    meant = values(nodes, _keys(truth)[0])
    keys = meant.pop(truth.id)
    whole = keys.kind == "whole"
    names = [int(key) if whole else key for key in keys.values]
    graph.add_nodes_from(names)
    for name, column in meant.items():
        for node, value in zip(names, _plain(column, nodes[name]), strict=True):
            if value is not None:
                graph.nodes[node][name] = value
    for number, (one, other) in enumerate(truth.edges):
        ends = (int(one), int(other)) if whole else (one, other)
        graph.add_edge(*ends, **({"weight": float(truth.weights[number])} if truth.weight else {}))
    return graph, None


def _plain(column: Meaning, cells: list[str]) -> list[Any]:
    if column.kind in ("whole", "words"):
        return list(column.values)
    return _text(column, cells) if column.kind in ("date", "list", "vector") else list(column.values)


def _graphml(truth: Truth, nodes: Cells, edges: Cells, folder: Path, rng: random.Random) -> tuple[Any, Any]:
    graph, _ = _network(truth, nodes, edges, folder, rng)
    nx.write_graphml(graph, folder / "graph.graphml")
    return folder / "graph.graphml", None


PARQUET = {
    "parquet-strings": _parquet("strings"),
    "parquet-large": _parquet("large"),
    "parquet-dictionary": _parquet("dictionary"),
    "parquet-typed": _parquet("typed"),
}
PANDAS = {
    "pandas-objects": _pandas("objects"),
    "pandas-categorical": _pandas("categorical"),
    "pandas-typed": _pandas("typed"),
}
GRAPHS = {"networkx": _network, "graphml": _graphml}
