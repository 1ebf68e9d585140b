"""One round of Algorithm 1: the loop over epochs, with early stopping and checkpoints."""

import copy
import math
from collections.abc import Sequence
from typing import NamedTuple

from torch import nn
from torch.optim import Adam

from highwaygraph.config import Config
from highwaygraph.errors import FailedError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.batches import predict_logits
from highwaygraph.nn.features import Features, MappedFeatures, uses_kernels
from highwaygraph.nn.modules import reset_parameters
from highwaygraph.runs.history import Epoch, OnEpoch
from highwaygraph.runtime.distributed import any_rank, broadcast_parameters, rank
from highwaygraph.runtime.environment import find_device
from highwaygraph.training.batches import full_graph_data
from highwaygraph.training.checkpoints import Checkpoints, Snapshot
from highwaygraph.training.held_out import HeldOut
from highwaygraph.training.minibatches import minibatch_data
from highwaygraph.training.selection import better
from highwaygraph.training.state import RoundState, TrainingState, restore_round, snapshot
from highwaygraph.training.step import step, validate

# Validation scores of an epoch without validation nodes.
NOT_VALIDATED = (math.nan,) * 4


class Context(NamedTuple):
    """The parts of a run that stay the same through all rounds; the weights are initialised again in each."""

    model: nn.Module
    features: Features
    config: Config
    on_epoch: OnEpoch
    checkpoints: Checkpoints | None = None
    held_out: HeldOut | None = None
    """Decisions of a cross-validation, where there are no validation nodes."""

    def epochs(self, number: int) -> int:
        """Return the most epochs of a round, counted from 1."""
        return self.config.fit.epochs if self.held_out is None else self.held_out.epochs[number - 1]


def fit(
    context: Context, state: TrainingState, graph: Graph, views: Sequence[Graph] = (), saved: Snapshot | None = None
) -> RoundState:
    """Train the model for one round, until validation stops improving; without validation nodes, to the last epoch.

    Args:
        context: The constant parts of the run.
        state: The results of the rounds before.
        graph: The graph of this round.
        views: Graphs with highways that are sampled in training steps only.
        saved: The snapshot to resume from, if the round was interrupted.

    Returns:
        The finished round: the model has the weights of its best epoch.
    """
    # A copy per round: parts without reset_parameters start from the weights they were given with.
    model, config, number = copy.deepcopy(context.model), context.config, len(state.rounds) + 1
    prepare = minibatch_data if isinstance(context.features, MappedFeatures) else full_graph_data
    data = prepare(model, context.features, graph, config, number, views=views, prior=state.prior, votes=state.votes)  # type: ignore[arg-type]
    current, validates = _start(model, config, saved), context.held_out is None
    for epoch in range(len(current.history) + 1, context.epochs(number) + 1):
        loss, pair = step(model, data, current.optimizer, config, epoch)
        scores = validate(model, data, config, epoch) if validates else NOT_VALIDATED
        now = Epoch(number, epoch, loss, pair, *scores)
        current.history.append(now)
        context.on_epoch(now)
        if current.best is None or not validates or better(now, current.best, config):
            # Cloned: the optimizer changes these tensors in place.
            current.best, current.best_weights = now, {k: v.clone() for k, v in model.state_dict().items()}
        if validates and epoch >= config.fit.min_epochs and epoch - current.best.epoch >= config.fit.patience:
            break
        if context.checkpoints is not None:
            _save(context.checkpoints, state, current, config)
    model.load_state_dict(current.best_weights)
    logits = predict_logits(model, context.features, graph)
    if not logits.isfinite().all():
        raise FailedError(f"The logits of round {number} are not all finite: lower fit.lr, or check the features.")
    model.cpu()
    current.logits = logits.cpu()
    return current


def _start(model: nn.Module, config: Config, saved: Snapshot | None) -> RoundState:
    """Return the start of a round, or the epoch at which it was interrupted."""
    if saved is None:
        reset_parameters(model)
    broadcast_parameters(model)
    # Fused Adam is faster, but only plain Adam makes a user's module bit-identical to a plain training loop.
    fused = uses_kernels(model, config.fit)
    optimizer = Adam(model.parameters(), lr=config.fit.lr, weight_decay=config.fit.weight_decay, fused=fused)
    current = RoundState(model, optimizer)
    if saved is not None:
        restore_round(current, saved, find_device(config.fit.device))
    return current


def _save(checkpoints: Checkpoints, state: TrainingState, current: RoundState, config: Config) -> None:
    """Write a checkpoint if one is due; end the training if any process received a signal to stop."""
    stop, first = any_rank(checkpoints.stop.is_set()), bool(state.rounds) and len(current.history) == 1
    if rank() == 0 and (stop or first or checkpoints.due()):
        checkpoints.save(snapshot(state, current, find_device(config.fit.device)))
    if stop:
        raise KeyboardInterrupt
