"""What a finished round leaves to the next: highways, the graphs they make, and estimated class shares."""

from collections.abc import Iterator
from typing import NamedTuple

import torch
from torch import Tensor

from highwaygraph.config import Config
from highwaygraph.graph.augment import add_highways, augment, is_first, is_first_pair
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import degrees, is_new
from highwaygraph.runs.history import HighwayTable
from highwaygraph.runtime.distributed import gather, shard, world_size
from highwaygraph.runtime.rng import generator
from highwaygraph.training.highways import (
    Proposal,
    calibrate,
    choose_anchors,
    correct,
    decide,
    draw_partners,
    pair_scores,
    propose,
)


class Graphs(NamedTuple):
    """The graph that a round is judged on, and others that it trains on beside it."""

    base: Graph
    drawn: tuple[Graph, ...]


def pick_anchors(data: Graph, config: Config) -> Tensor:
    """Return the labelled nodes that highways start from, the same through all rounds."""
    options = config.highway
    return choose_anchors(
        data.y,
        data.train_mask,
        options.anchors,
        generator(config.seed, "anchors"),
        rule=options.anchor_rule,
        degree=degrees(data),
    )


def propose_highways(logits: Tensor, graph: Graph, anchors: Tensor, number: int, config: Config) -> list[HighwayTable]:
    """Return the highways that this round's predictions ask for, as one set or in several draws (Eq. 12-15)."""
    options = config.highway
    classes, confidence = decide(logits, graph.y, graph.train_mask)
    threshold = options.node_threshold
    if isinstance(threshold, str):
        val = graph.val_mask
        threshold = calibrate(confidence[val], classes[val] == graph.y[val], options.precision)
    if options.targets == "partners":
        draws = _draws(classes, confidence > threshold, graph, number, config)
        return [_highways(edges, number, confidence[edges[1]], pair_scores(logits, edges)) for edges in draws]
    found = propose(
        logits,
        classes,
        confidence,
        anchors,
        node_threshold=threshold,
        pair_threshold=options.pair_threshold,
        joint=options.joint,
        # Of several processes, each looks at its own nodes.
        among=shard(graph.num_nodes),
    )
    found = _everybodys(found, anchors)
    edges = _adapt(found.edges, graph, anchors, number, config)
    new = is_new(graph, edges) & is_first_pair(edges, graph.num_nodes)
    if options.control == "pseudo-labels":
        # One label a node, and none where it would judge itself.
        new &= ~(graph.train_mask | graph.val_mask)[edges[1]] & is_first(edges[1])
    return [_highways(edges[:, new], number, found.confidence[new], found.pair_score[new])]


def _everybodys(own: Proposal, anchors: Tensor) -> Proposal:
    """Return what all processes propose, anchor by anchor as one process would."""
    if world_size() == 1:
        return own
    edges, confidence, score = gather(own.edges.T.contiguous()).T, gather(own.confidence), gather(own.pair_score)
    place = torch.empty(int(anchors.max()) + 1, dtype=torch.long)
    place[anchors] = torch.arange(len(anchors))
    order = place[edges[0]].argsort(stable=True)
    return Proposal(edges[:, order], confidence[order], score[order])


def round_graphs(data: Graph, sets: list[HighwayTable], config: Config) -> Graphs:
    """Return the graph to be judged on and those drawn beside it, as the options say."""
    options = config.highway
    every = union(sets, data.num_nodes)
    if options.predict == "highways":
        base = augment(data, every.edges, options.control)
        return Graphs(
            base, tuple(add_highways(data, one.edges) for one in sets) if options.targets == "partners" else ()
        )
    drawn = sets if options.targets == "partners" else [every]
    return Graphs(data, tuple(add_highways(data, one.edges) for one in drawn if len(one.round)))


def union(sets: list[HighwayTable], num_nodes: int) -> HighwayTable:
    """Return all sets one after the other, each undirected edge once."""
    total = HighwayTable.none()
    for one in sets:
        total = total.and_then(one)
    first = is_first_pair(total.edges, num_nodes)
    return HighwayTable(*(part[..., first] for part in total))


def _draws(classes: Tensor, confident: Tensor, graph: Graph, number: int, config: Config) -> Iterator[Tensor]:
    options, draw = config.highway, generator(config.seed, f"partners {number}")
    for _ in range(options.draws):
        edges = draw_partners(classes, confident, options.partners, draw)
        yield edges[:, is_new(graph, edges) & is_first_pair(edges, graph.num_nodes)]


def _adapt(edges: Tensor, graph: Graph, anchors: Tensor, number: int, config: Config) -> Tensor:
    """Return the edges as proposed, or as many of another kind to compare them with."""
    match config.highway.control:
        case "random-edges":
            return torch.randint(graph.num_nodes, edges.shape, generator=generator(config.seed, f"edges {number}"))
        case "true-edges":
            return correct(edges, anchors, graph.y)
        case _:
            return edges


def _highways(edges: Tensor, number: int, confidence: Tensor, pair_score: Tensor) -> HighwayTable:
    return HighwayTable(edges, edges.new_full((edges.size(1),), number), confidence, pair_score)
