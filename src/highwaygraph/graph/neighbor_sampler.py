"""Neighbour sampling in pure torch: some neighbours of each seed, some of each of these, hop by hop."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from zlib import crc32

import torch
from jaxtyping import Int
from torch import Generator, Tensor
from torch_geometric.sampler import BaseSampler, NodeSamplerInput, SamplerOutput

from highwaygraph.graph.csr import CSR, weighted_degrees
from highwaygraph.graph.edge_values import values_by_name
from highwaygraph.graph.graph import Graph
from highwaygraph.runtime.rng import generator


class SampledEdges(NamedTuple):
    """Sampled edges: the source node, and the position of the target among the given nodes."""

    sender: Int[Tensor, "k"]
    receiver: Int[Tensor, "k"]
    values: dict[str, Tensor]
    """Weights, features and types, as far as the edges have them."""


def sample_neighbors(parts: Sequence[CSR], receivers: Int[Tensor, "r"], most: int, draw: Generator) -> SampledEdges:
    """Return up to `most` different neighbours of each target node over all parts, all where there are fewer.

    Args:
        parts: Adjacencies of the same nodes.
        receivers: The target nodes.
        most: Largest number of neighbours of each.
        draw: Random generator.
    """
    sizes = torch.stack([rows.rowptr[receivers + 1] - rows.rowptr[receivers] for rows in parts])
    total = sizes.sum(dim=0)
    few, many = (total <= most).nonzero().flatten(), (total > most).nonzero().flatten()
    within = torch.arange(int(total[few].sum())) - (total[few].cumsum(0) - total[few]).repeat_interleave(total[few])
    receiver = torch.cat([few.repeat_interleave(total[few]), many.repeat_interleave(most)])
    place = torch.cat([within, sample_distinct(total[many], most, draw).flatten()])
    sender, values = _look_up(parts, receivers[receiver], place, sizes[:, receiver])
    return SampledEdges(sender, receiver, values)


def sample_distinct(size: Int[Tensor, "r"], count: int, draw: Generator) -> Int[Tensor, "r c"]:
    """Return `count` different numbers below each size; every set is equally likely."""
    places = _below(size[:, None].expand(-1, count), draw)
    pending = torch.arange(len(size))
    while len(pending):
        values, order = places[pending].sort(dim=1, stable=True)
        again = torch.zeros_like(values, dtype=torch.bool)
        again[:, 1:] = values[:, 1:] == values[:, :-1]
        wrong = again.any(dim=1)
        pending, order, again = pending[wrong], order[wrong], again[wrong]
        # Only repeated numbers are drawn again: the others stay, so that all sets remain equally likely.
        row, column = again.nonzero(as_tuple=True)
        places[pending[row], order[row, column]] = _below(size[pending[row]], draw)
    return places


def sample_subgraph(
    parts: Sequence[CSR], seeds: Int[Tensor, "s"], fanouts: Sequence[int], draw: Generator, place: Int[Tensor, "n"]
) -> Graph:
    """Return the sampled subgraph of distinct seeds, which come first.

    Args:
        parts: Adjacencies of the same nodes.
        seeds: Distinct nodes.
        fanouts: Number of neighbours sampled per hop.
        draw: Random generator.
        place: Buffer with an entry per node, -1 everywhere before and after the call.
    """
    # A network without hops samples no edges, and torch concatenates no empty list.
    none = torch.empty(0, dtype=torch.long)
    layers, senders, receivers, values = [seeds], [none], [none], list[dict[str, Tensor]]()
    place[seeds] = torch.arange(len(seeds), dtype=place.dtype)
    begin, count = 0, len(seeds)
    for most in fanouts:
        sampled = sample_neighbors(parts, layers[-1], most, draw)
        new = sampled.sender[place[sampled.sender] < 0].unique()
        place[new] = torch.arange(count, count + len(new), dtype=place.dtype)
        senders.append(place[sampled.sender].long())
        receivers.append(sampled.receiver + begin)
        values.append(sampled.values)
        layers.append(new)
        begin, count = count, count + len(new)
    nodes = torch.cat(layers)
    place[nodes] = -1
    found = Graph(edge_index=torch.stack([torch.cat(senders), torch.cat(receivers)]), num_nodes=count, n_id=nodes)
    found.update({name: torch.cat([one[name] for one in values]) for name in (values[0] if values else ())})
    return found


class NeighborSampler(BaseSampler):  # type: ignore[misc]
    """Samples subgraphs for PyG's NodeLoader; the same seed and nodes give the same subgraph in every process.

    Args:
        parts: Adjacencies of the same nodes.
        fanouts: Number of neighbours sampled per hop.
        seed: Seed of the random generators.
    """

    def __init__(self, parts: Sequence[CSR], fanouts: Sequence[int], seed: int) -> None:
        self.parts, self.fanouts, self.seed = parts, fanouts, seed
        self._place: Tensor | None = None
        self._weighted_degree = weighted_degrees(parts)

    def draw(self, seeds: Int[Tensor, "s"]) -> Graph:
        """Return the sampled subgraph of distinct nodes, which come first, without features."""
        if self._place is None:
            # Allocated on first use: a worker process has its own buffer.
            self._place = torch.full((self.parts[0].num_nodes,), -1, dtype=torch.int32)
        draw = generator(self.seed, f"neighbours {crc32(seeds.numpy().tobytes())}")
        subgraph = sample_subgraph(self.parts, seeds, self.fanouts, draw, self._place)
        subgraph.weighted_degree = self._weighted_degree[subgraph.n_id]
        return subgraph

    def sample_from_nodes(self, index: NodeSamplerInput, **_: Any) -> SamplerOutput:
        """Return the sampled subgraph of the input nodes, as PyG's loader expects it."""
        found = self.draw(index.node)
        row, col = found.edge_index
        known = (found.weighted_degree, values_by_name(found))
        return SamplerOutput(found.n_id, row, col, edge=None, metadata=(index.input_id, index.time, *known))

    def sample_from_edges(self, *_: Any, **__: Any) -> SamplerOutput:
        """Raise: only nodes are classified here."""
        raise NotImplementedError("Subgraphs are sampled around nodes, not edges.")

    @property
    def edge_permutation(self) -> None:
        """Edges are not numbered."""
        return


def _look_up(parts: Sequence[CSR], receivers: Tensor, place: Tensor, sizes: Tensor) -> tuple[Tensor, dict[str, Tensor]]:
    """Return the sources at these positions of the targets' rows, which run through all parts, and their values."""
    sender, values = torch.empty_like(place), _empty_values(parts[0], len(place))
    left, pending = place.clone(), torch.arange(len(place))
    for rows, size in zip(parts, sizes, strict=True):
        here = left[pending] < size[pending]
        own = pending[here]
        entry = rows.rowptr[receivers[own]] + left[own]
        sender[own] = rows.col[entry].long()
        for name, value in rows.values.items():
            values[name][own] = value[entry].to(values[name].dtype)
        pending = pending[~here]
        left[pending] -= size[pending]
    return sender, values


def _empty_values(rows: CSR, count: int) -> dict[str, Tensor]:
    """Return tensors to be filled with the values of entries; weights are 1 unless given."""
    filled = {name: value.new_ones(count, *value.shape[1:]) for name, value in rows.values.items()}
    return {name: value.long() if name == "edge_type" else value for name, value in filled.items()}


def _below(size: Tensor, draw: Generator) -> Tensor:
    return (torch.rand(size.shape, generator=draw, dtype=torch.double) * size).long()
