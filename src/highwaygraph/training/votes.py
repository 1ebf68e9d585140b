"""Votes within the training: in the consistency targets, and in the choice of highways."""

from collections.abc import Sequence

import torch
from torch import Tensor

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.votes.voter import Voter


def make_voters(data: Graph, config: Config) -> list[Voter]:
    """Return the voters that the rounds need; none where only the answer uses votes."""
    options = config.votes
    if not (options.targets or options.highways):
        return []
    return [Voter(view, data, options, config.fit, config.seed) for view in options.views]


def mean_votes(voters: Sequence[Voter], logits: Tensor) -> Tensor | None:
    """Return the mean of the voters' logits, None without voters."""
    return torch.stack([voter.logits(logits) for voter in voters]).mean(dim=0) if voters else None


def target_votes(votes: Tensor | None, config: Config) -> Tensor | None:
    """Return the logits that the votes add to the consistency targets of the next round."""
    return None if votes is None or not config.votes.targets else config.votes.targets * votes


def agreement(votes: Tensor | None, config: Config) -> Tensor | None:
    """Return the votes that a highway has to agree with."""
    return votes if config.votes.highways else None
