"""Model selection on validation: the best epoch, the best round, and when to stop."""

import warnings

from torch import Tensor

from highwaygraph.config import Config
from highwaygraph.errors import HighwayWarning
from highwaygraph.graph.graph import Graph
from highwaygraph.runs.history import Epoch, StopReason
from highwaygraph.training.consistency import estimate_prior
from highwaygraph.training.held_out import HeldOut, evaluated
from highwaygraph.training.state import BestRound, RoundState, TrainingState
from highwaygraph.training.targets.choose import target_of


def update_best(
    state: TrainingState, finished: RoundState, data: Graph, config: Config, held_out: HeldOut | None = None
) -> float:
    """Select the finished round if it is the best so far, or if the last is wanted; estimate the class prior once.

    Args:
        state: The results of the rounds before; its best round and its prior change.
        finished: The finished round.
        data: The graph with its split.
        config: All options.
        held_out: Decisions of a cross-validation, where there are no validation nodes: the last round is selected.

    Returns:
        The score of the finished round.
    """
    assert finished.best is not None
    number = len(state.rounds) + 1
    # Mini-batches are validated on sampled neighbours; rounds are compared by the exact logits of all nodes.
    exact = config.fit.labels_per_batch > 0
    value = _exact_score(finished.logits, data, state.prior, config) if exact else score(finished.best, config)
    improved = state.best is None or held_out is not None or value > state.best.score
    state.last_improvement = number if improved else state.last_improvement
    if improved or config.highway.keep == "last":
        state.best = BestRound(finished.model, finished.logits, value, number, state.highways)
    if config.consistency.align_prior and state.prior is None:
        assert state.best is not None
        logits, graph = evaluated(finished.logits, data, held_out)
        val_probs = logits.softmax(dim=1)[graph.val_mask]
        state.prior = estimate_prior(finished.logits.softmax(dim=1), val_probs, data.y[graph.val_mask])
        if config.fit.monitor == "loss" and held_out is None:
            # As later rounds are scored: with the validation loss weighted by the prior.
            value = _exact_score(state.best.logits, data, state.prior, config)
            state.best = state.best._replace(score=value)
    return value


def warn_collapse(predicted: Tensor, data: Graph) -> None:
    """Warn if all nodes are predicted to be of one class, or to have the same labels."""
    if len(predicted) > 1 and bool((predicted == predicted[0]).all()) and len(data.y[data.train_mask].unique()) > 1:
        alike = "have the same labels" if data.is_multilabel else "be of one class"
        warnings.warn(
            f"All nodes are predicted to {alike}: train longer, lower fit.lr or pairs.weight, or check the features.",
            HighwayWarning,
            stacklevel=4,
        )


def score(epoch: Epoch, config: Config) -> float:
    """Return the validation score that selects epochs and rounds; higher is better."""
    match config.fit.monitor:
        case "accuracy":
            return epoch.val
        case "f1":
            return epoch.val_f1
        case "balanced_accuracy":
            return epoch.val_balanced_accuracy
        case "loss":
            return -epoch.val_loss


def better(epoch: Epoch, best: Epoch, config: Config) -> bool:
    """Return whether an epoch is better than the best so far."""
    now, before = score(epoch, config), score(best, config)
    return now > before or (now == before and config.fit.ties == "last")


def stop_reason(number: int, last_improvement: int, config: Config, rounds: int | None = None) -> StopReason | None:
    """Return why no further round is trained, None if one is; `rounds` replaces the number of the config."""
    if rounds is not None:
        return "rounds" if number == rounds else None
    if number - last_improvement >= config.highway.patience:
        return "validation"
    return "rounds" if number == config.highway.rounds else None


def _exact_score(logits: Tensor, data: Graph, prior: Tensor | None, config: Config) -> float:
    """Return the validation score of the logits of all nodes; the loss is weighted by the prior where there is one."""
    val = data.val_mask
    return target_of(data).round_score(logits[val], data.y[val], prior, config.fit.monitor)
