"""Small graphs that tests share."""

import torch
from hypothesis import strategies as st

from highwaygraph.graph.graph import Graph
from highwaygraph.graph.splits import split


def block_graph(seed: int = 0, classes: int = 3, size: int = 60, features: int = 12) -> Graph:
    """Return a planted-partition graph with noisy one-hot features and a split of 10 / 10 / rest per class."""
    draw = torch.Generator().manual_seed(seed)
    y = torch.arange(classes).repeat_interleave(size)
    chance = torch.where(y[:, None] == y[None, :], 0.08, 0.005)
    upper = torch.triu(torch.rand(len(y), len(y), generator=draw) < chance, diagonal=1)
    edge_index = (upper | upper.T).nonzero().T.contiguous()
    x = torch.randn(len(y), features, generator=draw)
    x[torch.arange(len(y)), y] += 2.0
    return split(
        Graph(x=x, edge_index=edge_index, y=y, num_nodes=len(y)), train=10, val=10, seed=seed, small_classes="share"
    )


def unsplit_graph(classes: int = 3) -> Graph:
    """Return the planted-partition graph without masks."""
    data = block_graph(classes=classes)
    return Graph(x=data.x, edge_index=data.edge_index, y=data.y, num_nodes=data.num_nodes)


def irregular_graph() -> Graph:
    """Return a graph with directed edges, parallel edges, self-loops, an isolated node and sparse features."""
    data = block_graph()
    extra = torch.tensor([[0, 0, 5, 7, 7, 9], [1, 1, 5, 8, 8, 4]])
    connected = (data.edge_index != 17).all(dim=0)
    data.edge_index = torch.cat([data.edge_index[:, connected], extra], dim=1)
    data.x = data.x * (torch.rand(data.x.shape, generator=torch.Generator().manual_seed(0)) < 0.2)
    data.x[3] = 0
    return data


def symmetric_weights(data: Graph, seed: int = 0) -> torch.Tensor:
    """Return random edge weights that are the same in both directions of an undirected edge."""
    n = data.num_nodes
    upper = torch.rand(n, n, generator=torch.Generator().manual_seed(seed)).triu()
    return (upper + upper.T)[tuple(data.edge_index)]


@st.composite
def edge_lists(draw: st.DrawFn, most_nodes: int = 12) -> tuple[int, torch.Tensor, torch.Tensor]:
    """Return a number of nodes and two arbitrary edge lists on them."""
    nodes = draw(st.integers(1, most_nodes))
    ends = st.tuples(st.integers(0, nodes - 1), st.integers(0, nodes - 1))
    lists = [draw(st.lists(ends, max_size=30)) for _ in range(2)]
    old, new = (torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).T for pairs in lists)
    return nodes, old, new


def both_ways(edges: torch.Tensor) -> torch.Tensor:
    """Return the edges and their reverses, each once."""
    return torch.cat([edges, edges.flip(0)], dim=1).unique(dim=1)
