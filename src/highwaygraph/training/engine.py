"""`train`: from a model, a graph and options to a result."""

import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from torch import nn
from torch_geometric.data import Data

from highwaygraph.config import Config
from highwaygraph.errors import ConfigError
from highwaygraph.graph.edge_values import keep_values, with_highway_values
from highwaygraph.graph.fingerprint import data_hash, split_hash
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import with_edge_index
from highwaygraph.graph.splits import validate_split
from highwaygraph.graph.validate import validate
from highwaygraph.nn.batches import own_inputs
from highwaygraph.nn.factory import is_built_in, network_of
from highwaygraph.nn.features import prepare_features, scale_other_types
from highwaygraph.nn.functional import shift_logits
from highwaygraph.nn.hetero import inputs_for, needs_highways
from highwaygraph.nn.highway_relation import with_highway_relation
from highwaygraph.nn.modules import refuse_cached
from highwaygraph.nn.scaling import with_scaling
from highwaygraph.options import override
from highwaygraph.presets import preset, typical_of
from highwaygraph.runs.history import ROUND, TYPICAL, OnEpoch
from highwaygraph.runs.result import Result
from highwaygraph.runs.trackers.parse import make_trackers
from highwaygraph.runs.trackers.protocol import Tracker
from highwaygraph.runtime.distributed import rank, world_size
from highwaygraph.runtime.environment import find_device
from highwaygraph.runtime.progress import training_bar
from highwaygraph.runtime.rng import own_generator, seeded
from highwaygraph.runtime.threads import choose_threads, own_threads
from highwaygraph.training.answer import Answer, competes
from highwaygraph.training.checkpoints import Checkpoints
from highwaygraph.training.fit import Context
from highwaygraph.training.held_out import HeldOut
from highwaygraph.training.preflight import (
    check_arguments,
    check_forward,
    check_signature,
    check_weights,
    prefer_sparse,
    prepare_minibatches,
    warn_unused_values,
)
from highwaygraph.training.rounds import run_rounds
from highwaygraph.training.selection import warn_collapse
from highwaygraph.training.sized_config import with_size
from highwaygraph.training.targets.adapted_config import adapted_config
from highwaygraph.training.targets.choose import target_of
from highwaygraph.training.tracking import Tracking, observer, tracking
from highwaygraph.training.workload import step_work

# Folder of typical training's checkpoints within that of the others.
TYPICAL_FOLDER = "typical"


def train(
    model: nn.Module,
    data: Data,
    config: Config | str = "plus",
    seed: int | None = None,
    on_epoch: OnEpoch | None = None,
    *,
    checkpoint: Checkpoints | str | os.PathLike[str] | None = None,
    progress: bool = True,
    trackers: Iterable[Tracker | str] = (),
) -> Result:
    """Train a copy of any GNN with HighwayGraph (Algorithm 1); random states and torch's threads do not change.

    Args:
        model: Any module with `forward(x, edge_index, ...)` or `forward(data)` that returns logits; it is copied.
        data: A graph with `x`, `edge_index`, `y` and the masks of a split; label -1 means unlabelled. With several
            labels per node, `y` has a column of 0 and 1 per label.
        config: A config, or the name of a preset.
        seed: Replaces the seed of the config.
        on_epoch: Called with the record of every epoch.
        checkpoint: Folder for checkpoints, from which an interrupted training resumes.
        progress: Show a progress bar on a terminal and in notebooks.
        trackers: Experiment trackers, or names such as `tensorboard:DIR`, `mlflow:DIR` and `wandb`.

    Returns:
        The result, with the predictions of the selected round or, with the preset plus, of a better simple candidate.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"))
        >>> config = hg.override(hg.PRESETS["full"], {"fit.epochs": 3, "highway.rounds": 1})
        >>> hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False).predict().shape
        torch.Size([2708])
    """
    config, given = _checked(model, config, seed), make_trackers(trackers)
    answer = train_candidates(model, data, config, on_epoch, checkpoint=checkpoint, progress=progress, trackers=given)
    return answer.result


def train_candidates(
    model: nn.Module,
    data: Data,
    config: Config,
    on_epoch: OnEpoch | None = None,
    *,
    checkpoint: Checkpoints | str | os.PathLike[str] | None = None,
    progress: bool = True,
    trackers: Sequence[Tracker] = (),
    held_out: HeldOut | None = None,
) -> Answer:
    """Train as `train` does, and return the logits of all candidates for the answer too.

    Args:
        model, data, config, on_epoch, checkpoint, progress, trackers: As for `train`.
        held_out: Decisions of a cross-validation; the data then has no validation nodes.

    Returns:
        The result, and the logits by name of the candidate; without candidates, those of the selected round.
    """
    check_signature(model, checked := validate(data))
    valid = validate_split(warn_unused_values(model, checked), needs_val=held_out is None)
    graph, shown = with_scaling(valid, config.fit), progress and on_epoch is None
    config = with_size(model, graph, adapted_config(graph, config, shown=shown), _folder(checkpoint), shown=shown)
    with _threads(model, graph, config), tracking(trackers, model, graph, config) as tracked:
        result = _train(
            model, graph, config, on_epoch, checkpoint, progress=progress, held_out=held_out, tracked=tracked
        )
        answer = Answer(result, {ROUND: shift_logits(result.logits, -result.threshold_shift)})
        if competes(config):
            typical = _typical(model, graph, config, checkpoint, progress=progress, held_out=held_out)
            answer = target_of(graph).choose_answer(result, typical, held_out)
        if tracked is not None:
            tracked.end("finished", answer.result)
    warn_collapse(answer.result.predict(), graph)
    return answer


def _folder(checkpoint: Checkpoints | str | os.PathLike[str] | None) -> str | os.PathLike[str] | None:
    return checkpoint.folder if isinstance(checkpoint, Checkpoints) else checkpoint


def _checked(model: nn.Module, config: Config | str, seed: int | None) -> Config:
    check_arguments(model, config)
    config = preset(config) if isinstance(config, str) else config
    return config if seed is None else override(config, {"seed": seed})


def _typical(
    model: nn.Module,
    graph: Graph,
    config: Config,
    checkpoint: Checkpoints | str | os.PathLike[str] | None,
    *,
    progress: bool,
    held_out: HeldOut | None,
) -> Result | None:
    """Train without HighwayGraph where that competes; its checkpoints lie beside the others."""
    if not config.select.typical:
        return None
    chosen = typical_of(config)
    if isinstance(checkpoint, Checkpoints):
        options = {"every": checkpoint.every, "stop": checkpoint.stop}
        checkpoint = checkpoints(checkpoint.folder / TYPICAL_FOLDER, model, graph, chosen, **options)
    elif checkpoint is not None:
        checkpoint = checkpoints(Path(checkpoint) / TYPICAL_FOLDER, model, graph, chosen)
    with _threads(model, graph, chosen):
        decided = None if held_out is None else held_out.for_typical()
        return _train(model, graph, chosen, None, checkpoint, progress=progress, held_out=decided, title=TYPICAL)


def _train(
    model: nn.Module,
    whole: Graph,
    config: Config,
    on_epoch: OnEpoch | None,
    checkpoint: Checkpoints | str | os.PathLike[str] | None,
    *,
    progress: bool,
    held_out: HeldOut | None = None,
    title: str = "HighwayGraph",
    tracked: Tracking | None = None,
) -> Result:
    """Prepare the graph and the features, and train all rounds."""
    refuse_cached(model)
    if world_size() > 1 and not config.fit.labels_per_batch:
        raise ConfigError(
            "Several processes train in mini-batches: set their size with --fit.batch_size (fit.batch_size)."
        )
    check_weights(model, whole)
    graph = prepare_minibatches(model, whole, config) if config.fit.labels_per_batch else with_edge_index(whole)
    graph = with_highway_values(keep_values(graph, inputs_for(model, graph).optional))
    features, graph = own_inputs(model, prepare_features(model, graph, config.fit), graph)
    graph = scale_other_types(graph, config.fit)
    with _random_numbers(model, config):
        graph = with_highway_relation(model, features, graph, needed=needs_highways(config))
        model = check_forward(model, features, graph, config)
        features = prefer_sparse(model, features, graph) if config.fit.sparse_features else features
    saved = checkpoint if isinstance(checkpoint, Checkpoints | None) else checkpoints(checkpoint, model, whole, config)
    shown = progress and on_epoch is None and rank() == 0
    with training_bar(title, config.highway.rounds, config.fit.epochs, shown=shown) as report:
        context = Context(model, features, config, observer(on_epoch or report, tracked), saved, held_out, tracked)
        with _random_numbers(model, config):
            result = run_rounds(context, graph)
    return replace(result, data=whole)


def _threads(model: nn.Module, graph: Graph, config: Config) -> AbstractContextManager[None]:
    """Return the block in which the training sets torch's threads; the caller's number does not change."""
    if find_device(config.fit.device).type != "cpu":
        return nullcontext()
    return own_threads(choose_threads(step_work(model, graph, config), config.fit.num_threads))


def _random_numbers(model: nn.Module, config: Config) -> AbstractContextManager[None]:
    """Return the block in which the training draws its random numbers; the caller's random state does not change."""
    device = find_device(config.fit.device)
    # On a GPU, and in any other module, dropout draws from the global generators.
    own = is_built_in(model) and device.type == "cpu"
    return own_generator(config.seed) if own else seeded(config.seed, device)


def checkpoints(
    folder: str | os.PathLike[str], model: nn.Module, data: Graph, config: Config, **more: Any
) -> Checkpoints:
    """Return the checkpoints of a training; those of another graph, config or network are refused.

    Args:
        folder: The folder of the checkpoints.
        model: The model; of a user's module, its name and the shapes of its weights are compared.
        data: The graph with its split.
        config: All options.
        **more: Further arguments of `Checkpoints`, such as `every`.

    Returns:
        The checkpoints, for `train(..., checkpoint=...)`.
    """
    identity = {
        "data": data_hash(data),
        "split": split_hash(data),
        "config": config.model_dump(),
        "world": world_size(),
        "model": type(model).__name__,
        "network": network.model_dump() if (network := network_of(model)) else None,
        "shapes": {name: list(value.shape) for name, value in model.state_dict().items()},
    }
    return Checkpoints(Path(folder), identity, **more)
