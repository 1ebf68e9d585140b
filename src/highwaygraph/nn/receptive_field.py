"""Restrict a network's operators to the nodes that the logits of some target nodes depend on."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array

from highwaygraph.nn.operators import Indices


class Hop(NamedTuple):
    """The operators of one layer, from its source nodes to its target nodes."""

    operators: tuple[csr_array, ...]
    root: Indices
    """Positions of the target nodes among the source nodes."""


def restrict(operators: Sequence[csr_array], layers: int, targets: Indices | None) -> tuple[list[Hop], Indices | None]:
    """Return every layer's operators restricted to the receptive field of the targets.

    Args:
        operators: The matrices that each layer multiplies with, first to last.
        layers: The number of layers.
        targets: The nodes whose logits are computed; None means all.

    Returns:
        The hops, first layer first, and the nodes whose features the first layer reads; None means all.
    """
    if targets is None:
        return [Hop(tuple(operators), np.arange(operators[0].shape[1]))] * layers, None
    hops: list[Hop] = []
    nodes = targets
    while len(hops) < layers:
        layer_targets = nodes
        hop, nodes = _restrict_layer(operators, layer_targets)
        # Once no layer reaches further nodes, all layers before it are the same.
        saturated = np.array_equal(nodes, layer_targets)
        hops = [hop] * (layers - len(hops) if saturated else 1) + hops
    return hops, nodes


def _restrict_layer(operators: Sequence[csr_array], targets: Indices) -> tuple[Hop, Indices]:
    nodes = targets
    restricted: list[csr_array] = []
    for index, operator in reversed(list(enumerate(operators))):
        rows = operator[nodes]
        # The source nodes include the targets: SAGE, GAT and GCNII read their rows beside their neighbours'.
        nodes = np.unique(rows.indices) if index else np.union1d(rows.indices, targets)
        restricted.insert(0, select_columns(rows, nodes))
    return Hop(tuple(restricted), np.searchsorted(nodes, targets)), nodes


def select_columns(matrix: csr_array, columns: Indices) -> csr_array:
    """Return the matrix with these sorted columns only, which contain all its entries."""
    indices = np.searchsorted(columns, matrix.indices)
    return csr_array((matrix.data, indices, matrix.indptr), shape=(matrix.shape[0], len(columns)))
