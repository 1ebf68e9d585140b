"""PyG's most common layers within a user's module, computed by the prepared products of the built-in networks."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from torch_geometric.nn import GATConv, GCNConv, Linear, SAGEConv

from highwaygraph.nn.convs.gat import Attention, attend, attention, attention_pattern
from highwaygraph.nn.functional import add_bias_
from highwaygraph.nn.operators import adjacency_matrix, gcn_matrix, mean_matrix
from highwaygraph.nn.receptive_field import Hop
from highwaygraph.nn.spmm import Sparse, product, sparse


class PreparedGraph:
    """The operators of a graph, each created at its first use, and the layers that use them in place of scatters.

    A layer is computed this way only if it gets the very edges that the module was given; a module that drops edges or
    adds some calls PyG's own code.

    Args:
        edge_index: The edges.
        edge_weight: Their weights, where the module takes them.
        num_nodes: The number of nodes.
    """

    def __init__(self, edge_index: Tensor, edge_weight: Tensor | None, num_nodes: int) -> None:
        self.edge_index, self.edge_weight, self.num_nodes = edge_index, edge_weight, num_nodes
        self._attention: dict[int, Attention] = {}

    @cached_property
    def gcn(self) -> Sparse:
        """The normalised adjacency matrix of GCNConv."""
        return sparse(gcn_matrix(self.edge_index, self.edge_weight, self.num_nodes))

    @cached_property
    def mean(self) -> Sparse:
        """The matrix of means over neighbours of SAGEConv."""
        return sparse(mean_matrix(adjacency_matrix(self.edge_index, None, self.num_nodes)))

    def attention(self, heads: int) -> Attention:
        """Return the edges of GATConv for this number of heads."""
        if heads not in self._attention:
            pattern = attention_pattern(self.edge_index, self.num_nodes)
            self._attention[heads] = attention(Hop((pattern,), np.arange(self.num_nodes)), heads)
        return self._attention[heads]

    def takes(self, x: object, edge_index: object) -> bool:
        """Return whether these are the edges of the graph, and features of its nodes."""
        return edge_index is self.edge_index and isinstance(x, Tensor) and x.dim() == 2 and x.size(0) == self.num_nodes

    @contextmanager
    def used_by(self, model: nn.Module) -> Iterator[None]:
        """Compute the layers of the module by the operators of this graph within the block."""
        layers = _supported_layers(model)
        for layer in layers:
            layer.forward = partial(LAYERS[type(layer)][1], self, layer)
        try:
            yield
        finally:
            for layer in layers:
                del layer.forward


def _supported_layers(model: nn.Module) -> list[Any]:
    modules = list(model.modules())
    # A compiled module would be compiled again for every change of a layer.
    if any(m._compiled_call_impl is not None or hasattr(m, "_orig_mod") for m in modules):
        return []
    return [m for m in modules if type(m) in LAYERS and _is_plain(m) and LAYERS[type(m)][0](m)]


def _is_plain(layer: Any) -> bool:
    """Return whether the layer passes messages along the edges without hooks, explanation or a forward of its own."""
    # Hooks of PyG, such as _message_forward_hooks; those of torch are called all the same.
    hooked = any(value for name, value in vars(layer).items() if name.endswith("_hooks") and "_forward_" in name[1:])
    usual = layer.flow == "source_to_target" and layer.node_dim in (-2, 0) and layer.decomposed_layers == 1
    return usual and not hooked and not layer.explain and "forward" not in vars(layer)


def _gcn(graph: PreparedGraph, layer: Any, x: Any, edge_index: Any, edge_weight: Any = None) -> Tensor:
    if graph.takes(x, edge_index) and edge_weight is graph.edge_weight:
        messages = layer.lin(x)
        if messages.dtype == torch.float32:
            return add_bias_(product(graph.gcn, messages), layer.bias)
    return cast(Tensor, GCNConv.forward(layer, x, edge_index, edge_weight))


def _sage(graph: PreparedGraph, layer: Any, x: Any, edge_index: Any, size: Any = None) -> Tensor:
    if graph.takes(x, edge_index) and size is None:
        # The mean is linear: over the products, which are narrower than the features.
        messages = F.linear(x, layer.lin_l.weight)
        if messages.dtype == torch.float32:
            out = add_bias_(product(graph.mean, messages), layer.lin_l.bias)
            return out + layer.lin_r(x) if layer.root_weight else out
    return cast(Tensor, SAGEConv.forward(layer, x, edge_index, size))


def _gat(graph: PreparedGraph, layer: Any, x: Any, edge_index: Any, *more: Any, **options: Any) -> Any:
    if graph.takes(x, edge_index) and not more and not any(value is not None for value in options.values()):
        messages = layer.lin(x)
        if messages.dtype == torch.float32:
            drop = partial(F.dropout, p=layer.dropout, training=layer.training)
            return attend(layer, messages, graph.attention(layer.heads), drop if layer.dropout else None)
    return GATConv.forward(layer, x, edge_index, *more, **options)


def _is_usual_gcn(layer: Any) -> bool:
    return layer.aggr in ("add", "sum") and layer.normalize and layer.add_self_loops and not layer.improved


def _is_usual_sage(layer: Any) -> bool:
    # The weight is read without a call of the linear layer: hooks, such as those of weight_norm, would not run.
    called = layer.lin_l._forward_pre_hooks or layer.lin_l._forward_hooks or type(layer.lin_l) is not Linear
    return layer.aggr == "mean" and not layer.project and not layer.normalize and not called


def _is_usual_gat(layer: Any) -> bool:
    plain = isinstance(layer.in_channels, int) and not getattr(layer, "residual", False)
    return plain and layer.aggr in ("add", "sum") and layer.add_self_loops


# Each with a test of the settings that the operators are for, and its forward with these operators.
LAYERS: dict[type, tuple[Callable[[Any], bool], Callable[..., Any]]] = {
    GCNConv: (_is_usual_gcn, _gcn),
    SAGEConv: (_is_usual_sage, _sage),
    GATConv: (_is_usual_gat, _gat),
}
