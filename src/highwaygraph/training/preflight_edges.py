"""Preflight checks of edge features and edge types: values that a model does not use, and the type of highways."""

import warnings

import torch
from torch import Tensor, nn

from highwaygraph.config import Config
from highwaygraph.errors import HighwayError, HighwayWarning, ModelError
from highwaygraph.graph.augment import add_highways
from highwaygraph.graph.edge_values import num_edge_types, values_by_name
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import is_new
from highwaygraph.nn.batches import batch_builder, evaluate
from highwaygraph.nn.features import Features
from highwaygraph.nn.forward_inputs import MEANING, forward_inputs

# Nodes of the trial forward pass.
TRIAL_NODES = 16


def warn_unused_values(model: nn.Module, graph: Graph) -> None:
    """Warn of edge features and edge types that the model's forward does not take."""
    taken = forward_inputs(model).optional
    for name in ("edge_attr", "edge_type"):
        if name in values_by_name(graph) and name not in taken:
            warnings.warn(
                f"The graph has {MEANING[name]}, which {type(model).__name__}.forward has no argument {name} for: "
                "they are not used.",
                HighwayWarning,
                stacklevel=3,
            )


def check_highway_type(model: nn.Module, features: Features, graph: Graph, config: Config) -> None:
    """Refuse a module that cannot be called with highways, whose type is one more than those of the graph.

    Args:
        model: The module, after its trial forward pass.
        features: The prepared features.
        graph: The graph.
        config: All options; without highways, any number of edge types is enough.
    """
    highways = config.highway.rounds > 1 and config.highway.control != "pseudo-labels"
    if not highways or "edge_type" not in values_by_name(graph) or "edge_type" not in forward_inputs(model).optional:
        return
    train = graph.train_mask.nonzero().flatten()[:TRIAL_NODES]
    edges = torch.stack([train[:1].expand(len(train) - 1), train[1:]])
    edges = edges[:, is_new(graph, edges)]
    if not edges.size(1):
        return
    before = evaluate(model, batch_builder(model, features, graph)(train))
    try:
        after = evaluate(model, batch_builder(model, features, add_highways(graph, edges))(train))
    except HighwayError:
        raise
    except Exception as error:
        raise _too_few_types(model, graph) from error
    if _is_same(before, after):
        raise _too_few_types(model, graph)


def _is_same(before: Tensor, after: Tensor) -> bool:
    """Return whether highways change no logit: layers that loop over their relations ignore a further type."""
    return torch.allclose(before, after, rtol=1e-6, atol=1e-7)


def _too_few_types(model: nn.Module, graph: Graph) -> ModelError:
    count = num_edge_types(graph)
    return ModelError(
        f"{type(model).__name__} has no parameters for the type of highways, {count}: build its layers for "
        f"{count + 1} edge types, as in num_relations=hg.models.num_relations(data)."
    )
