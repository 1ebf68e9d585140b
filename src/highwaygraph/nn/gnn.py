"""The base class of built-in networks: a stack of graph convolutions that runs in three equivalent ways."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any, ClassVar, NamedTuple, cast

from jaxtyping import Float, Int
from scipy.sparse import csr_array
from torch import Tensor, nn
from torch.nn import functional as F

from highwaygraph.config import Network
from highwaygraph.errors import ModelError
from highwaygraph.nn.drop_rows import drop_rows
from highwaygraph.nn.dropout import DropoutMasks, relu_dropout_
from highwaygraph.nn.functional import add_bias_, linear, scale_rows
from highwaygraph.nn.layerwise import Chunks, LayerwiseGraph
from highwaygraph.nn.operators import Indices
from highwaygraph.nn.receptive_field import Hop, restrict
from highwaygraph.nn.spmm import Sparse, product, sparse
from highwaygraph.runtime.rng import initialising


class PreparedBatch(NamedTuple):
    """Features and every layer's operators, restricted to the receptive field of the target nodes."""

    x: Tensor | Sparse
    layers: list[Any]


class GNN(nn.Module, ABC):
    """A stack of layers with dropout before each and a non-linearity between.

    The stack runs in three ways that give the same logits: `forward` through PyG's layers on any device, `prepare` and
    `run` on a prepared graph on the CPU, and `layerwise` over CSR adjacencies for graphs that do not fit in memory.
    A network is a subclass in `nn/convs`. It defines `build_layer` (PyG's layer), `operators` (the sparse matrices of a
    layer) and `aggregate_layerwise`. It overrides `message_weight`, `prepare_layer`, `aggregate` and the other methods
    where the defaults, which suit GCN, do not fit.
    """

    accepts_edge_weight: ClassVar[bool] = False
    undirected_minibatches: ClassVar[bool] = False
    """Whether mini-batches give the right logits on undirected graphs only."""

    def __init__(self, network: Network, in_channels: int, classes: int) -> None:
        super().__init__()
        self.network, self.classes = network, classes
        self.dropout_masks = DropoutMasks()
        self.layers = nn.ModuleList(self.build_layers(in_channels, classes))

    @property
    def num_hops(self) -> int:
        """The radius of the receptive field, which mini-batches sample."""
        return self.network.layers

    def build_layers(self, in_channels: int, classes: int) -> list[nn.Module]:
        """Return the stack's layers."""
        widths = [in_channels, *[self.network.hidden] * (self.network.layers - 1), classes]
        return [self.build_layer(index, *size) for index, size in enumerate(pairwise(widths))]

    @abstractmethod
    def build_layer(self, index: int, in_channels: int, out_channels: int) -> nn.Module:
        """Return PyG's layer at that position of the stack, called as layer(x, edge_index[, edge_weight])."""

    @abstractmethod
    def operators(
        self,
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None,
        num_nodes: int,
        weighted_degree: Float[Tensor, "n"] | None,
    ) -> tuple[csr_array, ...]:
        """Return the matrices that one layer multiplies its messages with, first to last.

        For a sampled subgraph, `weighted_degree` is each node's weighted degree in the graph it was sampled from.
        """

    @abstractmethod
    def aggregate_layerwise(self, layer: Any, messages: Float[Tensor, "n m"], graph: LayerwiseGraph) -> Chunks:
        """Yield a layer's output from the messages of all nodes, which may be overwritten."""

    def message_weight(self, layer: Any) -> Float[Tensor, "m i"]:
        """Return the weight that a layer's input is multiplied with before messages are aggregated."""
        return cast(Tensor, layer.lin.weight)

    def restrict(self, operators: Sequence[csr_array], targets: Indices | None) -> tuple[list[Hop], Indices | None]:
        """Return the operators of each layer for these targets, or all, and the nodes whose features are read."""
        return restrict(operators, self.network.layers, targets)

    def prepare_layers(self, hops: list[Hop]) -> list[Any]:
        """Return every layer's operators in the form that `run` uses."""
        return [self.prepare_layer(layer, hop) for layer, hop in zip(self.layers, hops, strict=True)]

    def prepare_layer(self, layer: Any, hop: Hop) -> Any:
        """Return one layer's operators in the form that `aggregate` uses."""
        return [sparse(operator) for operator in hop.operators]

    def aggregate(
        self,
        layer: Any,
        messages: Float[Tensor, "n m"],
        prepared: Any,
        masks: DropoutMasks | None,
    ) -> Float[Tensor, "t o"]:
        """Return a layer's output for the target nodes of its hop, from the messages of its source nodes."""
        for operator in prepared:
            messages = product(operator, messages)
        return add_bias_(messages, layer.bias)

    def activate(self, x: Float[Tensor, "n h"]) -> Float[Tensor, "n h"]:
        """Return the non-linearity of a hidden layer's output."""
        return F.relu(x)

    def activate_dropout_(self, x: Float[Tensor, "n h"], masks: DropoutMasks | None) -> Float[Tensor, "n h"]:
        """Return `activate` of x followed by dropout; x is overwritten."""
        return relu_dropout_(x, self.network.inner_dropout, masks)

    def reset_parameters(self) -> None:
        """Initialise every weight again, and reseed the dropout masks."""
        with initialising():
            for layer in self.layers:
                cast(Any, layer).reset_parameters()
            self.dropout_masks.reseed()

    def forward(
        self,
        x: Float[Tensor, "n f"],
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None = None,
    ) -> Float[Tensor, "n c"]:
        """Return the logits y of every node (Eq. 7), through PyG's own layers on any device."""
        weights = self.edge_weight_args(edge_weight)
        for index, layer in enumerate(self.layers):
            x = self.activate(x) if index else x
            x = F.dropout(x, self.network.inner_dropout if index else self.network.dropout, self.training)
            x = layer(x, edge_index, *weights)
        return x

    def edge_weight_args(self, edge_weight: Tensor | None) -> tuple[Tensor, ...]:
        """Return the edge weights as further arguments of a layer; raise ModelError if the network accepts none."""
        if edge_weight is not None and not self.accepts_edge_weight:
            raise ModelError(f"{self.network.model} takes no edge weights: use gcn, or drop data.edge_weight.")
        return () if edge_weight is None else (edge_weight,)

    def prepare(
        self,
        x: Tensor | csr_array | Sparse,
        edge_index: Int[Tensor, "2 e"],
        edge_weight: Float[Tensor, "e"] | None,
        weighted_degree: Float[Tensor, "n"] | None = None,
    ) -> Callable[[Tensor | None], PreparedBatch]:
        """Return a function that prepares the logits of some nodes, or of all, for many passes.

        Args:
            x: The features.
            edge_index: The edges.
            edge_weight: Their weights, for networks that accept them.
            weighted_degree: For a sampled subgraph, each node's weighted degree in the graph it was sampled from.
        """
        self.edge_weight_args(edge_weight)
        operators = self.operators(edge_index, edge_weight, x.shape[0], weighted_degree)

        def cut(targets: Tensor | None) -> PreparedBatch:
            hops, nodes = self.restrict(operators, None if targets is None else targets.numpy())
            return PreparedBatch(select_rows(x, nodes), self.prepare_layers(hops))

        return cut

    def run(self, prepared: PreparedBatch, visible: Float[Tensor, "n"] | None = None) -> Float[Tensor, "t c"]:
        """Return the logits of the prepared targets, equal to those of `forward`, at a fraction of the cost.

        Args:
            prepared: What the function returned by `prepare` gives for the targets.
            visible: A factor for every node's features, e.g. 0 to hide them.
        """
        masks = self.dropout_masks if self.training else None
        x, visible = drop_rows(prepared.x, self.network.dropout, masks, visible)
        for index, (layer, ready) in enumerate(zip(self.layers, prepared.layers, strict=True)):
            x = self.activate_dropout_(cast(Tensor, x), masks) if index else x
            messages = linear(x, self.message_weight(layer))
            # A node's factor applies after the weights, where the matrix is small and dense.
            messages = messages if index else scale_rows(messages, visible)
            x = self.aggregate(layer, messages, ready, masks)
        return cast(Tensor, x)

    def layerwise(self, x: Chunks, graph: LayerwiseGraph) -> Chunks:
        """Return the logits of this process's nodes in chunks, equal to those of `forward` without dropout.

        Args:
            x: The features of this process's nodes.
            graph: The graph's CSR adjacencies and buffers.
        """
        for index, layer in enumerate(self.layers):
            messages = graph.transform(self.activate_chunks(x) if index else x, self.message_weight(layer))
            x = self.aggregate_layerwise(layer, messages, graph)
        return x

    def activate_chunks(self, chunks: Chunks) -> Chunks:
        """Return the chunks after the non-linearity."""
        return ((rows, self.activate_dropout_(x, None)) for rows, x in chunks)


def select_rows(x: Tensor | csr_array | Sparse, nodes: Indices | None) -> Tensor | Sparse:
    """Return the features of these nodes, or of all, dense or prepared; prepared ones are returned as they are."""
    if isinstance(x, Sparse):
        return x
    rows = x if nodes is None else x[nodes]
    return rows if isinstance(rows, Tensor) else sparse(rows)
