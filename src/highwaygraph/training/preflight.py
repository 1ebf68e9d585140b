"""What can be trained, and how: refusals that are said before any time is spent."""

import copy

from torch import nn

from highwaygraph.config import Config
from highwaygraph.errors import ConfigError, HighwayError, ModelError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import is_directed, with_csr
from highwaygraph.nn.batches import batch_builder, evaluate
from highwaygraph.nn.features import Features
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.modules import HasTrainingLoss
from highwaygraph.runtime.environment import find_device

LOOK = 16


def check_arguments(model: object, config: object) -> None:
    """Refuse a model or a config of the wrong type."""
    if not isinstance(model, nn.Module):
        hint = f": build it with hg.models.build({model!r}, data)" if isinstance(model, str) else ""
        raise ModelError(f"The model must be a torch module, not {type(model).__name__}{hint}.")
    if not isinstance(config, Config | str):
        hint = ': use hg.override(hg.PRESETS["plus"], {...})' if isinstance(config, dict) else ""
        raise ConfigError(f"The config must be hg.Config or the name of a preset, not {type(config).__name__}{hint}.")


def prepare_minibatches(model: nn.Module, data: Graph, config: Config) -> Graph:
    """Return the graph ready for lots, refusing what needs all of it at once."""
    if isinstance(model, HasTrainingLoss):
        raise ConfigError(f"{type(model).__name__} trains on the whole graph at once: leave out fit.batch_size.")
    if config.highway.control == "pseudo-labels":
        raise ConfigError("highway.control=pseudo-labels trains on the whole graph at once: leave out fit.batch_size.")
    if isinstance(model, GNN) and model.undirected_minibatches and data.csr is None and is_directed(data):
        raise ConfigError(
            f"{model.network.model} trains in mini-batches on undirected graphs only: "
            "add the reverse edges, or leave out fit.batch_size."
        )
    return with_csr(data)


def check_forward(model: nn.Module, features: Features, data: Graph, config: Config) -> nn.Module:
    """Return a copy that has seen the graph once: lazy layers have shapes, and its answer fits the labels."""
    model = copy.deepcopy(model).to(find_device(config.fit.device))
    try:
        # A few nodes tell as much as all.
        logits = evaluate(model, batch_builder(model, features, data)(data.train_mask.nonzero().flatten()[:LOOK]))
    except HighwayError:
        raise
    except Exception as error:
        what = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ModelError(f"The model cannot be called on this graph ({data.x.size(1)} features): {what}.") from error
    classes = int(data.y.max()) + 1
    if logits.size(1) < classes:
        raise ModelError(f"The model tells {logits.size(1)} classes apart, but the labels name {classes}.")
    uses_pairs = config.pairs.weight or (config.highway.rounds > 1 and config.highway.joint)
    if uses_pairs and logits.logsumexp(dim=1).abs().max() < 1e-4:
        raise ModelError("The model returns log-probabilities: return the logits, without log_softmax at the end.")
    return model
