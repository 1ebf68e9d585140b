"""The task of a strategy: a graph, its labelled nodes, the nodes that may be chosen, and predictions."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from scipy.sparse import csr_array
from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.labelling.embedding import propagated_features, undirected_matrix
from highwaygraph.runtime.rng import generator


class Choice(NamedTuple):
    """Chosen nodes, best first."""

    nodes: Int[Tensor, "k"]
    scores: Float[Tensor, "k"]
    """The strategy's own score of each node, in its own unit."""
    reasons: list[str]
    """Why the strategy chose each node; empty where coverage and distance from the labels are the reason."""


@dataclass(frozen=True, eq=False)
class Task:
    """The input of every strategy.

    Example:
        >>> import highwaygraph as hg
        >>> graph = hg.load("cora")
        >>> task = Task(graph, torch.tensor([0, 1]), torch.ones(2708, dtype=torch.bool))
        >>> task.adjacency.shape, tuple(task.embedding.shape)
        ((2708, 2708), (2708, 64))
    """

    graph: Graph
    labelled: Int[Tensor, "l"]
    """Nodes with a label."""
    allowed: Bool[Tensor, "n"]
    """Nodes that may be chosen."""
    probs: Float[Tensor, "n c"] | None = None
    """Class probabilities of the present model."""
    other_probs: Float[Tensor, "n c"] | None = None
    """Those of a second model, whose disagreement counts."""
    seed: int = 0

    @cached_property
    def adjacency(self) -> csr_array:
        """The adjacency matrix with both directions of every edge."""
        return undirected_matrix(self.graph)

    @cached_property
    def embedding(self) -> Float[Tensor, "n d"]:
        """Propagated features, their rows of length 1."""
        return propagated_features(self.graph, self.adjacency, self.generator("suggest projection"), unit_rows=True)

    @cached_property
    def plain_embedding(self) -> Float[Tensor, "n d"]:
        """Propagated features as published strategies use them: longer rows where neighbours are alike."""
        return propagated_features(self.graph, self.adjacency, self.generator("suggest projection"), unit_rows=False)

    @property
    def num_nodes(self) -> int:
        """Number of nodes."""
        return len(self.allowed)

    def generator(self, purpose: str) -> torch.Generator:
        """Return the random generator of one purpose."""
        return generator(self.seed, purpose)

    def degrees(self) -> Float[Tensor, "n"]:
        """Return the number of neighbours of every node."""
        return torch.from_numpy(np.diff(self.adjacency.indptr)).float()
