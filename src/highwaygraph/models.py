"""Build one of the built-in networks by name."""

from typing import Any, cast

from torch_geometric.data import Data

from highwaygraph.config import Network
from highwaygraph.graph.validate import validate
from highwaygraph.nn.factory import BuiltIn, network_for


def build(name: str, data: Data, **options: Any) -> BuiltIn:
    """Return a built-in network with as many inputs as the data has features and as many outputs as it has classes.

    Args:
        name: One of

            - `gcn`: graph convolutional network (Kipf and Welling, 2017)
            - `gat`: graph attention network (Velickovic et al., 2018)
            - `sage`: GraphSAGE with mean aggregation (Hamilton et al., 2017)
            - `hyper`: hypergraph convolution, every neighbourhood a hyperedge (Bai et al., 2021)
            - `graphmix`: GCN with a mixup branch (Verma et al., 2021)
            - `grand`: mean over propagation steps, then an MLP (Feng et al., 2020)
            - `appnp`: an MLP, then personalised PageRank propagation (Gasteiger et al., 2019)
            - `gcn2`: GCNII, a deep GCN with initial residuals and identity mapping (Chen et al., 2020)
            - `mlp`: multilayer perceptron on the node's own features; edges and their weights have no effect
            - `hetero_sage`: GraphSAGE with weights per node type and relation, for a graph of several node types
            - `auto` is chosen by `hg.choose_network` and cannot be built by name
        data: The graph.
        **options: Options of `hg.Network`, such as `hidden`, `layers` and `dropout`.

    Returns:
        The network with fresh weights.

    Example:
        >>> import highwaygraph as hg
        >>> model = hg.models.build("appnp", hg.load("cora"), hidden=64, order=10)
        >>> model.num_hops
        10
    """
    return network_for(Network(model=cast(Any, name), **options), validate(data))
