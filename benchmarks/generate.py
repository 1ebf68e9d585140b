"""Generated graphs of any size with known classes, in linear time."""

import torch

from highwaygraph.graph.graph import Graph

SHARE_WITHIN = 0.8


def generate(
    nodes: int, *, degree: int = 10, features: int = 32, classes: int = 5, labels: int = 100, seed: int = 0
) -> Graph:
    """Return a graph of which four in five edges join nodes of one class, with `labels` training nodes per class."""
    rng = torch.Generator().manual_seed(seed)
    y = torch.arange(nodes) % classes
    count = nodes * degree // 2
    ends = torch.randint(nodes, (2, count), generator=rng)
    # A node of the source's class: the same remainder, another multiple.
    near = ends[1] - ends[1] % classes + ends[0] % classes
    within = (torch.rand(count, generator=rng) < SHARE_WITHIN) & (near < nodes)
    other = torch.where(within, near, ends[1])
    one_way = torch.stack([ends[0], other])[:, ends[0] != other]
    x = torch.randn(nodes, features, generator=rng)
    x[torch.arange(nodes), y % features] += 1.0
    rank = torch.arange(nodes) // classes
    return Graph(
        x=x,
        edge_index=torch.cat([one_way, one_way.flip(0)], dim=1),
        y=y,
        num_nodes=nodes,
        train_mask=rank < labels,
        val_mask=(rank >= labels) & (rank < 2 * labels),
        test_mask=rank >= 2 * labels,
    )
