"""Voters: the logits of a view's votes, from the predictions of a classifier."""

import copy

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.config import Fit, Votes
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.votes.knn import KnnVotes
from highwaygraph.nn.votes.ridge import RidgeVotes
from highwaygraph.nn.votes.rows import Rows
from highwaygraph.nn.votes.views import propagate, view_rows
from highwaygraph.runtime.rng import generator
from highwaygraph.vote_options import View

# The least probability in a vote, and of a class in the prior: a vote never excludes a class.
FLOOR = 0.01


# The name of a random stream decides the results and never changes.
VOTES = "votes"


class Voter:
    """A view of the training graph whose nodes vote; it is prepared once, and votes on any predictions.

    Args:
        view: The features that vote, as in `votes.views`.
        data: The training graph.
        options: How the view votes.
        fit: Options: the scaling of the features.
        seed: The seed of the projection, and of the control with shuffled features.
    """

    def __init__(self, view: View, data: Graph, options: Votes, fit: Fit, seed: int) -> None:
        rng = generator(seed, VOTES)
        self.view, self._data, self._fit = view, data, fit
        self._rows = propagate(data, fit) if options.control == "propagated" else view_rows(view, data, fit)
        self._regression = _regression(self._rows, options, rng)
        # In the control experiment every node votes with the features of another.
        self._order = torch.randperm(data.num_nodes, generator=rng) if options.control == "shuffled" else None

    def logits(self, logits: Float[Tensor, "n c"]) -> Float[Tensor, "n c"]:
        """Return the logits of the votes: the logarithm of the voted probabilities over the class prior.

        Args:
            logits: A classifier's logits of every node of the training graph.

        Returns:
            Logits of the same shape; no node votes for itself.
        """
        probs = known_probs(logits, self._data)
        if self._order is None:
            return log_votes(self._regression.votes(probs), probs)
        voted = torch.empty_like(probs)
        voted[self._order] = self._regression.votes(probs[self._order])
        return log_votes(voted, probs)

    def voter_weights(self, nodes: Int[Tensor, "k"]) -> Float[Tensor, "k n"] | None:
        """Return the weight of every node in the votes on some nodes; None in the control with shuffled features.

        Args:
            nodes: The nodes.

        Returns:
            The voted probabilities are the class prior plus the weighted sum of the probabilities minus the prior.
        """
        return None if self._order is not None else self._regression.voter_weights(nodes)

    def other_logits(self, logits: Float[Tensor, "n c"], other: Graph) -> Float[Tensor, "m c"]:
        """Return the logits of the votes on the nodes of another graph.

        Args:
            logits: A classifier's logits of every node of the training graph.
            other: Another graph with the same features; new nodes attached to the training graph come last.

        Returns:
            Logits of every node of the other graph.
        """
        probs, other = known_probs(logits, self._data), copy.copy(other)
        # Text columns are those of the training graph, also where the other graph was not read from tables.
        other.encoders = self._data.encoders
        voted = self._regression.predict(view_rows(self.view, other, self._fit, self._rows.length), probs)
        if other.num_attached or _is_same(other.x, self._data.x):
            voted[: len(probs)] = self._regression.votes(probs)
        return log_votes(voted, probs)


def known_probs(logits: Float[Tensor, "n c"], data: Graph) -> Float[Tensor, "n c"]:
    """Return the class probabilities; those of training nodes are their labels.

    Args:
        logits: The logits of every node.
        data: The graph with labels and a training mask.

    Returns:
        Probabilities of the same shape.
    """
    probs = logits.float().softmax(dim=1)
    probs[data.train_mask] = F.one_hot(data.y[data.train_mask], logits.size(1)).to(probs)
    return probs


def log_votes(voted: Float[Tensor, "m c"], probs: Float[Tensor, "n c"]) -> Float[Tensor, "m c"]:
    """Return the logarithm of votes over the class prior, the mean of the probabilities that were voted on.

    Args:
        voted: Predicted probabilities; rows need neither be positive nor sum to 1.
        probs: The probabilities of the voters.

    Returns:
        Logits; 0 in every column where the vote is the prior.

    Example:
        >>> log_votes(torch.tensor([[0.5, 0.5]]), torch.tensor([[1.0, 0.0], [0.0, 1.0]]))
        tensor([[0., 0.]])
    """
    voted = voted.clamp(min=FLOOR)
    voted = voted / voted.sum(dim=1, keepdim=True)
    return (voted / probs.mean(dim=0).clamp(min=FLOOR)).log()


def _is_same(x: Tensor, y: Tensor) -> bool:
    """Return whether two graphs have the same features: their nodes are then the voters themselves."""
    return x is y or (x.shape == y.shape and torch.equal(x, y))


def _regression(rows: Rows, options: Votes, rng: torch.Generator) -> RidgeVotes | KnnVotes:
    if options.method == "ridge":
        return RidgeVotes(rows, options.penalty, options.rank, rng)
    whiten = options.penalty if options.method == "whitened-knn" else None
    return KnnVotes(rows, options.neighbors, options.rank, whiten, rng)
