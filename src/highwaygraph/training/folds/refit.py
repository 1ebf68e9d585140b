"""A training on all labels, without validation nodes: the folds decide its epochs, rounds and answer."""

import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from statistics import median_low

import torch
from torch import Tensor, nn

from highwaygraph.config import Config, Network
from highwaygraph.graph.folds import with_masks
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.factory import build_network
from highwaygraph.nn.modules import num_classes
from highwaygraph.options import override
from highwaygraph.runs.folds import Fold, OutOfFold
from highwaygraph.runs.history import TYPICAL
from highwaygraph.runs.result import Result
from highwaygraph.training.checkpoints import Checkpoints
from highwaygraph.training.engine import checkpoints, train_candidates
from highwaygraph.training.held_out import HeldOut


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
    nodes = found.nodes
    test = data.test_mask if "test_mask" in data else torch.zeros(data.num_nodes, dtype=torch.bool)
    graph = with_masks(data, nodes, nodes[:0], test.nonzero().flatten())
    decided = decide(found, candidates)
    built = _build(model, graph, found.folds)
    saved = checkpoint
    if isinstance(checkpoint, Checkpoints):
        options = {"every": checkpoint.every, "stop": checkpoint.stop}
        saved = checkpoints(checkpoint.folder, built, graph, config, **options)
    answer = train_candidates(built, graph, config, checkpoint=saved, progress=progress, held_out=decided)
    plain = OutOfFold(found.nodes, found.labels, found.fold, found.logits, found.typical, found.folds)
    return replace(answer.result, folds=plain)


def decide(found: OutOfFold, candidates: Mapping[str, Tensor]) -> HeldOut:
    """Return the epochs and rounds of a training on all labels: medians over the folds.

    Args:
        found: The out-of-fold predictions.
        candidates: Out-of-fold logits by name of the candidate.

    Returns:
        The decisions, with the predictions that decide the rest.
    """
    rounds = median_low([one.best_round for one in found.folds])
    each = ([one.epochs[number] for one in found.folds if len(one.epochs) > number] for number in range(rounds))
    typical = [one.typical_epochs for one in found.folds] if TYPICAL in candidates else [0]
    return HeldOut(
        found.nodes, found.fold, candidates, tuple(median_low(epochs) for epochs in each), median_low(typical)
    )


def _build(model: nn.Module | Network, graph: Graph, folds: tuple[Fold, ...]) -> nn.Module:
    """Return the user's module, or the network; for auto, the one that most folds chose."""
    if isinstance(model, nn.Module):
        return model
    most = Counter(one.network for one in folds).most_common(1)[0][0]
    network = override(model, {"model": most}) if model.is_auto else model
    return build_network(network, graph.x.size(1), num_classes(graph))
