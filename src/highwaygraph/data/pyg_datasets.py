"""Datasets of PyG and OGB, and objects with the same interface, as graphs."""

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Data

from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph, as_graph


def is_dataset(source: Any) -> bool:
    """Return whether an object is a sequence whose first item is a graph."""
    return (
        hasattr(source, "__getitem__")
        and hasattr(source, "__len__")
        and not isinstance(source, Mapping | str)
        and (hasattr(source, "get_idx_split") or _is_graph(_first(source)))
    )


def from_dataset(dataset: Any) -> Graph:
    """Return the one graph of a dataset, with the split that comes with it."""
    if len(dataset) != 1:
        raise DataError(f"The dataset has {len(dataset)} graphs: pass the one to train on, as dataset[0].")
    item = _first(dataset)
    data = copy.copy(as_graph(item)) if isinstance(item, Data) else _from_pair(*item)
    if hasattr(dataset, "get_idx_split"):
        data = _with_split(data, dataset.get_idx_split())
    if data.name is None and isinstance(getattr(dataset, "name", None), str):
        data.name = dataset.name
    return data


def _first(dataset: Any) -> Any:
    try:
        return dataset[0]
    except (IndexError, KeyError, TypeError):
        return None


def _is_graph(item: Any) -> bool:
    return isinstance(item, Data) or (isinstance(item, tuple) and len(item) == 2 and isinstance(item[0], Mapping))


def _from_pair(graph: Mapping[str, Any], labels: Any) -> Graph:
    """Return an OGB graph, which is a mapping of arrays beside its labels."""
    if graph.get("node_feat") is None:
        raise DataError("The graph has no node_feat: give its nodes features first.")
    tensors = {k: torch.from_numpy(np.asarray(graph[v])) for k, v in (("x", "node_feat"), ("edge_index", "edge_index"))}
    return Graph(**tensors, y=torch.from_numpy(np.asarray(labels)))


def _with_split(data: Graph, parts: Mapping[str, Any]) -> Graph:
    """Return the graph with masks from OGB's indices of nodes by part."""
    data = data.clone()
    for name, part in (("train", "train"), ("val", "valid"), ("test", "test")):
        mask = torch.zeros(len(data.x), dtype=torch.bool)
        place = parts[part]
        mask[place if isinstance(place, Tensor) else torch.from_numpy(np.asarray(place))] = True
        data[f"{name}_mask"] = mask
    return data
