"""Runs that tests of explanations share, and brute-force removal on the whole graph."""

from functools import cache

import torch
from torch import Tensor

from highwaygraph.explanation.network import NetworkView, network_view
from highwaygraph.graph.graph import Graph
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph, symmetric_weights

QUICK = {"fit.epochs": 20, "fit.lr": 0.03, "fit.device": "cpu"}


def long_graph() -> Graph:
    """Return two planted-partition graphs that a single edge joins: no receptive field of two layers is all of it."""
    one, two = block_graph(0), block_graph(1)
    edges = torch.cat([one.edge_index, two.edge_index + 180, torch.tensor([[0, 180], [180, 0]])], dim=1)
    masks = {name: torch.cat([one[name], two[name]]) for name in ("train_mask", "val_mask", "test_mask")}
    x, y = torch.cat([one.x, two.x]), torch.cat([one.y, two.y])
    # A thinner graph has smaller receptive fields.
    kept = (edges[0] * 7 + edges[1] * 7) % 10 < 5
    return Graph(x=x, edge_index=edges[:, kept], y=y, num_nodes=360, **masks)


@cache
def explained_run(
    model: str = "gcn", preset: str = "typical", *, weighted: bool = False, features: str = "raw"
) -> Result:
    """Return a run on the long graph."""
    data = long_graph()
    if weighted:
        data.edge_weight = symmetric_weights(data) + 0.1
    config = override(PRESETS["typical"], QUICK | {"fit.features": features})
    return train(build(model, data, hidden=8), data, config, seed=0, progress=False)


@cache
def combined_run() -> Result:
    """Return a run of `plus`, whose answer may be any candidate."""
    data = long_graph()
    config = override(PRESETS["plus"], QUICK | {"fit.min_epochs": 5, "highway.precision": 0.5})
    return train(build("gcn", data, hidden=8), data, config, seed=0, progress=False)


@cache
def view_of(model: str) -> NetworkView:
    """Return the network of such a run."""
    return network_view(explained_run(model))


def without_node(data: Graph, removed: int, node: int) -> tuple[Graph, int]:
    """Return the whole graph without a node, built by renumbering, and the new number of another node."""
    kept = [i for i in range(data.num_nodes) if i != removed]
    number = {old: new for new, old in enumerate(kept)}
    pairs = data.edge_index.T.tolist()
    places = [i for i, (a, b) in enumerate(pairs) if removed not in (a, b)]
    edges = torch.tensor([[number[pairs[i][0]], number[pairs[i][1]]] for i in places]).T
    smaller = Graph(x=data.x[kept], edge_index=edges, y=data.y[kept], num_nodes=len(kept))
    if data.edge_weight is not None:
        smaller.edge_weight = data.edge_weight[places]
    return smaller, number[node]


def brute_force(result: Result, removed: int, node: int) -> Tensor:
    """Return the logits of a node on the whole graph without another node, by the public prediction."""
    smaller, place = without_node(result.data, removed, node)
    return result.predict_logits(smaller)[place]
