"""Preflight checks: refuse a model, config or graph that cannot be trained, before any training."""

import copy
import warnings

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from highwaygraph.config import Config
from highwaygraph.data.limits import ALWAYS_ALLOWED
from highwaygraph.errors import ConfigError, DataError, HighwayError, HighwayWarning, ModelError, warn_renamed
from highwaygraph.graph.edge_values import values_by_name
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import is_directed, with_csr
from highwaygraph.nn.batches import ModelBatch, batch_builder, evaluate, full_batch
from highwaygraph.nn.features import Features, MappedFeatures, parameter_dtype, sparse_features
from highwaygraph.nn.forward_inputs import MEANING, forward_inputs
from highwaygraph.nn.forward_signature import call_text, refuse_unfilled
from highwaygraph.nn.gnn import GNN
from highwaygraph.nn.hetero import inputs_for
from highwaygraph.nn.modules import has_former_loss, has_training_loss, mark_log_probs, num_classes
from highwaygraph.runtime.environment import find_device

# Nodes of the trial forward pass.
TRIAL_NODES = 16
# Factor of the parameters in the check for probabilities: logits grow with it.
LARGE = 1e3


def check_arguments(model: object, config: object) -> None:
    """Refuse a model or a config of the wrong type."""
    if not isinstance(model, nn.Module):
        hint = f": build it with hg.models.build({model!r}, data)" if isinstance(model, str) else ""
        raise ModelError(f"The model must be a torch module, not {type(model).__name__}{hint}.")
    if parameter_dtype(model) == torch.float16:
        raise ModelError(
            "The model's weights are in half precision, in which Adam's steps overflow: keep them in float32 and use "
            "torch.autocast in its forward."
        )
    if has_former_loss(model):
        warn_renamed("own_loss", "training_loss", stacklevel=4)  # glossary: name of version 0.1
    if not isinstance(config, Config | str):
        hint = ': use hg.override(hg.PRESETS["plus"], {...})' if isinstance(config, dict) else ""
        raise ConfigError(f"The config must be hg.Config or the name of a preset, not {type(config).__name__}{hint}.")


def check_signature(model: nn.Module, data: Graph) -> None:
    """Refuse a module whose forward has arguments that a call on this graph cannot fill."""
    if not isinstance(model, GNN):
        refuse_unfilled(model, several_types=data.hetero is not None)


def check_weights(model: nn.Module, data: Graph) -> None:
    """Refuse negative edge weights for a built-in network that uses them, as it divides by roots of their sums."""
    weight = data.edge_weight if data.csr is None else data.csr.weight
    if weight is None or not isinstance(model, GNN) or not (model.accepts_edge_weight and model.num_hops):
        return
    negative = int((weight < 0).sum())
    if negative:
        raise DataError(
            f"{negative:,} of {len(weight):,} edge weights are negative, which {model.network.model} cannot normalise: "
            "make them positive, name another column with --weight, or leave the weights out with --weight none."
        )


def prepare_minibatches(model: nn.Module, data: Graph, config: Config) -> Graph:
    """Return the graph with a CSR adjacency; refuse models and options that need the whole graph in every step."""
    if has_training_loss(model):
        raise ConfigError(f"{type(model).__name__} trains on the whole graph at once: leave out fit.batch_size.")
    if data.hetero is not None:
        raise ConfigError("Mini-batches are not supported for several node types: leave out fit.batch_size.")
    if config.highway.control == "pseudo-labels":
        raise ConfigError("highway.control=pseudo-labels trains on the whole graph at once: leave out fit.batch_size.")
    if isinstance(model, GNN) and model.undirected_minibatches and data.csr is None and is_directed(data):
        raise ConfigError(
            f"{model.network.model} trains in mini-batches on undirected graphs only: "
            "add the reverse edges, or leave out fit.batch_size."
        )
    return with_csr(data)


def warn_unused_values(model: nn.Module, graph: Graph) -> Graph:
    """Return the graph, with a warning where the model takes neither edge features, edge types nor other node types."""
    if graph.hetero is not None and inputs_for(model, graph).kind not in ("dicts", "hetero data"):
        target = graph.hetero.target
        message = f"{type(model).__name__} reads the nodes of type {target} and the edges between them only."
        warnings.warn(message, HighwayWarning, stacklevel=3)
        return graph
    present = [name for name in ("edge_attr", "edge_type") if name in values_by_name(graph)]
    if present and not set(present) & set(inputs_for(model, graph).optional):
        meaning = " and ".join(MEANING[name] for name in present)
        message = f"{type(model).__name__} takes no {' or '.join(present)}: the {meaning} of the graph are not used."
        warnings.warn(message, HighwayWarning, stacklevel=3)
    return graph


def check_forward(model: nn.Module, features: Features, data: Graph, config: Config) -> nn.Module:
    """Return a copy of the model after a trial forward pass: lazy layers have shapes, the logits fit the labels."""
    classes = _num_classes(data)
    model = copy.deepcopy(model).to(find_device(config.fit.device))
    try:
        batch = batch_builder(model, features, data)(data.train_mask.nonzero().flatten()[:TRIAL_NODES])
        logits = evaluate(model, batch)
    except HighwayError:
        raise
    except Exception as error:
        call = call_text(inputs_for(model, data), values_by_name(data))
        raise ModelError(
            f"The model cannot be called on this graph ({data.x.size(1)} features) as {call}: {_reason(model, error)}."
        ) from error
    _refuse_uninitialised(model)
    if logits.size(1) < classes:
        raise ModelError(f"The model outputs {logits.size(1)} classes but the labels contain {classes}.")
    if config.fit.threshold != "argmax" and logits.size(1) != 2:
        raise ConfigError(
            f"fit.threshold={config.fit.threshold} needs two classes, but there are {logits.size(1)}: leave it out; "
            "fit.class_weights=balanced weights any number of classes alike."
        )
    if not isinstance(model, GNN) and not config.fit.labels_per_batch:
        _refuse_normalised_columns(model, features, data, logits)
    if data.is_multilabel:
        _check_label_outputs(model, logits, classes)
        _refuse_label_probabilities(model, batch, logits)
    else:
        _check_outputs(model, logits)
    return model


def _refuse_uninitialised(model: nn.Module) -> None:
    """Refuse lazy layers that the forward pass does not call: they would never have a size."""
    for name, parameter in model.named_parameters():
        if is_lazy(parameter):
            raise ModelError(
                f"The layer of {name!r} has no size, and forward does not call it: give it a size, or remove it."
            )


def _reason(model: nn.Module, error: Exception) -> str:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    if isinstance(error, AttributeError | TypeError) and forward_inputs(model).kind == "data":
        reason += (
            "; forward(data) receives x, edge_index, edge_weight, edge_attr and edge_type; other attributes are not "
            "supported: add them to data.x as columns"
        )
    return reason


def _check_label_outputs(model: nn.Module, logits: Tensor, labels: int) -> None:
    """Refuse a module whose outputs are not one logit per label, or that has a training loss of its own."""
    if has_training_loss(model):
        raise ModelError(
            f"The training loss of {type(model).__name__} is not supported for several labels per node: train a model "
            "without training_loss."
        )
    if logits.size(1) != labels:
        raise ModelError(f"The model outputs {logits.size(1)} columns for {labels} labels: it needs one per label.")


def _refuse_label_probabilities(model: nn.Module, batch: ModelBatch, logits: Tensor) -> None:
    """Refuse a module whose outputs are probabilities: within [0, 1] whatever its parameters are."""
    outputs = logits
    if bool(((logits >= 0) & (logits <= 1)).all()):
        # Logits of an untrained module can be in that range by chance; with large parameters they are not.
        large = copy.deepcopy(model)
        with torch.no_grad():
            for parameter in large.parameters():
                parameter.mul_(LARGE)
        outputs = evaluate(large, batch)
    if bool(((outputs >= 0) & (outputs <= 1)).all()) or float(logits.logsumexp(dim=1).abs().max()) < 1e-4:
        raise ModelError(
            "The model returns probabilities, but with several labels per node the losses are computed from logits: "
            "leave out sigmoid, softmax or log_softmax at the end of its forward."
        )


def _refuse_normalised_columns(model: nn.Module, features: Features, data: Graph, logits: Tensor) -> None:
    """Refuse a softmax over nodes in place of classes: every column of the whole output sums to 1, not every row."""
    tolerance = _tolerance(model)
    rows = min(float(one.abs().max()) for one in (logits.logsumexp(dim=1), logits.sum(dim=1) - 1)) < tolerance
    # The outputs of all nodes are computed only where those of some may be such probabilities.
    if rows or isinstance(features, MappedFeatures) or not bool((logits <= 0).all() or (logits >= 0).all()):
        return
    outputs = evaluate(model, full_batch(model, features, data)).detach()
    sums = outputs.logsumexp(dim=0).expm1() if bool((outputs <= 0).all()) else outputs.sum(dim=0) - 1
    if float(sums.abs().max()) < tolerance:
        raise ModelError(
            "The columns of the model's output sum to 1 over the nodes, so that its forward ends in softmax or "
            "log_softmax with dim=0: use dim=1 with log_softmax, or return the logits."
        )


def _tolerance(model: nn.Module) -> float:
    """Return the error of a sum of probabilities that rounding may make."""
    return 1e-4 if parameter_dtype(model) in (torch.float32, torch.float64) else 0.05


def _check_outputs(model: nn.Module, logits: Tensor) -> None:
    """Note a module that returns log-probabilities; refuse one that returns probabilities."""
    tolerance = _tolerance(model)
    if bool((logits >= 0).all()) and float((logits.sum(dim=1) - 1).abs().max()) < tolerance:
        raise ModelError(
            "The model returns probabilities, but the losses are computed from logits: leave out softmax at the end of "
            "its forward, or return log_softmax."
        )
    if not isinstance(model, GNN) and float(logits.logsumexp(dim=1).abs().max()) < tolerance:
        mark_log_probs(model)


def prefer_sparse(model: nn.Module, features: Features, data: Graph) -> Features:
    """Return sparse features for a user's module if its forward gives the same logits with them, else the given ones.

    Args:
        model: The module, after its trial forward pass.
        features: The prepared features.
        data: The graph.
    """
    found = sparse_features(model, features)
    if found is None:
        return features
    try:
        ours, expected = (evaluate(model, full_batch(model, one, data)) for one in (found, features))
    except Exception:  # whatever the module does with its features, the dense ones were accepted before
        return features
    return found if torch.allclose(ours, expected, rtol=1e-3, atol=1e-4) else features


def _num_classes(data: Graph) -> int:
    """Return the largest label plus 1; refuse a stray label that would make the logits of all nodes large."""
    if data.is_multilabel:
        return num_classes(data)
    classes = int(data.y.max()) + 1
    if 4 * classes * data.num_nodes > ALWAYS_ALLOWED:
        found = len(data.y[data.y >= 0].unique())
        if classes > 2 * found:
            raise DataError(
                f"The largest label is {classes - 1:,}, but only {found:,} classes occur: number them 0, 1, 2, ..."
            )
    return classes
