"""Neighbour sampling in pure torch: a few neighbours of each seed, a few of each of these, and so on."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch_geometric.sampler import BaseSampler, NodeSamplerInput, SamplerOutput

from highwaygraph.graph.csr import CSR, weighted_degrees
from highwaygraph.graph.graph import Graph
from highwaygraph.runtime.rng import generator


class SampledEdges(NamedTuple):
    """Who is heard by whom: the sender, and the place of the receiver among those asked for."""

    sender: Int[Tensor, "k"]
    receiver: Int[Tensor, "k"]
    weight: Float[Tensor, "k"] | None


def sample_neighbors(parts: Sequence[CSR], receivers: Int[Tensor, "r"], most: int, draw: Generator) -> SampledEdges:
    """Return up to `most` different entries of each receiver in all parts together, all where there are fewer."""
    sizes = torch.stack([rows.rowptr[receivers + 1] - rows.rowptr[receivers] for rows in parts])
    total = sizes.sum(dim=0)
    few, many = (total <= most).nonzero().flatten(), (total > most).nonzero().flatten()
    within = torch.arange(int(total[few].sum())) - (total[few].cumsum(0) - total[few]).repeat_interleave(total[few])
    receiver = torch.cat([few.repeat_interleave(total[few]), many.repeat_interleave(most)])
    place = torch.cat([within, sample_distinct(total[many], most, draw).flatten()])
    sender, weight = _look_up(parts, receivers[receiver], place, sizes[:, receiver])
    return SampledEdges(sender, receiver, weight)


def sample_distinct(size: Int[Tensor, "r"], count: int, draw: Generator) -> Int[Tensor, "r c"]:
    """Return `count` different numbers below each size, every set as likely as any other."""
    places = _below(size[:, None].expand(-1, count), draw)
    pending = torch.arange(len(size))
    while len(pending):
        values, order = places[pending].sort(dim=1, stable=True)
        again = torch.zeros_like(values, dtype=torch.bool)
        again[:, 1:] = values[:, 1:] == values[:, :-1]
        wrong = again.any(dim=1)
        pending, order, again = pending[wrong], order[wrong], again[wrong]
        # Only what repeats another is drawn once more: what is collected stays, so that all sets stay equally likely.
        row, column = again.nonzero(as_tuple=True)
        places[pending[row], order[row, column]] = _below(size[pending[row]], draw)
    return places


def sample_subgraph(
    parts: Sequence[CSR], seeds: Int[Tensor, "s"], fanouts: Sequence[int], draw: Generator, place: Int[Tensor, "n"]
) -> Graph:
    """Return the drawn surroundings of different seeds, which come first; `place` is -1 everywhere and is left so."""
    layers, senders, receivers, weights = [seeds], [], [], []
    place[seeds] = torch.arange(len(seeds), dtype=place.dtype)
    begin, count = 0, len(seeds)
    for most in fanouts:
        heard = sample_neighbors(parts, layers[-1], most, draw)
        new = heard.sender[place[heard.sender] < 0].unique()
        place[new] = torch.arange(count, count + len(new), dtype=place.dtype)
        senders.append(place[heard.sender].long())
        receivers.append(heard.receiver + begin)
        weights += [] if heard.weight is None else [heard.weight]
        layers.append(new)
        begin, count = count, count + len(new)
    nodes = torch.cat(layers)
    place[nodes] = -1
    found = Graph(edge_index=torch.stack([torch.cat(senders), torch.cat(receivers)]), num_nodes=count, n_id=nodes)
    if weights:
        found.edge_weight = torch.cat(weights)
    return found


class NeighborSampler(BaseSampler):  # type: ignore[misc]
    """Draws surroundings for PyG's NodeLoader: for one seed and the same nodes always the same, whoever draws."""

    def __init__(self, parts: Sequence[CSR], fanouts: Sequence[int], seed: int) -> None:
        self.parts, self.fanouts, self.seed = parts, fanouts, seed
        self._place: Tensor | None = None
        self._weighted_degree = weighted_degrees(parts)

    def draw(self, seeds: Int[Tensor, "s"]) -> Graph:
        """Return the surroundings of different nodes as a graph of its own, these nodes first, without features."""
        if self._place is None:
            # Made by whoever draws: a worker process has one of its own.
            self._place = torch.full((self.parts[0].num_nodes,), -1, dtype=torch.int32)
        draw = generator(self.seed, f"neighbours {crc32(seeds.numpy().tobytes())}")
        piece = sample_subgraph(self.parts, seeds, self.fanouts, draw, self._place)
        piece.weighted_degree = self._weighted_degree[piece.n_id]
        return piece

    def sample_from_nodes(self, index: NodeSamplerInput, **_: Any) -> SamplerOutput:
        """Return the surroundings of these nodes."""
        found = self.draw(index.node)
        row, col = found.edge_index
        known = (found.weighted_degree, getattr(found, "edge_weight", None))
        return SamplerOutput(found.n_id, row, col, edge=None, metadata=(index.input_id, index.time, *known))

    def sample_from_edges(self, *_: Any, **__: Any) -> SamplerOutput:
        """Refuse: only nodes are classified here."""
        raise NotImplementedError("Surroundings are drawn of nodes, not of edges.")

    @property
    def edge_permutation(self) -> None:
        """Edges have no numbers of their own."""
        return


def _look_up(parts: Sequence[CSR], receivers: Tensor, place: Tensor, sizes: Tensor) -> tuple[Tensor, Tensor | None]:
    """Return the senders at these places of the receivers' stretches, one part's after the other's, and weights."""
    sender, weight = torch.empty_like(place), torch.ones(len(place))
    left, pending = place.clone(), torch.arange(len(place))
    for rows, size in zip(parts, sizes, strict=True):
        here = left[pending] < size[pending]
        own = pending[here]
        entry = rows.rowptr[receivers[own]] + left[own]
        sender[own] = rows.col[entry].long()
        if rows.weight is not None:
            weight[own] = rows.weight[entry]
        pending = pending[~here]
        left[pending] -= size[pending]
    return sender, None if parts[0].weight is None else weight


def _below(size: Tensor, draw: Generator) -> Tensor:
    return (torch.rand(size.shape, generator=draw, dtype=torch.double) * size).long()
