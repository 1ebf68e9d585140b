"""Ridge votes: class probabilities regressed on features, every node left out of its own prediction."""

import torch
from jaxtyping import Float, Int
from torch import Generator, Tensor

from highwaygraph.nn.votes.projection import project, row_space
from highwaygraph.nn.votes.rows import Rows

# The least distance of a leverage from 1: a node that alone determines its prediction has no vote of others.
LEAST_RESIDUAL = 1e-4


class RidgeVotes:
    """Ridge regression of class probabilities on a view, with exact leave-one-out predictions.

    With Z the rows in the basis, M = (Z'Z + penalty I)^-1 and h_i = z_i' M z_i, the prediction for node i from all
    other nodes is (z_i' M Z'Y - h_i y_i) / (1 - h_i). Memory is O(n c + f r + r^2) for r columns of the basis.

    Args:
        rows: The view.
        penalty: The penalty of the squared weights, for rows of mean length 1.
        rank: Wider views are projected to this many columns.
        rng: Random numbers of the projection.

    Example:
        >>> one_hot = torch.eye(2).repeat(3, 1)
        >>> ridge = RidgeVotes(Rows(one_hot), penalty=1.0, rank=8, rng=torch.Generator())
        >>> ridge.votes(one_hot).argmax(dim=1)
        tensor([0, 1, 0, 1, 0, 1])
    """

    def __init__(self, rows: Rows, penalty: float, rank: int, rng: Generator) -> None:
        self.rows, self.basis = rows, row_space(rows, rank, rng)
        width = rows.width if self.basis is None else self.basis.size(1)
        gram = penalty * torch.eye(width, dtype=torch.double)
        for chunk in rows:
            part = project(chunk, self.basis)
            gram += (part.T @ part).double()
        self.inverse: Tensor = torch.linalg.inv(gram).float()
        self.leverage = torch.cat([self._leverage(project(chunk, self.basis)) for chunk in rows])

    def _leverage(self, part: Float[Tensor, "m r"]) -> Float[Tensor, "m"]:
        return ((part @ self.inverse) * part).sum(dim=1).clamp(max=1 - LEAST_RESIDUAL)

    def votes(self, probs: Float[Tensor, "n c"]) -> Float[Tensor, "n c"]:
        """Return the leave-one-out predictions of the class probabilities.

        Args:
            probs: Class probabilities of every node.

        Returns:
            Predictions of the same shape; rows need neither be positive nor sum to 1.
        """
        prior = probs.mean(dim=0)
        centred, leverage = probs - prior, self.leverage[:, None]
        fitted = self._fitted(self.rows, self._weights(centred))
        return prior + (fitted - leverage * centred) / (1 - leverage)

    def predict(self, other: Rows, probs: Float[Tensor, "n c"]) -> Float[Tensor, "m c"]:
        """Return the predictions for rows that are not among the voters.

        Args:
            other: The same view of other nodes.
            probs: Class probabilities of the voters.

        Returns:
            Predictions, one row per other node.
        """
        prior = probs.mean(dim=0)
        return prior + self._fitted(other, self._weights(probs - prior))

    def voter_weights(self, nodes: Int[Tensor, "k"]) -> Float[Tensor, "k n"]:
        """Return the weight of every node's probabilities, minus the prior, in the votes on some nodes.

        Args:
            nodes: The nodes.

        Returns:
            The weights z_i' M z_j / (1 - h_i), 0 for the node itself; `votes` is the prior plus their sum.
        """
        own, scale = self._rows_of(nodes), 1 - self.leverage[nodes, None]
        directions = own @ self.inverse / scale
        weights = torch.cat([directions @ project(chunk, self.basis).T for chunk in self.rows], dim=1)
        return weights.scatter(1, nodes[:, None], 0.0)

    def _rows_of(self, nodes: Tensor) -> Float[Tensor, "k r"]:
        found, start = [], 0
        order = nodes.argsort()
        for chunk in self.rows:
            inside = nodes[order][(nodes[order] >= start) & (nodes[order] < start + chunk.shape[0])] - start
            found.append(project(chunk, self.basis)[inside])
            start += chunk.shape[0]
        return torch.cat(found)[order.argsort()]

    def _weights(self, centred: Float[Tensor, "n c"]) -> Float[Tensor, "r c"]:
        moments = self.rows.transpose_times(centred)
        return self.inverse @ (moments if self.basis is None else self.basis.T @ moments)

    def _fitted(self, rows: Rows, weights: Float[Tensor, "r c"]) -> Float[Tensor, "m c"]:
        return rows.times(weights if self.basis is None else self.basis @ weights)
