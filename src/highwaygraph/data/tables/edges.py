"""A table of edges: two columns of ids, perhaps a weight, and whatever else people put into such tables."""

from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import torch
from numpy.typing import NDArray
from torch import Tensor

from highwaygraph.data.tables.read_log import FIRST, ReadLog, quote_list
from highwaygraph.errors import DataError

ENDS = (("source", "target"), ("src", "dst"), ("from", "to"), ("u", "v"), ("node1", "node2"), ("head", "tail"))


WEIGHTS = ("weight", "w", "edge_weight")


WHOLE = r"(?:0|-?[1-9]\d{0,15})(?:\.0+)?"


class Links(NamedTuple):
    """Edges in both directions, once each, with their weights where there is such a column."""

    edge_index: Tensor
    weight: Tensor | None


def read_links(edges: pd.DataFrame, ids: list[Any], reading: ReadLog) -> Links:
    """Return the edges between known nodes, noting what is left out or merged."""
    one, other, column = edge_columns(edges)
    place = {str(node): i for i, node in enumerate(ids)}
    ends = np.stack([_places(edges[end], place) for end in (one, other)])
    weight = np.ones(len(edges)) if column is None else _numbers(edges[column], reading)
    unknown, loops = np.any(ends < 0, axis=0), ends[0] == ends[1]
    _note(reading, "edges to ids that no node has", edges[[one, other]], unknown, "left out")
    _note(reading, "edges from a node to itself", edges[[one, other]], loops & ~unknown, "left out")
    if len(edges) and unknown.all():
        example = " - ".join(str(end) for end in edges[[one, other]].iloc[0])
        raise DataError(
            f"None of the {len(edges):,} edges joins two known nodes (first: {example}): check both tables' ids."
        )
    kept = ~unknown & ~loops & np.isfinite(weight)
    once, first, group = _merge(ends[:, kept], len(ids))
    again = np.ones(int(kept.sum()), dtype=bool)
    again[first] = False
    done = "each pair is kept once" + ("" if column is None else ", with the mean of its weights")
    _note(reading, "edges that came before, in this or the other direction", edges[[one, other]][kept], again, done)
    both = torch.from_numpy(np.concatenate([once, once[::-1]], axis=1))
    if column is None:
        return Links(both, None)
    mean = np.bincount(group, weight[kept], minlength=once.shape[1]) / np.bincount(group, minlength=once.shape[1])
    return Links(both, torch.from_numpy(np.concatenate([mean, mean]).astype(np.float32)))


def edge_columns(edges: pd.DataFrame) -> tuple[Any, Any, Any]:
    """Return the columns of both ends and of the weight, None where there is none."""
    lower = {str(name).strip().lower(): name for name in reversed(list(edges.columns))}
    return *_ends(edges, lower), next((lower[name] for name in WEIGHTS if name in lower), None)


def clean_ids(column: pd.Series) -> pd.Series:
    """Return ids as whole numbers where all are written so, else as words without the space around them."""
    words = column.astype(str).str.strip()
    # 007 is a name; 7.0 is what a gap elsewhere in the column makes of 7.
    if words.str.fullmatch(WHOLE).all():
        return words.str.replace(r"\.0+$", "", regex=True).astype("int64").astype(object)
    return words.astype(object)


def _ends(edges: pd.DataFrame, lower: dict[str, Any]) -> tuple[Any, Any]:
    for one, other in ENDS:
        if one in lower and other in lower:
            return lower[one], lower[other]
    if len(edges.columns) < 2:
        raise DataError(f"The table of edges needs two columns of ids: it has {quote_list(edges.columns)}.")
    return edges.columns[0], edges.columns[1]


def _places(column: pd.Series, place: dict[str, int]) -> NDArray[np.int64]:
    known = column.notna()
    found = np.full(len(column), -1, dtype=np.int64)
    found[known.to_numpy()] = [place.get(str(value), -1) for value in clean_ids(column[known])]
    return found


def _numbers(column: pd.Series, reading: ReadLog) -> NDArray[np.float64]:
    weight: NDArray[np.float64] = pd.to_numeric(column, errors="coerce").to_numpy(dtype=np.float64, na_value=np.nan)
    bad = ~np.isfinite(weight)
    reading.find(f"edges whose {column.name} is no number", column[bad].head(FIRST), int(bad.sum()), "left out")
    return weight


def _merge(ends: NDArray[np.int64], nodes: int) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return every pair once, where each was seen first, and the pair that each edge belongs to."""
    low, high = np.sort(ends, axis=0)
    keys, first, group = np.unique(low * nodes + high, return_index=True, return_inverse=True)
    return np.stack([keys // nodes, keys % nodes]), first, group


def _note(reading: ReadLog, what: str, ends: pd.DataFrame, mask: NDArray[np.bool_], done: str) -> None:
    first = ends[mask].head(FIRST)
    reading.find(what, (f"{a} - {b}" for a, b in first.itertuples(index=False)), int(mask.sum()), done)
