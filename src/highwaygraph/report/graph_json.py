"""The graph as the viewer reads it: columns of small numbers, a sample where there is too much to draw."""

from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from highwaygraph.graph.augment import undirected_edges
from highwaygraph.graph.bfs import hops_from
from highwaygraph.graph.csr import undirected_csr
from highwaygraph.report.layout import layout
from highwaygraph.report.run_data import Facts
from highwaygraph.report.style import colours

MOST_NODES = 20_000


MOST_HIGHWAYS = 8_000


SEEDS = 200


REMOTE = 4


class Drawn(NamedTuple):
    """The part of a graph that is drawn, with places in the unit square and edges between drawn nodes."""

    nodes: Tensor
    places: NDArray[np.float64]
    edges: Tensor
    highways: Tensor
    """Positions in the run's list of highways."""
    ends: Tensor
    """The drawn nodes at both ends of each of them."""
    total: dict[str, int]
    """How many nodes, edges and highways there are, drawn or not."""


def draw(facts: Facts) -> Drawn:
    """Choose what is drawn, and where."""
    data, roads = facts.result.data, facts.result.highway_table
    every = undirected_edges(data.edge_index, data.num_nodes)
    nodes = _nodes(every, data.num_nodes, data.train_mask)
    place = torch.full((data.num_nodes,), -1)
    place[nodes] = torch.arange(len(nodes))
    edges = place[every]
    edges = edges[:, (edges >= 0).all(dim=0)]
    ends = place[roads.edges]
    shown = (ends >= 0).all(dim=0).nonzero().flatten()
    shown = shown[torch.randperm(len(shown), generator=torch.Generator().manual_seed(0))[:MOST_HIGHWAYS]].sort().values
    places = layout(edges.numpy(), _start(facts, nodes))
    total = {"nodes": data.num_nodes, "edges": every.size(1), "highways": roads.edges.size(1)}
    return Drawn(nodes, places, edges, shown, ends[:, shown], total)


def columns(facts: Facts, drawn: Drawn) -> dict[str, Any]:
    """Return the viewer's columns."""
    data, nodes = facts.result.data, drawn.nodes
    ids = data.ids or range(data.num_nodes)
    labelled = data.train_mask[nodes]
    distance = hops_from([undirected_csr(data.edge_index, data.num_nodes)], data.train_mask.nonzero().flatten())
    place = np.rint(10_000 * drawn.places).astype(int)
    return {
        "classes": facts.classes,
        "colours": colours(len(facts.classes)),
        "ids": [ids[i] for i in nodes.tolist()],
        "x": place[:, 0].tolist(),
        "y": place[:, 1].tolist(),
        "predicted": facts.ours.predicted[nodes].tolist(),
        "ground_truth": data.y[nodes].tolist(),
        "typical_predicted": facts.typical.predicted[nodes].tolist() if facts.typical else None,
        "confidence": _percent(facts.ours.confidence[nodes]),
        "hops": distance[nodes].tolist(),
        "labelled_nodes": labelled.nonzero().flatten().tolist(),
        "evaluated_nodes": facts.ours.judged[nodes].nonzero().flatten().tolist(),
        "attributes": {"degree": torch.bincount(drawn.edges.flatten(), minlength=len(nodes)).tolist()}
        | {name: [values[i] for i in nodes.tolist()] for name, values in (data.attributes or {}).items()},
        "edges": drawn.edges.T.flatten().tolist(),
        "highways": highways(facts, drawn.highways, drawn.ends),
        "sampled_from": drawn.total if is_sample(drawn) else None,
        "remote_hops": REMOTE,
    }


def is_sample(drawn: Drawn) -> bool:
    """Tell whether something is left out."""
    return len(drawn.nodes) < drawn.total["nodes"] or len(drawn.highways) < drawn.total["highways"]


def highways(facts: Facts, chosen: Tensor, ends: Tensor) -> dict[str, list[int]]:
    """Return what is known of the chosen highways; correct is -1 where a true class is not known."""
    roads, labels = facts.result.highway_table, facts.result.data.y
    true = labels[roads.edges[:, chosen]]
    right = torch.where((true >= 0).all(dim=0), (true[0] == true[1]).long(), -1)
    return {
        "from": ends[0].tolist(),
        "to": ends[1].tolist(),
        "round": roads.round[chosen].tolist(),
        "confidence": _percent(roads.confidence[chosen]),
        "pair_score": _percent(roads.pair_score[chosen]),
        "correct": right.tolist(),
    }


def _nodes(edges: Tensor, count: int, labelled: Tensor) -> Tensor:
    """Return all nodes, or the labelled ones and the surroundings of nodes drawn by chance."""
    if count <= MOST_NODES:
        return torch.arange(count)
    seeds = torch.randperm(count, generator=torch.Generator().manual_seed(0))[:SEEDS]
    distance = hops_from([undirected_csr(edges, count)], seeds)
    distance = torch.where(distance < 0, count, distance)
    distance[labelled] = -1
    return distance.argsort(stable=True)[:MOST_NODES].sort().values


def _start(facts: Facts, nodes: Tensor) -> NDArray[np.float64]:
    """Return first places: classes around a circle, a node the nearer to its class's place the surer it is."""
    angle = 2 * torch.pi * torch.arange(len(facts.classes)) / len(facts.classes)
    chances = facts.ours.logits[nodes].softmax(dim=1)
    places = chances @ torch.stack([angle.cos(), angle.sin()], dim=1)
    noise = torch.randn(places.shape, generator=torch.Generator().manual_seed(0))
    return (places + 0.3 * noise).double().numpy()


def _percent(values: Tensor) -> list[int]:
    return (100 * values).round().long().tolist()
