"""What decides on validation: which epoch, which round, when to stop; and what is said of an answer that is none."""

import warnings

from torch import Tensor

from highwaygraph.config import Config
from highwaygraph.errors import HighwayWarning
from highwaygraph.graph.graph import Graph
from highwaygraph.runs.history import Epoch, StopReason
from highwaygraph.training.consistency import class_weights, estimate_prior
from highwaygraph.training.state import BestRound, FitResult, TrainingState
from highwaygraph.training.step import node_loss


def update_best(now: TrainingState, fitted: FitResult, data: Graph, config: Config) -> None:
    """Keep the round's answer if it is the best so far, or the last one is wanted, and estimate class shares once."""
    number, value = len(now.rounds) + 1, score(fitted.best, config)
    improved = now.kept is None or value > now.kept.score
    now.best = number if improved else now.best
    if improved or config.highway.keep == "last":
        now.kept = BestRound(fitted.model, fitted.logits, fitted.best, value, number - 1, now.roads)
    if config.consistency.align_prior and now.shares is None:
        assert now.kept is not None
        now.shares = _shares(fitted.logits, data)
        now.kept = now.kept._replace(score=_rescore(now.kept, data, now.shares, config))


def warn_collapse(logits: Tensor, data: Graph) -> None:
    """Warn of an answer that is the same for all nodes."""
    said = logits.argmax(dim=1)
    if len(said) > 1 and bool((said == said[0]).all()) and len(data.y[data.train_mask].unique()) > 1:
        warnings.warn(
            "All nodes are put in one class: train longer, lower fit.lr or pairs.weight, or look at the features.",
            HighwayWarning,
            stacklevel=5,
        )


def score(epoch: Epoch, config: Config) -> float:
    """Return the validation score that weights and rounds are chosen by, higher is better."""
    match config.fit.monitor:
        case "accuracy":
            return epoch.val
        case "f1":
            return epoch.val_f1
        case "loss":
            return -epoch.val_loss


def better(epoch: Epoch, best: Epoch, config: Config) -> bool:
    """Tell whether an epoch's weights take the place of the best so far."""
    now, before = score(epoch, config), score(best, config)
    return now > before or (now == before and config.fit.ties == "last")


def stop_reason(number: int, best: int, config: Config) -> StopReason | None:
    """Return why no further round is trained, None if one is."""
    if number - best >= config.highway.patience:
        return "validation"
    return "rounds" if number == config.highway.rounds else None


def _shares(logits: Tensor, data: Graph) -> Tensor:
    chances, val = logits.softmax(dim=1), data.val_mask
    return estimate_prior(chances, chances[val], data.y[val])


def _rescore(kept: BestRound, data: Graph, shares: Tensor, config: Config) -> float:
    """Return the first round's score as later ones are scored: with validation weighted by the shares."""
    if config.fit.monitor != "loss":
        return score(kept.best, config)
    labels = data.y[data.val_mask]
    return -node_loss(kept.logits[data.val_mask], labels, class_weights(shares, labels)).item()
