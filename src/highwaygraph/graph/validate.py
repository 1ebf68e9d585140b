"""Validation of every graph before it is trained on."""

import copy
from collections.abc import Iterable
from itertools import combinations
from typing import Any

import torch
from torch import Tensor
from torch_geometric.data import Data

from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph, as_graph
from highwaygraph.graph.multilabel import labelled_mask, validate_label_rows
from highwaygraph.graph.quantities import NO_REGRESSION, refuse_floats

MASKS = ("train_mask", "val_mask", "test_mask")
"""The three masks of a split, by PyG's names."""


_NEEDED = {
    "x": "one row of features per node",
    "edge_index": "the edges as two rows of node numbers",
    "y": "one class number per node, -1 where it is unknown",
}


def validate_labels(data: Data) -> Tensor:
    """Return the labels as integers, one per node or one row per node, -1 where unknown."""
    y = dense_tensor(as_graph(data), "y")
    # A single number has no length.
    return _labels(y, len(y) if y.dim() else 1)


def validate(data: Data) -> Graph:
    """Return a shallow copy that is ready for training, or raise a DataError that names the fault and the remedy."""
    graph = copy.copy(as_graph(data))
    if graph.csr is not None and not graph.has_edge_index:
        # Features and edges were checked when the folder was written; reading them all would defeat its purpose.
        return _check_nodes(graph)
    graph.x = validate_features(dense_tensor(graph, "x"))
    graph.num_nodes = len(graph.x)
    graph.edge_index = _edges(dense_tensor(graph, "edge_index"), graph.num_nodes)
    graph = _check_nodes(graph)
    for name, check in (("edge_weight", _weights), ("edge_attr", _edge_features), ("edge_type", _edge_types)):
        if graph.get(name) is not None:
            graph[name] = check(dense_tensor(graph, name), graph.edge_index.size(1))
    if graph.edge_type is not None and graph.relations is not None:
        _check_relations(graph.edge_type, _plain(graph.relations, "relations", (str,)))
    return graph


def _check_nodes(data: Graph) -> Graph:
    data.y = _labels(dense_tensor(data, "y"), data.num_nodes)
    _check_names(data)
    for name in MASKS:
        if getattr(data, name, None) is not None:
            data[name] = _mask(dense_tensor(data, name), name, data.y)
    _disjoint(data)
    if data.graph_id is not None:
        data.graph_id = validate_graph_ids(data)
    return data


def dense_tensor(data: Data, name: str) -> Tensor:
    """Return an attribute that has to be a tensor of numbers in memory, or refuse what it is."""
    value = getattr(data, name, None)
    if value is None and name == "edge_index" and data.get("adj_t") is not None:
        raise DataError(
            "The graph has adj_t in place of edge_index, as PyG's ToSparseTensor makes it, which is not supported: "
            "leave it out, or set data.edge_index = torch_geometric.utils.to_edge_index(data.adj_t)[0].flip(0)."
        )
    if value is None:
        raise DataError(f"The graph has no {name}: set data.{name} to {_NEEDED[name]}.")
    if not isinstance(value, Tensor) or value.layout is not torch.strided or value.is_complex() or value.is_meta:
        raise DataError(f"data.{name} must be a dense torch tensor of real numbers: convert it first.")
    if value.requires_grad:
        raise DataError(f"data.{name} requires gradients, but it is not trained: use .detach().")
    return value


def validate_features(x: Tensor, name: str = "data.x") -> Tensor:
    """Return features as floating-point numbers; refuse an empty table and numbers that are not finite."""
    if x.dim() != 2 or not len(x):
        raise DataError(f"{name} must be a table with a row per node, not of shape {tuple(x.shape)}.")
    # A finite sum shows in most cases that nothing is wrong, at a tenth of the cost.
    bad = ~x.isfinite() if not x.sum().isfinite() else x.new_zeros(0)
    if bad.any():
        raise non_finite(int(bad.sum()), x.numel(), int(bad.any(dim=1).nonzero()[0]), name)
    return x if x.is_floating_point() else x.float()


def non_finite(count: int, total: int, first: int, name: str = "data.x") -> DataError:
    """Return the error of features that are not finite numbers."""
    return DataError(f"{name} is NaN or infinite in {count} of {total} places (first: node {first}): replace them.")


def _edges(edge_index: Tensor, count: int) -> Tensor:
    if edge_index.dim() != 2 or edge_index.size(0) != 2:
        raise DataError(f"data.edge_index must have shape (2, edges), not {tuple(edge_index.shape)}.")
    if edge_index.is_floating_point() or edge_index.dtype == torch.bool:
        raise DataError(f"data.edge_index must hold integers, not {edge_index.dtype}: use .long().")
    edge_index = edge_index.long()
    bad = ((edge_index < 0) | (edge_index >= count)).any(dim=0)
    if bad.any():
        first, second = edge_index[:, bad][:, 0].tolist()
        raise DataError(
            f"data.edge_index refers to nodes that do not exist in {int(bad.sum())} of {len(bad)} edges "
            f"(first: {first} to {second}): the nodes are 0 to {count - 1}."
        )
    return edge_index


def _labels(y: Tensor, count: int) -> Tensor:
    y = _flat(y)
    if y.dim() == 2 and len(y) == count:
        return validate_label_rows(y)
    if y.shape != (count,):
        raise DataError(f"data.y must hold one class per node: its shape is {tuple(y.shape)}, not ({count},).")
    if y.is_floating_point():
        y = torch.where(y.isnan(), -1.0, y.double())
        # Beyond 2^53 a float cannot represent every whole number.
        _all_nodes((y == y.round()) & (y.abs() < 2**53), "a class that is no whole number", NO_REGRESSION)
        refuse_floats(y[y >= 0])
    y = y.long()
    _all_nodes(y >= -1, "a class below -1", "use 0, 1, 2, ... and -1 for unknown")
    return y


def _check_names(data: Graph) -> None:
    """Convert ids and class names to lists of plain integers and strings."""
    if data.ids is not None and not data.is_mapped:
        data.ids = _plain(data.ids, "ids", (int, str))
        if len(data.ids) != data.num_nodes:
            raise DataError(f"data.ids has {len(data.ids)} entries for {data.num_nodes} nodes: give one per node.")
    if data.classes is not None:
        data.classes = _plain(data.classes, "classes", (str,))
        count = len(data.classes)
        if data.is_multilabel and data.y.size(1) != count:
            raise DataError(f"data.classes has {count} names for {data.y.size(1)} labels: name every label.")
        _all_nodes(data.y < count, f"a class beyond the {count} in data.classes", "name every class")
    else:
        # A stray number would otherwise need as many outputs.
        _all_nodes(
            data.y < max(data.num_nodes, 2),
            "a class beyond the number of nodes",
            "number the classes 0, 1, 2, ...; regression is not supported",
        )


def _plain(values: Any, name: str, kinds: tuple[type, ...]) -> list[Any]:
    listed = values.tolist() if hasattr(values, "tolist") else values
    several = isinstance(listed, Iterable) and not isinstance(listed, str | bytes)
    plain: list[Any] = list(listed) if several else [None]
    if not set(map(type, plain)) <= {int, str}:
        plain = [value.item() if hasattr(value, "item") else value for value in plain]
    found = set(map(type, plain))
    if len(found) > 1 or not found <= set(kinds):
        words = " or all ".join({int: "integers", str: "strings"}[kind] for kind in kinds)
        raise DataError(f"data.{name} must be all {words}: convert the others.")
    return plain


def _mask(mask: Tensor, name: str, y: Tensor) -> Tensor:
    mask = _flat(mask)
    if mask.dim() not in (1, 2) or len(mask) != len(y):
        raise DataError(f"data.{name} must have one entry per node: its shape is {tuple(mask.shape)}.")
    if mask.dim() == 2:
        # Several splits side by side: `use_split` checks the one that it selects.
        return mask
    if mask.dtype != torch.bool and not ((mask == 0) | (mask == 1)).all():
        raise DataError(f"data.{name} must be true or false for every node, not {mask.dtype} beyond 0 and 1.")
    mask = mask.bool()
    _all_nodes(~mask | labelled_mask(y), f"a place in {name} without a label", "take unlabelled nodes out of the masks")
    return mask


def _disjoint(data: Graph) -> None:
    flat = {name: data[name] for name in MASKS if getattr(data, name, None) is not None and data[name].dim() == 1}
    for one, other in combinations(flat, 2):
        both = int((flat[one] & flat[other]).sum())
        if both:
            raise DataError(f"{one} and {other} overlap in {both} of {data.num_nodes} nodes: keep each in one of them.")


def validate_graph_ids(data: Graph) -> Tensor | None:
    """Return the number of the graph of every node, None where the data is one graph."""
    if data.graph_id is None:
        return None
    numbers, count = _flat(dense_tensor(data, "graph_id")), data.num_nodes
    if numbers.shape != (count,) or numbers.is_floating_point() or numbers.dtype == torch.bool:
        raise DataError(
            f"data.graph_id must hold one integer per node: it is {numbers.dtype} of shape {tuple(numbers.shape)}."
        )
    _all_nodes(numbers >= 0, "a negative number in graph_id", "number the graphs 0, 1, 2, ...")
    return numbers.long()


def _weights(weight: Tensor, edges: int) -> Tensor:
    if weight.shape != (edges,):
        raise DataError(f"data.edge_weight has shape {tuple(weight.shape)} for {edges} edges: give one per edge.")
    return _finite("edge_weight", weight)


def _edge_features(table: Tensor, edges: int) -> Tensor:
    if table.dim() not in (1, 2) or len(table) != edges:
        raise DataError(f"data.edge_attr has shape {tuple(table.shape)} for {edges} edges: give one row per edge.")
    return _finite("edge_attr", table)


def _finite(name: str, values: Tensor) -> Tensor:
    bad = int((~values.isfinite()).sum())
    if bad:
        raise DataError(f"data.{name} is NaN or infinite in {bad} of {values.numel()} places: replace them.")
    return values if values.is_floating_point() else values.float()


def _edge_types(types: Tensor, edges: int) -> Tensor:
    types = _flat(types)
    if types.shape != (edges,):
        raise DataError(f"data.edge_type has shape {tuple(types.shape)} for {edges} edges: give one per edge.")
    if types.is_floating_point() or types.dtype == torch.bool:
        raise DataError(f"data.edge_type must hold integers, not {types.dtype}: use .long(), or data.edge_attr.")
    if edges and int(types.min()) < 0:
        raise DataError(f"data.edge_type is negative at {int((types < 0).sum())} edges: number the types 0, 1, 2, ...")
    return types.long()


def _check_relations(types: Tensor, names: list[str]) -> None:
    beyond = int((types >= len(names)).sum())
    if beyond:
        raise DataError(
            f"data.edge_type is beyond the {len(names)} in data.relations at {beyond} edges: name every type."
        )


def _flat(column: Tensor) -> Tensor:
    return column.squeeze(1) if column.dim() == 2 and column.size(1) == 1 else column


def _all_nodes(good: Tensor, fault: str, remedy: str) -> None:
    bad = (~good).nonzero()
    if len(bad):
        raise DataError(f"There is {fault} at {len(bad)} of {len(good)} nodes (first: node {int(bad[0])}): {remedy}.")
