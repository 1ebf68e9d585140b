"""The highways that a finished round proposes, and the graphs of the next round."""

from collections.abc import Iterator

import torch
from torch import Tensor

from highwaygraph.config import Config, Highway
from highwaygraph.graph.augment import add_highways, augment, is_first, is_first_pair
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import degrees, is_new
from highwaygraph.runs.history import HighwayTable
from highwaygraph.runtime.distributed import gather, shard, world_size
from highwaygraph.runtime.rng import generator
from highwaygraph.training.held_out import HeldOut, judged
from highwaygraph.training.highways import (
    Proposal,
    calibrate,
    choose_anchors,
    decide,
    pair_scores,
    propose,
    sample_partners,
    true_class_edges,
)

# The names of random streams decide the results and never change.
ANCHORS, PARTNERS, RANDOM_EDGES = "anchors", "partners", "edges"  # glossary: stream name


def pick_anchors(data: Graph, config: Config) -> Tensor:
    """Return the labelled nodes that highways start from, the same in all rounds (Eq. 15)."""
    options = config.highway
    return choose_anchors(
        data.y,
        data.train_mask,
        options.anchors,
        generator(config.seed, ANCHORS),
        rule=options.anchor_rule,
        degree=degrees(data),
    )


def propose_highways(
    logits: Tensor,
    graph: Graph,
    anchors: Tensor,
    number: int,
    config: Config,
    *,
    votes: Tensor | None = None,
    held_out: HeldOut | None = None,
) -> list[HighwayTable]:
    """Return the highways that follow from a round's predictions (Eq. 12-15).

    Args:
        logits: The logits of all nodes.
        graph: The graph of the round.
        anchors: The labelled nodes that highways start from.
        number: The round, counted from 1.
        config: All options.
        votes: The logits of votes that have to agree with the predictions.
        held_out: Out-of-fold predictions that calibrate the threshold, where there are no validation nodes.

    Returns:
        One table with targets=anchors, `highway.draws` tables with targets=partners.
    """
    options = config.highway
    classes, confidence = decide(logits, graph.y, graph.train_mask)
    threshold = options.node_threshold
    if isinstance(threshold, str):
        threshold = _calibrated(logits, graph, options, held_out)
    if votes is not None:
        # A node whose votes name another class gets no highway, whatever the threshold; labels need no votes.
        confidence = confidence.where((votes.argmax(dim=1) == classes) | graph.train_mask, -1.0)
    if options.targets == "partners":
        samples = _sample_partners(classes, confidence > threshold, graph, number, config)
        return [_table(edges, number, confidence[edges[1]], pair_scores(logits, edges)) for edges in samples]
    proposal = propose(
        logits,
        classes,
        confidence,
        anchors,
        node_threshold=threshold,
        pair_threshold=options.pair_threshold,
        joint=options.joint,
        # Of several processes, each scores its own nodes.
        among=shard(graph.num_nodes),
    )
    return [_new_highways(_gather_proposals(proposal, anchors), graph, anchors, number, config)]


def _calibrated(logits: Tensor, graph: Graph, options: Highway, held_out: HeldOut | None) -> float:
    """Return the least confidence at which predictions of held-out nodes reach the wanted precision."""
    predicted, data = judged(logits, graph, held_out)
    val = data.val_mask
    confidence, classes = predicted.softmax(dim=1).max(dim=1)
    return calibrate(confidence[val], classes[val] == graph.y[val], options.precision)


def round_graphs(data: Graph, tables: list[HighwayTable], config: Config) -> tuple[Graph, tuple[Graph, ...]]:
    """Return the graph of a round, and graphs with highways that are sampled in its training steps.

    Args:
        data: The original graph.
        tables: The highways of the round.
        config: All options; `highway.predict` decides which graph validation and prediction use.

    Returns:
        The graph for validation and prediction, and the views of the consistency step.
    """
    options = config.highway
    if options.predict == "highways":
        views, every = tables if options.targets == "partners" else [], union(tables, data.num_nodes)
        return augment(data, every.edges, options.control), tuple(add_highways(data, one.edges) for one in views)
    views = tables if options.targets == "partners" else [union(tables, data.num_nodes)]
    return data, tuple(add_highways(data, one.edges) for one in views if len(one.round))


def union(tables: list[HighwayTable], num_nodes: int) -> HighwayTable:
    """Return all tables concatenated, each undirected edge once; within a table it is."""
    if len(tables) == 1:
        return tables[0]
    total = HighwayTable.empty()
    for one in tables:
        total = total.concatenate(one)
    first = is_first_pair(total.edges, num_nodes)
    return HighwayTable(*(part[..., first] for part in total))


def _new_highways(found: Proposal, graph: Graph, anchors: Tensor, number: int, config: Config) -> HighwayTable:
    edges = _apply_control(found.edges, graph, anchors, number, config)
    new = is_new(graph, edges) & is_first_pair(edges, graph.num_nodes)
    if config.highway.control == "pseudo-labels":
        # One pseudo-label per node, and none on validation nodes, which would then validate themselves.
        new &= ~(graph.train_mask | graph.val_mask)[edges[1]] & is_first(edges[1])
    return _table(edges[:, new], number, found.confidence[new], found.pair_score[new])


def _gather_proposals(own: Proposal, anchors: Tensor) -> Proposal:
    """Return the proposals of all processes, ordered by anchor as one process would order them."""
    if world_size() == 1:
        return own
    edges, confidence, score = gather(own.edges.T.contiguous()).T, gather(own.confidence), gather(own.pair_score)
    place = torch.empty(int(anchors.max()) + 1, dtype=torch.long)
    place[anchors] = torch.arange(len(anchors))
    order = place[edges[0]].argsort(stable=True)
    return Proposal(edges[:, order], confidence[order], score[order])


def _sample_partners(classes: Tensor, confident: Tensor, graph: Graph, number: int, config: Config) -> Iterator[Tensor]:
    options, rng = config.highway, generator(config.seed, f"{PARTNERS} {number}")
    if options.control == "random-edges":
        # Any confident node may be the partner of any other.
        classes = torch.zeros_like(classes)
    for _ in range(options.draws):
        edges = sample_partners(classes, confident, options.partners, rng)
        yield edges[:, is_new(graph, edges) & is_first_pair(edges, graph.num_nodes)]


def _apply_control(edges: Tensor, graph: Graph, anchors: Tensor, number: int, config: Config) -> Tensor:
    """Return the proposed edges, or as many edges of the control experiment."""
    match config.highway.control:
        case "random-edges":
            rng = generator(config.seed, f"{RANDOM_EDGES} {number}")
            return torch.randint(graph.num_nodes, edges.shape, generator=rng)
        case "true-edges":
            return true_class_edges(edges, anchors, graph.y)
        case _:
            return edges


def _table(edges: Tensor, number: int, confidence: Tensor, pair_score: Tensor) -> HighwayTable:
    return HighwayTable(edges, edges.new_full((edges.size(1),), number), confidence, pair_score)
