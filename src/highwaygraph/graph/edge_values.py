"""Values per edge, which are weights, features and types, and those that a highway has."""

import copy
from collections.abc import Collection

import torch
from torch import Tensor

from highwaygraph.errors import DataError
from highwaygraph.graph.csr import CSR
from highwaygraph.graph.graph import EDGE_VALUES, Graph

# Rows of edge features that are read at once.
CHUNK_ROWS = 2**20


def values_by_name(graph: Graph) -> dict[str, Tensor]:
    """Return the values that the graph's own edges have, from its edge_index or its CSR adjacency."""
    if graph.has_edge_index:
        return {name: graph[name] for name in EDGE_VALUES if graph.get(name) is not None}
    assert graph.csr is not None
    return graph.csr.values


def highway_values(graph: Graph) -> dict[str, Tensor]:
    """Return the values of every highway: weight 1, the mean of all edges' features, and the most frequent type.

    Args:
        graph: The graph, whose edges have such values or not.

    Returns:
        The values by name, for those that the graph's edges have; where the graph carries them already, these.
    """
    if graph.highway_values is not None:
        return graph.highway_values
    values = values_by_name(graph)
    found = {"edge_weight": torch.ones(())} if "edge_weight" in values else {}
    if "edge_attr" in values:
        found["edge_attr"] = _mean(values["edge_attr"])
    if "edge_type" in values:
        found["edge_type"] = _most_frequent(values["edge_type"])
    return found


def with_highway_values(graph: Graph, like: Graph | None = None) -> Graph:
    """Return the graph with the values of highways fixed.

    Args:
        graph: The graph.
        like: The graph that the values are computed from, where it is another one.

    Returns:
        A shallow copy, or the graph itself where edges have no values.
    """
    values = highway_values(graph if like is None else like)
    if not values:
        return graph
    fixed = copy.copy(graph)
    fixed.highway_values = values
    return fixed


def keep_values(graph: Graph, names: Collection[str]) -> Graph:
    """Return the graph without the edge features and edge types that are not named; weights stay."""
    unused = {"edge_attr", "edge_type"} - set(names)
    if not unused & set(values_by_name(graph)):
        return graph
    kept = copy.copy(graph)
    for name in unused & set(graph.keys()):
        del kept[name]
    if graph.csr is not None:
        rowptr, col, weight, attr, types = graph.csr
        kept.csr = CSR(
            rowptr, col, weight, attr if "edge_attr" in names else None, types if "edge_type" in names else None
        )
    return kept


def refuse_other_values(graph: Graph, trained: Graph, names: Collection[str]) -> None:
    """Refuse edge types, and numbers of edge features, that the graph of a training has not.

    Args:
        graph: The graph to predict.
        trained: The graph of the training.
        names: The values that the model takes.
    """
    new, old = values_by_name(graph), values_by_name(trained)
    if "edge_type" in names and "edge_type" in new and "edge_type" in old:
        known = max(int(torch.bincount(old["edge_type"]).numel()), len(trained.relations or ()))
        beyond = int((new["edge_type"] >= known).sum())
        if beyond:
            raise DataError(
                f"{beyond} of {len(new['edge_type'])} edges have a type beyond 0 to {known - 1} of the training: "
                "predicting with other edge types is not supported; leave out these edges, or train with them."
            )
    if "edge_attr" in names and "edge_attr" in new and "edge_attr" in old:
        shapes = [tuple(values["edge_attr"].shape[1:]) for values in (new, old)]
        if shapes[0] != shapes[1]:
            raise DataError(
                f"The edges have features of shape {shapes[0]}, but {shapes[1]} in the training: give the same columns."
            )


def _mean(rows: Tensor) -> Tensor:
    """Return the mean row, of features that may be on disk."""
    total = sum((chunk.double().sum(dim=0) for chunk in rows.split(CHUNK_ROWS)), torch.zeros(rows.shape[1:]).double())
    return (total / max(len(rows), 1)).to(rows.dtype)


def _most_frequent(types: Tensor) -> Tensor:
    """Return the type of the most edges, the smallest of several, 0 without edges."""
    return torch.bincount(types, minlength=1).argmax()
