"""Exact removal: the logits of a node on copies of its receptive field, each without one node or one feature."""

from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor

from highwaygraph.explanation.network import NetworkView
from highwaygraph.explanation.receptive_field import Field
from highwaygraph.graph.edge_values import values_by_name
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.batches import batch_builder, evaluate
from highwaygraph.nn.features import prepare_features

# Entries of the features and of the edges of all copies that are evaluated at once.
MOST_ENTRIES = 2**22


class _Copies(NamedTuple):
    """Copies of a subgraph side by side, without edges between them."""

    graph: Graph
    rows: Int[Tensor, "r"]
    """The node of the subgraph that every node is."""
    copy: Int[Tensor, "r"]
    """The copy that every node belongs to."""
    targets: Int[Tensor, "k"]
    """The explained node in every copy."""


def logits_without_nodes(view: NetworkView, field: Field, removed: Int[Tensor, "k"]) -> Float[Tensor, "k c"]:
    """Return the logits of the explained node, each without one node and its edges.

    Args:
        view: The network.
        field: The receptive field of the explained node.
        removed: Positions in the field; -1 removes nothing.

    Returns:
        A row of logits per removed node. Features keep their scaling.
    """
    if not len(removed):
        # A node without neighbours has no messages.
        return view.logits[:0]
    features = _features(view, field)
    return torch.cat(
        [_logits(view, field, features, some, None) for some in removed.split(_most_copies(field, features))]
    )


def logits_without_columns(view: NetworkView, field: Field, columns: Int[Tensor, "k"]) -> Float[Tensor, "k c"]:
    """Return the logits of the explained node, each with zeros in one column of the scaled features.

    Args:
        view: The network.
        field: The receptive field of the explained node.
        columns: Columns of the features.

    Returns:
        A row of logits per column.
    """
    if not len(columns):
        return view.logits[:0]
    features = _features(view, field)
    chunks = columns.split(_most_copies(field, features))
    return torch.cat([_logits(view, field, features, torch.full_like(some, -1), some) for some in chunks])


def _features(view: NetworkView, field: Field) -> Tensor | csr_array:
    features = prepare_features(view.model, field.graph, view.unscaled)
    assert isinstance(features, Tensor | csr_array)
    return features


def _most_copies(field: Field, features: Tensor | csr_array) -> int:
    if field.is_whole:
        # The network may depend on all nodes, for example by a norm over the graph: copies would change that.
        return 1
    entries = features.numel() if isinstance(features, Tensor) else features.nnz
    return max(MOST_ENTRIES // max(entries, field.graph.edge_index.size(1), 1), 1)


def _logits(
    view: NetworkView, field: Field, features: Tensor | csr_array, removed: Tensor, columns: Tensor | None
) -> Tensor:
    copies = _copies(field, removed)
    rows = features[copies.rows] if isinstance(features, Tensor) else features[copies.rows.numpy()]
    if columns is not None:
        rows = _without_columns(rows, columns[copies.copy])
    batch = batch_builder(view.model, rows, copies.graph)(copies.targets)
    return evaluate(view.model, batch)


def _without_columns(rows: Tensor | csr_array, column: Int[Tensor, "r"]) -> Tensor | csr_array:
    """Return the rows with a zero in the column that is given for each; the rows are a copy already."""
    if isinstance(rows, Tensor):
        return rows.scatter(1, column[:, None], 0.0)
    of_entry = np.repeat(column.numpy(), np.diff(rows.indptr))
    rows.data = np.where(rows.indices == of_entry, 0, rows.data)
    return rows


def _copies(field: Field, removed: Int[Tensor, "k"]) -> _Copies:
    count, nodes, edges = len(removed), len(field.nodes), field.graph.edge_index
    kept = torch.ones(count, nodes, dtype=torch.bool)
    some = (removed >= 0).nonzero().flatten()
    kept[some, removed[some]] = False
    place = (kept.flatten().cumsum(0) - 1).view(count, nodes)
    between = kept[:, edges[0]] & kept[:, edges[1]]
    ends = torch.stack([place[:, end][between] for end in edges])
    copy, rows = kept.nonzero(as_tuple=True)
    graph = Graph(edge_index=ends, num_nodes=len(rows))
    edge = between.nonzero(as_tuple=True)[1]
    graph.update({name: value[edge] for name, value in values_by_name(field.graph).items()})
    return _Copies(graph, rows, copy, place[:, field.target])
