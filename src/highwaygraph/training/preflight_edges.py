"""Preflight checks of edge features and edge types: values that a model does not use, and the type of highways."""

import warnings
from collections.abc import Mapping

import torch
from torch import Tensor, nn

from highwaygraph.config import Config
from highwaygraph.errors import HighwayError, HighwayWarning, ModelError
from highwaygraph.graph.edge_values import highway_values, num_edge_types, values_by_name
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.batches import ModuleBatch, batch_builder, evaluate
from highwaygraph.nn.features import Features
from highwaygraph.nn.forward_inputs import MEANING, forward_inputs

# Nodes of the trial forward pass.
TRIAL_NODES = 16


def warn_unused_values(model: nn.Module, graph: Graph) -> Graph:
    """Return the graph, with a warning where its edges have features or types and the model takes neither."""
    present = [name for name in ("edge_attr", "edge_type") if name in values_by_name(graph)]
    if present and not set(present) & set(forward_inputs(model).optional):
        meaning = " and ".join(MEANING[name] for name in present)
        message = f"{type(model).__name__} takes no {' or '.join(present)}: the {meaning} of the graph are not used."
        warnings.warn(message, HighwayWarning, stacklevel=3)
    return graph


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
    before = batch_builder(model, features, graph)(graph.train_mask.nonzero().flatten()[:TRIAL_NODES])
    assert isinstance(before, ModuleBatch)
    after = _with_highways(before, highway_values(graph))
    try:
        ignored = torch.allclose(evaluate(model, before), evaluate(model, after), rtol=1e-6, atol=1e-7)
    except HighwayError:
        raise
    except Exception as error:
        raise _too_few_types(model, graph) from error
    # Layers that loop over their relations ignore edges of a further type.
    if ignored:
        raise _too_few_types(model, graph)


def _with_highways(batch: ModuleBatch, values: Mapping[str, Tensor]) -> ModuleBatch:
    """Return the batch with highways from the first target node to the others."""
    assert batch.targets is not None
    first, others = batch.targets[:1], batch.targets[1:]
    edges = torch.stack([first.expand(len(others)), others])
    more = {name: values[name].expand(len(others), *values[name].shape) for name in batch.edge_values}
    joined = {name: torch.cat([value, more[name].to(value)]) for name, value in batch.edge_values.items()}
    return batch._replace(edge_index=torch.cat([batch.edge_index, edges], dim=1), edge_values=joined)


def _too_few_types(model: nn.Module, graph: Graph) -> ModelError:
    count = num_edge_types(graph)
    return ModelError(
        f"{type(model).__name__} has no parameters for the type of highways, {count}: build its layers for "
        f"{count + 1} edge types, as in num_relations=hg.models.num_relations(data)."
    )
