"""What a built-in network needs to know of a graph, prepared once: operators, and the part that some nodes see."""

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import NDArray
from scipy.sparse import csr_array
from torch import Tensor
from torch_geometric.nn.conv.gcn_conv import gcn_norm
from torch_geometric.utils import add_remaining_self_loops, add_self_loops, remove_self_loops

from highwaygraph.config import Network

Indices = NDArray[np.int64]


class Hop(NamedTuple):
    """The operators of one layer, from the nodes it reads to the nodes it writes, and the place of those it writes."""

    operators: tuple[csr_array, ...]
    root: Indices


def operators(
    network: Network,
    edge_index: Int[Tensor, "2 e"],
    edge_weight: Float[Tensor, "e"] | None,
    nodes: int,
    strength: Float[Tensor, "n"] | None = None,
) -> tuple[csr_array, ...]:
    """Return the matrices that one layer multiplies its messages with, first to last; rows are receivers.

    Of drawn surroundings, `strength` is the sum of each node's edge weights in the graph that they were drawn from.
    """
    match network.model:
        case "gcn" | "graphmix" | "grand":
            norm = gcn_norm if strength is None else partial(_drawn_norm, strength)
            edge_index, weight = norm(edge_index, edge_weight, nodes)
            return (_matrix(edge_index, weight, nodes),)
        case "sage":
            return (_scaled_rows(_matrix(edge_index, None, nodes)),)
        case "hyper":
            if network.hyperedges == "closed":
                edge_index, _ = add_remaining_self_loops(edge_index, num_nodes=nodes)
            members = _matrix(edge_index, None, nodes)
            # Drawn edges lead one way only; of an undirected graph, a node's members are those it is a member of.
            back = members if strength is not None else members.T.tocsr()
            return (_scaled_rows(members), _scaled_rows(back))
        case "gat":
            edge_index, _ = add_self_loops(remove_self_loops(edge_index)[0], num_nodes=nodes)
            return (_matrix(edge_index, None, nodes),)


def _drawn_norm(strength: Tensor, edge_index: Tensor, edge_weight: Tensor | None, nodes: int) -> tuple[Tensor, Tensor]:
    """Return GCN's weights of the whole graph, what was drawn standing for all that each receiver hears."""
    sender, receiver = edge_index
    weight = torch.ones(len(sender)) if edge_weight is None else edge_weight
    heard = torch.zeros(nodes).index_add_(0, receiver, weight)
    stands_for = torch.where(heard != 0, strength / heard, 0.0)[receiver]
    scale = (strength + 1).rsqrt()
    loops = torch.arange(nodes)
    return torch.cat([edge_index, loops.expand(2, -1)], dim=1), torch.cat(
        [weight * stands_for * scale[sender] * scale[receiver], scale.square()]
    )


def far(matrices: Sequence[csr_array], layers: int, targets: Indices | None) -> list[Hop]:
    """Return the hops of a network whose first layer sees so far that nothing is cut but its answer."""
    everything = np.arange(matrices[0].shape[1])
    wanted = everything if targets is None else targets
    return [Hop(tuple(matrices), wanted)] + [Hop((), np.arange(len(wanted)))] * (layers - 1)


def restrict(matrices: Sequence[csr_array], layers: int, targets: Indices | None) -> tuple[list[Hop], Indices | None]:
    """Return each layer's operators cut to what the targets' logits depend on, and the nodes whose features count."""
    if targets is None:
        everything = np.arange(matrices[0].shape[1])
        return [Hop(tuple(matrices), everything)] * layers, None
    hops: list[Hop] = []
    reached = targets
    for _ in range(layers):
        written = reached
        cut: list[csr_array] = []
        for place, matrix in enumerate(reversed(matrices)):
            rows = matrix[reached]
            # The receivers' own rows are kept too: SAGE and GAT read them beside the messages.
            last = place == len(matrices) - 1
            reached = np.union1d(rows.indices, written) if last else np.unique(rows.indices)
            cut.insert(0, columns(rows, reached))
        hops.insert(0, Hop(tuple(cut), np.searchsorted(reached, written)))
    return hops, reached


def columns(rows: csr_array, kept: Indices) -> csr_array:
    """Return the matrix with these columns only, which hold all its entries."""
    indices = np.searchsorted(kept, rows.indices)
    return csr_array((rows.data, indices, rows.indptr), shape=(rows.shape[0], len(kept)))


def _matrix(edge_index: Tensor, weight: Tensor | None, nodes: int) -> csr_array:
    """Return receivers x senders, sorted, with parallel edges as entries of their own."""
    sender, receiver = edge_index.numpy()
    order = np.lexsort((sender, receiver))
    data = np.ones(len(order), dtype=np.float32) if weight is None else weight.detach().numpy()[order]
    indptr = np.concatenate([[0], np.bincount(receiver, minlength=nodes).cumsum()])
    return csr_array((data, sender[order], indptr), shape=(nodes, nodes))


def _scaled_rows(matrix: csr_array) -> csr_array:
    """Return the matrix with each row divided by its number of entries: the mean of what a receiver hears."""
    entries = np.diff(matrix.indptr)
    share = np.repeat(1.0 / np.maximum(entries, 1), entries).astype(np.float32)
    return csr_array((matrix.data * share, matrix.indices, matrix.indptr), shape=matrix.shape)
