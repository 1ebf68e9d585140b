"""Options of the built-in networks."""

from typing import Literal

from pydantic import Field, model_validator

from highwaygraph.options import Options

NetworkName = Literal["auto", "gcn", "gat", "sage", "hyper", "graphmix", "grand", "appnp", "gcn2", "mlp", "hetero_sage"]


class Mix(Options):
    """The training step of GraphMix beside the plain one.

    Example:
        >>> Mix(passes=5).temperature
        0.1
    """

    weight: float = Field(10.0, ge=0)
    """Weight of the loss on unlabelled nodes at the end of the ramp."""
    ramp_from: int = Field(500, ge=0)
    """Epoch at which this weight begins to rise."""
    ramp_to: int = Field(1000, ge=1)
    """Epoch at which this weight is reached."""
    passes: int = Field(10, ge=1)
    """Passes with dropout whose mean gives the targets of unlabelled nodes."""
    temperature: float = Field(0.1, gt=0)
    """Temperature of these targets; lower is sharper."""


class Network(Options):
    """A built-in network (paper, section 3.2).

    Example:
        >>> Network(model="gat", heads=4).hidden
        64
    """

    model: NetworkName = "gcn"
    """The network, by its short name; auto: chosen on validation; hetero_sage: for several node types, its default."""
    hidden: int = Field(64, ge=1)
    """Width of each hidden layer."""
    dropout: float = Field(0.5, ge=0, lt=1)
    """Dropout before every layer, and on the attention of GAT."""
    hidden_dropout: float | Literal["same"] = "same"
    """Dropout before every layer but the first; same: as dropout."""
    bias: bool = True
    """Whether layers add a bias."""
    layers: int = Field(2, ge=1)
    """Number of graph convolutions; grand, appnp and mlp: layers of the MLP."""
    heads: int = Field(8, ge=1)
    """gat only: attention heads of the hidden layers; hidden is divided among them."""
    hyperedges: Literal["closed", "raw"] = "closed"
    """hyper only: closed: a hyperedge is a node with its neighbours; raw: edge_index is the incidence matrix."""
    order: int = Field(5, ge=1)
    """grand: propagation steps its first layer averages over; appnp: steps after the MLP (its authors use 10)."""
    alpha: float = Field(0.1, ge=0, le=1)
    """appnp: teleport probability of each propagation step; gcn2: weight of the initial residual."""
    theta: float = Field(0.5, gt=0)
    """gcn2 only: convolution l weighs its weight matrix against the identity by log(1 + theta / l)."""
    mix: Mix = Mix()
    """graphmix only: the training step."""

    @property
    def is_auto(self) -> bool:
        """Whether the network is to be chosen on validation."""
        return self.model == "auto"

    @property
    def inner_dropout(self) -> float:
        """The dropout before every layer but the first."""
        return self.dropout if isinstance(self.hidden_dropout, str) else self.hidden_dropout

    @model_validator(mode="after")
    def _coherent(self) -> "Network":
        if self.model == "gat" and self.hidden % self.heads:
            raise ValueError(f"gat divides hidden among its heads: {self.hidden} is no multiple of {self.heads}")
        if not isinstance(self.hidden_dropout, str) and not 0 <= self.hidden_dropout < 1:
            raise ValueError("hidden_dropout must lie between 0 and 1 or be 'same'")
        return self
