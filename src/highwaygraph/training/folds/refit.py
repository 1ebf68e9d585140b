"""A training on all labels, without validation nodes: the folds decide its epochs, rounds and answer."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from statistics import median_low

from torch import Tensor, nn

from highwaygraph.config import Config, Network
from highwaygraph.graph.folds import all_labels
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import network_for
from highwaygraph.options import override
from highwaygraph.presets import typical_of
from highwaygraph.runs.folds import Fold, OutOfFold
from highwaygraph.runs.history import TYPICAL
from highwaygraph.runs.result import Result
from highwaygraph.training.checkpoints import Checkpoints
from highwaygraph.training.engine import checkpoints, train_candidates
from highwaygraph.training.held_out import HeldOut

# A handful of validation nodes often selects one of the first epochs by chance, after which nothing is learned yet.
LEAST_EPOCHS = 50


def refit(
    found: OutOfFold,
    *,
    model: nn.Module | Network,
    data: Graph,
    config: Config,
    candidates: Mapping[str, Tensor],
    checkpoint: Checkpoints | str | os.PathLike[str] | None,
    progress: bool,
) -> Result:
    """Train on all nodes of the folds; see `CrossValidation.refit`.

    Args:
        found: The out-of-fold predictions.
        model, data, config: As they were cross-validated.
        candidates: Out-of-fold logits by name of the candidate.
        checkpoint: Folder for checkpoints.
        progress: Show a progress bar.

    Returns:
        The result with its `folds`.
    """
    graph, decided = all_labels(data), decide(found, candidates, config.fit.epochs)
    built = _build(model, graph, found.folds)
    saved = checkpoint
    if isinstance(checkpoint, Checkpoints):
        options = {"every": checkpoint.every, "stop": checkpoint.stop}
        saved = checkpoints(checkpoint.folder, built, graph, config, **options)
    answer = train_candidates(built, graph, config, checkpoint=saved, progress=progress, held_out=decided)
    result = answer.result
    plain_config = typical_of(result.config)
    if TYPICAL in candidates and result.baseline is None and plain_config != result.config:
        typical = decided.for_typical()
        result = result.with_baseline(
            train_candidates(built, graph, plain_config, progress=progress, held_out=typical).result
        )
    plain = OutOfFold(found.nodes, found.labels, found.fold, found.logits, found.typical, found.folds)
    return replace(result, folds=plain)


def decide(found: OutOfFold, candidates: Mapping[str, Tensor], most_epochs: int) -> HeldOut:
    """Return the epochs and rounds of a training on all labels: medians over the folds, and LEAST_EPOCHS or more.

    Args:
        found: The out-of-fold predictions.
        candidates: Out-of-fold logits by name of the candidate.
        most_epochs: Most epochs of a round.

    Returns:
        The decisions, with the predictions that decide the rest.
    """
    rounds = median_low([one.best_round for one in found.folds])
    each = ([one.epochs[number] for one in found.folds if len(one.epochs) > number] for number in range(rounds))
    typical = [one.typical_epochs for one in found.folds] if TYPICAL in candidates else [0]
    least = min(LEAST_EPOCHS, most_epochs)
    epochs = tuple(max(median_low(some), least) for some in each)
    return HeldOut(found.nodes, found.fold, candidates, epochs, max(median_low(typical), least))


def _build(model: nn.Module | Network, graph: Graph, folds: tuple[Fold, ...]) -> nn.Module:
    """Return the user's module, or the network; for auto, the one that most folds chose."""
    if isinstance(model, nn.Module):
        return model
    most = Counter(one.network for one in folds).most_common(1)[0][0]
    network = override(model, {"model": most}) if model.is_auto else model
    return network_for(network, graph)
