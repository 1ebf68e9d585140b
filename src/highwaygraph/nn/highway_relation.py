"""The relation that highways have for a module on several node types, found by a trial forward pass."""

import copy

import torch
from torch import Tensor, nn

from highwaygraph.graph.augment import add_highways
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.batches import evaluate, full_batch
from highwaygraph.nn.features import Features
from highwaygraph.nn.hetero import inputs_for, join_highways


def with_highway_relation(model: nn.Module, features: Features, graph: Graph, *, needed: bool) -> Graph:
    """Return the graph whose highways have a relation that the module uses.

    Args:
        model: The module.
        features: The prepared features of the target type.
        graph: The graph.
        needed: Whether some round trains with highways; a module that cannot use them is then refused.

    Returns:
        The graph itself where the module uses the relation of highways or where there is one node type.
    """
    if inputs_for(model, graph).kind not in ("dicts", "hetero data"):
        return graph
    trial = copy.deepcopy(model)
    without, joined = _logits(trial, features, graph), _logits(trial, features, _with_trial_highways(graph))
    if joined is not None and (without is None or not torch.equal(without, joined)):
        return graph
    plain = join_highways(graph, type(model).__name__, needed=False)
    if _logits(trial, features, plain) is None:
        # The module fails for another reason, which the check of its forward pass reports.
        return graph
    return join_highways(graph, type(model).__name__, needed=needed)


def _with_trial_highways(graph: Graph) -> Graph:
    """Return the graph with a highway from every node to the next."""
    nodes = torch.arange(graph.num_nodes)
    return add_highways(graph, torch.stack([nodes, nodes.roll(1)]))


def _logits(model: nn.Module, features: Features, graph: Graph) -> Tensor | None:
    """Return the logits of all nodes, None where the module cannot be called so."""
    try:
        return evaluate(model, full_batch(model, features, graph))
    except Exception:  # a module may fail in any way on a relation that it does not know
        return None
