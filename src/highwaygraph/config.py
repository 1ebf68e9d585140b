"""What a run is: frozen values with dotted names, shared by Python, the command line and every grid."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from highwaygraph.options import Options

Strategy = Literal["all", "lead", "random", "close", "middle", "remote"]


class Pairs(Options):
    """Implicit modelling: co-training on whether two labelled nodes share a class (Eq. 4-6, 9, 11)."""

    weight: float = Field(1.0, ge=0)
    """Weight of the pair loss beside the node loss (lambda, Eq. 6); 0 switches it off."""
    strategy: Strategy = "all"
    """Which pairs of labelled nodes are used (Table 4): all, or a sample by order, chance or distance."""
    limit: int = Field(0, ge=0)
    """Pairs drawn per round, with replacement beyond what exists; 0 means as many as exist."""
    positive_weight: float | Literal["balanced"] = "balanced"
    """Weight of same-class pairs; balanced = different-class pairs / same-class pairs."""

    @model_validator(mode="after")
    def _coherent(self) -> "Pairs":
        if self.strategy == "all" and self.limit:
            raise ValueError("a limit needs a strategy that samples: lead, random, close, middle or remote")
        if not isinstance(self.positive_weight, str) and self.positive_weight <= 0:
            raise ValueError("positive_weight must be above 0 or 'balanced'")
        return self


class Highway(Options):
    """Explicit modelling: rounds of self-training that add edges, called highways (Eq. 12-16)."""

    renamed: ClassVar = {"tries": "patience", "links": "targets", "adds": "control"}
    renamed_values: ClassVar = {"control": {"edges": "none", "labels": "pseudo-labels"}}

    rounds: int = Field(5, ge=1)
    """Most trainings in a row; 1 trains once and adds no edge."""
    anchors: int = Field(1, ge=1)
    """Labelled nodes per class that highways start from."""
    anchor_rule: Literal["random", "degree"] = "random"
    """How anchors are chosen: by chance, or those with the most neighbours."""
    node_threshold: float | Literal["auto"] = 0.5
    """Confidence a node needs (t_n, Eq. 12); auto calibrates it on the validation nodes."""
    precision: float = Field(0.95, gt=0, le=1)
    """Validation precision that node_threshold=auto has to reach."""
    pair_threshold: float = Field(0.9, ge=0, le=1)
    """Probability a pair needs to count as the same class (t_p, Eq. 13)."""
    joint: bool = True
    """Whether the pair prediction has to agree with the node prediction (Eq. 14)."""
    start: int = Field(2, ge=2)
    """First round that trains with highways."""
    patience: int = Field(1, ge=1)
    """Rounds in a row without a better validation score after which training stops."""
    targets: Literal["anchors", "partners"] = "anchors"
    """Where highways lead: to the anchors of the class, or to other confident nodes of it, sampled in each round."""
    partners: int = Field(2, ge=1)
    """Partners per confident node, where targets=partners."""
    draws: int = Field(10, ge=1)
    """Graphs with partners sampled per round, where targets=partners; each step on highways uses one at random."""
    predict: Literal["highways", "original"] = "highways"
    """Graph for validation and prediction: the one with highways, or the original, which is then trained on too."""
    control: Literal["none", "random-edges", "true-edges", "pseudo-labels"] = "none"
    """Control experiment: as many random edges, edges to the true class, or pseudo-labels in place of highways."""
    keep: Literal["best", "last"] = "best"
    """Selected round: the best on validation, or the last one as Algorithm 1 prints it."""

    @model_validator(mode="after")
    def _coherent(self) -> "Highway":
        if not isinstance(self.node_threshold, str) and not 0 <= self.node_threshold <= 1:
            raise ValueError("node_threshold must lie between 0 and 1 or be 'auto'")
        if self.control != "none" and self.targets == "partners":
            raise ValueError(f"control={self.control} needs targets=anchors")
        if self.control == "pseudo-labels" and self.predict == "original":
            raise ValueError("control=pseudo-labels needs predict=highways")
        return self


class Consistency(Options):
    """Consistency regularisation: augmented passes are pulled towards their sharpened mean."""

    renamed: ClassVar = {"count": "num_views", "align": "align_prior"}

    weight: float = Field(0.0, ge=0)
    """Weight of the consistency of unlabelled nodes beside the node loss; 0 switches it off."""
    num_views: int = Field(1, ge=1)
    """Augmented passes per step; every second one uses a graph with highways where predict=original."""
    drop_nodes: float = Field(0.0, ge=0, lt=1)
    """Probability with which all features of a node are dropped in a pass."""
    temperature: float = Field(0.5, gt=0)
    """Temperature of the sharpened targets; lower is sharper."""
    ramp: int = Field(100, ge=1)
    """Epochs over which the weight rises to its full value."""
    align_prior: bool = False
    """From the second round on, align the targets and the validation loss with a class prior estimated on validation."""


class Fit(Options):
    """Optimisation of one round."""

    renamed: ClassVar = {"batch": "batch_size", "neighbors": "num_neighbors", "workers": "num_workers"}

    epochs: int = Field(200, ge=1)
    """Most epochs per round."""
    patience: int = Field(10, ge=1)
    """Epochs without a better validation score after which a round ends."""
    min_epochs: int = Field(0, ge=0)
    """Epochs that a round lasts at least."""
    lr: float = Field(0.01, gt=0)
    """Learning rate of Adam."""
    weight_decay: float = Field(5e-4, ge=0)
    """Weight decay of Adam."""
    monitor: Literal["accuracy", "f1", "loss"] = "accuracy"
    """Validation score that picks the weights and the round; f1 is the mean over the classes."""
    class_weights: Literal["none", "balanced"] = "none"
    """Whether nodes of rare classes weigh more in the node loss, so that all classes count the same."""
    ties: Literal["first", "last"] = "first"
    """Which of equally good epochs gives the weights."""
    features: Literal["raw", "row", "binary", "auto"] = "raw"
    """As they are, rows scaled so that sizes sum to 1, the same with 1 for non-zeros; auto: row for counts, or raw."""
    factor: float = Field(1.0, gt=0)
    """What raw features are multiplied by; features = auto chooses it so that most columns are of a size of about 1."""
    batch_size: int = Field(0, ge=0)
    """Labelled nodes per mini-batch, trained with neighbour sampling; 0 trains on the whole graph."""
    num_neighbors: tuple[Annotated[int, Field(ge=1)], ...] = Field((10, 10), min_length=1)
    """Neighbours sampled per hop, e.g. 10 10; the last value repeats."""
    num_workers: int = Field(0, ge=0)
    """Processes that sample neighbours; 0 samples in the training process."""
    device: str = "auto"
    """Where to train: auto (a GPU if there is one), cpu, cuda, cuda:1, mps."""

    @model_validator(mode="after")
    def _coherent(self) -> "Fit":
        if self.factor != 1 and self.features != "raw":
            raise ValueError(f"factor={self.factor} needs features=raw")
        return self


class Mix(Options):
    """The training step of GraphMix beside the ordinary one."""

    weight: float = Field(10.0, ge=0)
    """Weight of the unlabelled part, reached at the end of the ramp."""
    ramp_from: int = Field(500, ge=0)
    """Epoch at which that weight begins to rise."""
    ramp_to: int = Field(1000, ge=1)
    """Epoch at which it is reached."""
    passes: int = Field(10, ge=1)
    """Passes with dropout whose mean gives the targets of unlabelled nodes."""
    temperature: float = Field(0.1, gt=0)
    """Sharpness of these targets; lower is sharper."""


class Network(Options):
    """A built-in network (paper, section 3.2)."""

    model: Literal["gcn", "gat", "sage", "hyper", "graphmix", "grand", "appnp", "gcn2"] = "gcn"
    """GCN, GAT, GraphSAGE, HypergraphConv, GraphMix, GRAND's mean over many hops, APPNP or GCNII."""
    hidden: int = Field(64, ge=1)
    """Width of each hidden layer."""
    dropout: float = Field(0.5, ge=0, lt=1)
    """Dropout before every layer (and on GAT's attention)."""
    hidden_dropout: float | Literal["same"] = "same"
    """Dropout before every layer but the first, where it differs."""
    bias: bool = True
    """Whether layers add a bias."""
    layers: int = Field(2, ge=1)
    """Number of graph convolutions; grand and appnp: layers of the MLP."""
    heads: int = Field(8, ge=1)
    """Attention heads of GAT's hidden layers; hidden is divided among them."""
    hyperedges: Literal["closed", "raw"] = "closed"
    """hyper only: a hyperedge is a node with its neighbours, or edge_index is read as the incidence."""
    order: int = Field(5, ge=1)
    """grand: propagation steps its first layer averages over; appnp: steps after the MLP (its authors use 10)."""
    alpha: float = Field(0.1, ge=0, le=1)
    """appnp: teleport probability of each propagation step; gcn2: weight of the initial residual."""
    theta: float = Field(0.5, gt=0)
    """gcn2 only: convolution l weighs its weight matrix against the identity by log(1 + theta / l)."""
    mix: Mix = Mix()
    """graphmix only: its training step."""

    @property
    def inner_dropout(self) -> float:
        """The rate before every layer but the first."""
        return self.dropout if isinstance(self.hidden_dropout, str) else self.hidden_dropout

    @model_validator(mode="after")
    def _coherent(self) -> "Network":
        if self.model == "gat" and self.hidden % self.heads:
            raise ValueError(f"gat divides hidden among its heads: {self.hidden} is no multiple of {self.heads}")
        if not isinstance(self.hidden_dropout, str) and not 0 <= self.hidden_dropout < 1:
            raise ValueError("hidden_dropout must lie between 0 and 1 or be 'same'")
        return self


class SplitChoice(Options):
    """Split of the labelled nodes into training, validation and test."""

    renamed: ClassVar = {"few": "small_classes"}

    split: Literal["auto", "given", "random"] = "auto"
    """given uses the graph's own masks, random draws per class; auto prefers given."""
    split_column: int = Field(0, ge=0)
    """Which of several splits, where the graph's masks have columns."""
    split_seed: int = Field(0, ge=0)
    """Seed of a random split."""
    train: int = Field(20, ge=1)
    """Training nodes per class of a random split."""
    val: int = Field(30, ge=1)
    """Validation nodes per class of a random split; the rest is test."""
    small_classes: Literal["auto", "share", "refuse"] = "auto"
    """Classes with too few labels: share (half trains), or refuse; auto refuses where --train or --val is given."""


class Tables(Options):
    """Which columns of a graph given as tables hold what; found out where not said."""

    edges: str = ""
    """Table of the edges, where it does not lie beside that of the nodes."""
    id: str = ""
    """Column of the nodes' ids."""
    label: str = ""
    """Column of their labels."""
    split_by: str = ""
    """Column that says train, val or test."""


class Config(Options):
    """Everything that decides a run besides the data and the model."""

    renamed: ClassVar = {"views": "consistency"}

    pairs: Pairs = Pairs()
    """Implicit modelling: pairs of labelled nodes."""
    highway: Highway = Highway()
    """Explicit modelling: rounds and edges."""
    consistency: Consistency = Consistency()
    """Consistency regularisation."""
    fit: Fit = Fit()
    """Optimisation of one round."""
    seed: int = Field(0, ge=0, lt=2**63)
    """The one seed: weights, dropout, anchors and pair samples follow from it."""
