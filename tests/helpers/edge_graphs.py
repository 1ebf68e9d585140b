"""Generated graphs whose edges are of different kinds."""

import torch

from highwaygraph.graph.graph import Graph
from highwaygraph.graph.splits import split


def edge_kind_graph(
    seed: int = 0, classes: int = 3, size: int = 100, *, degree: float = 4.0, noise: float = 8.0, signal: float = 1.2
) -> Graph:
    """Return a graph whose edges inform by their kind and their features, with a split of 20 / 20 / rest per class.

    Args:
        seed: Seed of all random numbers.
        classes: Number of classes.
        size: Nodes per class.
        degree: Mean number of edges of a node within its class; they have type 0.
        noise: Mean number of edges of a node to any nodes; they have type 1.
        signal: Strength of the class in the node features; low, so that neighbours are needed.

    Returns:
        The graph with `edge_type` and `edge_attr`: a first column that is about 1 for type 0 and 0 for type 1, and a
        column per class with a weak mark of the class at edges of type 0.
    """
    draw = torch.Generator().manual_seed(seed)
    y = torch.arange(classes).repeat_interleave(size)
    nodes = len(y)
    first = torch.randint(nodes, (2, int(degree * nodes / 2 * classes)), generator=draw)
    first = first[:, y[first[0]] == y[first[1]]]
    second = torch.randint(nodes, (2, int(noise * nodes / 2)), generator=draw)
    ends = torch.cat([first, second], dim=1)
    kind = torch.cat([torch.zeros(first.size(1)), torch.ones(second.size(1))]).long()
    kept = ends[0] != ends[1]
    ends, kind = ends[:, kept], kind[kept]
    mark = torch.nn.functional.one_hot(y[ends[0]], classes) * (kind == 0)[:, None]
    attr = torch.cat([(kind == 0).float()[:, None], mark.float()], dim=1)
    attr = attr + torch.randn(attr.shape, generator=draw) * torch.tensor([0.2] + [0.7] * classes)
    x = torch.randn(nodes, 12, generator=draw)
    x[torch.arange(nodes), y] += signal
    graph = Graph(
        x=x, edge_index=torch.cat([ends, ends.flip(0)], dim=1), edge_attr=torch.cat([attr, attr]),
        edge_type=torch.cat([kind, kind]), y=y, num_nodes=nodes,
    )  # fmt: skip
    return split(graph, train=20, val=20, seed=seed)
