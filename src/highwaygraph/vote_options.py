"""Options of the votes of nodes with similar features."""

from typing import Literal

from pydantic import Field, model_validator

from highwaygraph.options import Options

View = Literal["features", "text", "structure"]


class Votes(Options):
    """Votes: a second prediction of every node, from the predictions of nodes with similar features.

    A GNN mixes the features of neighbours; votes read the features of the node itself. The node is left out of its own
    vote, so that votes are a second source of information.

    Example:
        >>> Votes(views=("features",)).method
        'ridge'
    """

    views: tuple[View, ...] = ()
    """Features that vote: all, text columns only, or structural ones of the graph; empty disables votes."""
    method: Literal["ridge", "knn", "whitened-knn"] = "ridge"
    """Leave-one-out ridge regression of the predictions, or the mean prediction of the nearest neighbours."""
    penalty: float = Field(1.0, gt=0)
    """Penalty of ridge regression, and of the covariance of whitened-knn, for rows of mean length 1."""
    neighbors: int = Field(20, ge=1)
    """Neighbours of a node where method=knn or whitened-knn."""
    rank: int = Field(256, ge=1)
    """Wider features are projected to this many columns."""
    weight: float | Literal["auto"] = "auto"
    """Exponent of the votes in the answer; auto fits it on validation, 0 leaves them out."""
    targets: float = Field(0.0, ge=0)
    """Exponent of the votes in the consistency targets, from round 2 on."""
    highways: bool = False
    """Whether a highway needs the agreement of the votes: both of its ends are voted to be of the predicted class."""
    control: Literal["none", "shuffled", "propagated"] = "none"
    """Control experiment: nodes vote with the features of another node, or with the mean of two hops of neighbours."""

    @model_validator(mode="after")
    def _coherent(self) -> "Votes":
        if not isinstance(self.weight, str) and self.weight < 0:
            raise ValueError("weight must be at least 0 or be 'auto'")
        if (self.targets or self.highways) and not self.views:
            raise ValueError("targets and highways need views: add votes.views=features")
        return self
