"""Datasets of PyG and OGB, and objects with the same interface, as graphs."""

import copy
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch_geometric.data import Batch, Data, HeteroData

from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph, as_graph
from highwaygraph.graph.many_graphs import join_graphs, refuse_joining_edges
from highwaygraph.graph.validate import validate


def is_dataset(source: Any) -> bool:
    """Return whether an object is a sequence whose first item is a graph."""
    return (
        hasattr(source, "__getitem__")
        and hasattr(source, "__len__")
        and not isinstance(source, Mapping | str)
        and (hasattr(source, "get_idx_split") or _is_graph(_first(source)))
    )


def refuse_hetero_list(source: Any) -> None:
    """Refuse a list or dataset of HeteroData."""
    if isinstance(source, str | Mapping) or not hasattr(source, "__getitem__") or not hasattr(source, "__len__"):
        return
    if isinstance(_first(source), HeteroData):
        raise DataError(
            f"A list or dataset of HeteroData ({len(source)} here) is not supported: give one HeteroData, as in "
            "hg.load(dataset[0]), and train once per graph."
        )


def from_data(data: Data) -> Graph:
    """Return a PyG Data as a graph; its `batch`, the graph of every node in PyG, becomes `graph_id`."""
    if isinstance(data, Batch):
        return join_graphs([as_graph(one) for one in data.to_data_list()])
    if data.get("batch") is None or data.get("graph_id") is not None:
        return validate(data)
    graph = copy.copy(as_graph(data))
    graph.graph_id = graph["batch"]
    del graph["batch"]
    graph = validate(graph)
    refuse_joining_edges(graph)
    return graph


def from_dataset(dataset: Any) -> Graph:
    """Return the graph of a dataset, with the split that comes with it; the disjoint union where it has several."""
    graphs = [_graph(dataset[place]) for place in range(len(dataset))]
    if len(graphs) > 1:
        return _named(join_graphs(graphs), dataset)
    (data,) = graphs
    if hasattr(dataset, "get_idx_split"):
        data = _with_split(data, dataset.get_idx_split())
    return _named(validate(data), dataset)


def _named(data: Graph, dataset: Any) -> Graph:
    """Return the graph with the name of its dataset, where it has none of its own."""
    if data.name is None and isinstance(getattr(dataset, "name", None), str):
        data.name = dataset.name
    return data


def _graph(item: Any) -> Graph:
    if not _is_graph(item):
        raise DataError(f"A list of graphs holds PyG Data only, not {type(item).__name__}.")
    return copy.copy(as_graph(item)) if isinstance(item, Data) else _from_pair(*item)


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
