"""k-nearest-neighbour votes: the mean class probabilities of the most similar other nodes."""

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor
from torch.nn import functional as F

from highwaygraph.nn.votes.projection import project, row_space
from highwaygraph.nn.votes.rows import Rows

# Nodes that neighbours are searched among: an even sample of a larger graph.
MOST_VOTERS = 2**15


# Rows whose similarities to all voters are in memory at a time.
BLOCK = 512


# The least sum of weights that votes are divided by.
TINY = 1e-6


class KnnVotes:
    """Votes of the k voters with the highest cosine similarity, weighted by it; memory is O(n r + n k).

    Args:
        rows: The view.
        neighbors: The number k.
        rank: Wider views are projected to this many columns.
        whiten: Penalty of the covariance that the columns are whitened with; None leaves them as they are.
        rng: Random numbers of the projection.

    Example:
        >>> one_hot = torch.eye(2).repeat(3, 1)
        >>> knn = KnnVotes(Rows(one_hot), neighbors=2, rank=8, whiten=None, rng=torch.Generator())
        >>> knn.votes(one_hot).argmax(dim=1)
        tensor([0, 1, 0, 1, 0, 1])
    """

    def __init__(self, rows: Rows, neighbors: int, rank: int, whiten: float | None, rng: Generator) -> None:
        self.neighbors, self.basis = neighbors, row_space(rows, rank, rng)
        table = torch.cat([project(chunk, self.basis) for chunk in rows])
        self.whitening = None if whiten is None else _whitening(table, whiten)
        self.table = self._directions(table)
        self.voters = torch.arange(0, len(table), max(-(-len(table) // MOST_VOTERS), 1))

    def votes(self, probs: Float[Tensor, "n c"]) -> Float[Tensor, "n c"]:
        """Return the mean probabilities of every node's neighbours, itself left out.

        Args:
            probs: Class probabilities of every node.

        Returns:
            Predictions of the same shape.
        """
        return self._vote(self.table, probs, own=torch.arange(len(self.table)))

    def predict(self, other: Rows, probs: Float[Tensor, "n c"]) -> Float[Tensor, "m c"]:
        """Return the predictions for rows that are not among the voters.

        Args:
            other: The same view of other nodes.
            probs: Class probabilities of the voters' graph.

        Returns:
            Predictions, one row per other node.
        """
        table = self._directions(torch.cat([project(chunk, self.basis) for chunk in other]))
        return self._vote(table, probs, own=None)

    def _directions(self, table: Float[Tensor, "m r"]) -> Float[Tensor, "m r"]:
        table = table if self.whitening is None else table @ self.whitening
        return F.normalize(table, dim=1)

    def voter_weights(self, nodes: Int[Tensor, "k"]) -> Float[Tensor, "k n"]:
        """Return the weight of every node's probabilities, minus the prior, in the votes on some nodes.

        Args:
            nodes: The nodes.

        Returns:
            The weights, 0 for nodes that are not among the nearest; `votes` is the prior plus their sum.
        """
        nearest, weight = self._nearest(self.table[nodes], self.table[self.voters], nodes)
        weight = weight / weight.sum(dim=1, keepdim=True).clamp(min=TINY)
        return torch.zeros(len(nodes), len(self.table)).scatter(1, nearest, weight)

    def _vote(self, table: Tensor, probs: Tensor, own: Int[Tensor, "m"] | None) -> Tensor:
        voters, prior, found = self.table[self.voters], probs.mean(dim=0), []
        for start in range(0, len(table), BLOCK):
            block = slice(start, start + BLOCK)
            nearest, similarity = self._nearest(table[block], voters, None if own is None else own[block])
            weight = similarity[:, :, None]
            vote = (weight * (probs[nearest] - prior)).sum(dim=1)
            # A node without any similar voter gets the prior.
            found.append(prior + vote / weight.sum(dim=1).clamp(min=TINY))
        return torch.cat(found)

    def _nearest(
        self, table: Tensor, voters: Tensor, own: Int[Tensor, "m"] | None
    ) -> tuple[Int[Tensor, "m k"], Float[Tensor, "m k"]]:
        """Return the most similar voters of some rows, the node itself left out, and their similarity, at least 0."""
        similarity = table @ voters.T
        if own is not None:
            similarity[own[:, None] == self.voters] = -torch.inf
        nearest = similarity.topk(min(self.neighbors, len(self.voters)), dim=1)
        return self.voters[nearest.indices], nearest.values.clamp(min=0)


def _whitening(table: Float[Tensor, "n r"], penalty: float) -> Float[Tensor, "r r"]:
    """Return (Z'Z + penalty I)^(-1/2)."""
    values, vectors = torch.linalg.eigh((table.T @ table).double())
    whitening: Tensor = vectors * (values.clamp(min=0) + penalty).rsqrt() @ vectors.T
    return whitening.float()
