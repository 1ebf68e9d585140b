"""All options of a run: frozen values with dotted names, shared by Python, the command line and studies."""

from typing import Annotated, ClassVar, Literal

from pydantic import Field, model_validator

from highwaygraph.data_options import FoldChoice, LabelFile, SplitChoice, Tables
from highwaygraph.network_options import Mix, Network
from highwaygraph.options import Options
from highwaygraph.vote_options import Votes

__all__ = [
    "Config", "Consistency", "Fit", "FoldChoice", "Highway", "LabelFile", "Mix", "Network", "Pairs", "Select",
    "SplitChoice", "Strategy", "Tables", "Votes",
]  # fmt: skip

Strategy = Literal["all", "lead", "random", "close", "middle", "remote"]


class Pairs(Options):
    """Implicit modelling: co-training on whether two labelled nodes share a class (Eq. 4-6, 9, 11).

    Example:
        >>> Pairs(strategy="remote", limit=1000).weight
        1.0
    """

    weight: float = Field(1.0, ge=0)
    """Weight of the pair loss beside the node loss (lambda, Eq. 6); 0 disables it."""
    strategy: Strategy = "all"
    """Pairs of labelled nodes in the loss (Table 4): all, the first (lead), random, or by distance."""
    limit: int = Field(0, ge=0)
    """Pairs sampled per round, with replacement; 0 means as many as there are ordered pairs."""
    positive_weight: float | Literal["balanced"] = "balanced"
    """Weight of same-class pairs; balanced = different-class pairs / same-class pairs."""
    scale: Literal["none", "node"] = "none"
    """none: as in Eq. 11; node: scaled down where its gradient would be larger than that of the node loss."""

    @model_validator(mode="after")
    def _coherent(self) -> "Pairs":
        if self.strategy == "all" and self.limit:
            raise ValueError("a limit needs a strategy that samples: lead, random, close, middle or remote")
        if not isinstance(self.positive_weight, str) and self.positive_weight <= 0:
            raise ValueError("positive_weight must be above 0 or 'balanced'")
        return self


class Highway(Options):
    """Explicit modelling: rounds of self-training that add edges, called highways (Eq. 12-16).

    Example:
        >>> Highway(rounds=3, node_threshold="auto").pair_threshold
        0.9
    """

    renamed: ClassVar = {"tries": "patience", "links": "targets", "adds": "control"}  # glossary: name of version 0.1
    renamed_values: ClassVar = {"control": {"edges": "none", "labels": "pseudo-labels"}}

    rounds: int = Field(5, ge=1)
    """Maximum number of rounds; 1 trains once and adds no edge."""
    anchors: int = Field(1, ge=1)
    """Labelled nodes per class that highways start from."""
    anchor_rule: Literal["random", "degree"] = "random"
    """How anchors are chosen: at random, or by highest degree."""
    node_threshold: float | Literal["auto"] = 0.5
    """Least confidence of a node (t_n, Eq. 12); auto calibrates it on the validation nodes."""
    precision: float = Field(0.95, gt=0, le=1)
    """Precision on validation nodes that node_threshold=auto has to reach."""
    pair_threshold: float = Field(0.9, ge=0, le=1)
    """Least probability that a pair shares a class (t_p, Eq. 13)."""
    joint: bool = True
    """Whether a highway needs the pair decision as well as the node decision (Eq. 14)."""
    start: int = Field(2, ge=2)
    """First round that trains with highways."""
    patience: int = Field(1, ge=1)
    """Rounds without a better validation score after which training stops."""
    targets: Literal["anchors", "partners"] = "anchors"
    """Join confident nodes to the anchors of their class, or to other confident nodes, sampled per round."""
    partners: int = Field(2, ge=1)
    """Partners per confident node, where targets=partners."""
    draws: int = Field(10, ge=1)
    """Graphs with partners sampled per round, where targets=partners; a training step uses one at random."""
    predict: Literal["highways", "original"] = "highways"
    """Graph for validation and prediction: with highways, or original; original is then trained on too."""
    control: Literal["none", "random-edges", "true-edges", "pseudo-labels"] = "none"
    """Control experiment in place of highways: random edges or partners, true-class edges or pseudo-labels."""
    keep: Literal["best", "last"] = "best"
    """Selected round: the best on validation, or the last one as Algorithm 1 prints it."""

    @model_validator(mode="after")
    def _coherent(self) -> "Highway":
        if not isinstance(self.node_threshold, str) and not 0 <= self.node_threshold <= 1:
            raise ValueError("node_threshold must lie between 0 and 1 or be 'auto'")
        if self.control not in ("none", "random-edges") and self.targets == "partners":
            raise ValueError(f"control={self.control} needs targets=anchors")
        if self.control == "pseudo-labels" and self.predict == "original":
            raise ValueError("control=pseudo-labels needs predict=highways")
        return self


class Consistency(Options):
    """Consistency regularisation: augmented passes are pulled towards their sharpened mean.

    Example:
        >>> Consistency(weight=1.0, num_views=2).temperature
        0.5
    """

    renamed: ClassVar = {"count": "num_views", "align": "align_prior"}

    weight: float = Field(0.0, ge=0)
    """Weight of the consistency loss on unlabelled nodes beside the node loss; 0 disables it."""
    num_views: int = Field(1, ge=1)
    """Augmented passes per step; every second one uses a graph with highways where predict=original."""
    drop_nodes: float = Field(0.0, ge=0, lt=1)
    """Probability with which all features of a node are dropped in a pass."""
    temperature: float = Field(0.5, gt=0)
    """Temperature of the sharpened targets; lower is sharper."""
    ramp: int = Field(100, ge=1)
    """Epochs over which the weight rises to its full value."""
    align_prior: bool = False
    """From round 2 on, align targets and validation loss with a class prior estimated on validation."""


class Fit(Options):
    """Optimisation of one round.

    Example:
        >>> Fit(lr=1e-3, batch_size=1024).num_neighbors
        (10, 10)
    """

    renamed: ClassVar = {"batch": "batch_size", "neighbors": "num_neighbors", "workers": "num_workers"}

    epochs: int = Field(200, ge=1)
    """Maximum number of epochs per round."""
    patience: int = Field(10, ge=1)
    """Epochs without a better validation score after which a round ends."""
    min_epochs: int = Field(0, ge=0)
    """Minimum number of epochs per round."""
    lr: float = Field(0.01, gt=0)
    """Learning rate of Adam."""
    weight_decay: float = Field(5e-4, ge=0)
    """Weight decay of Adam."""
    monitor: Literal["accuracy", "f1", "balanced_accuracy", "loss"] = "accuracy"
    """Validation score that selects the epoch and the round; f1 is the macro F1."""
    threshold: Literal["argmax", "f1", "balanced_accuracy"] = "argmax"
    """Decision between two classes: the more probable one, or a threshold tuned on validation for that score."""
    class_weights: Literal["none", "balanced"] = "none"
    """Weights of the classes in the node loss; balanced gives every class the same total weight."""
    ties: Literal["first", "last"] = "first"
    """Epoch that is selected among equally good ones."""
    features: Literal["raw", "row", "binary", "auto"] = "raw"
    """row: divided by the absolute row sum; binary: non-zeros as 1, then row; auto: independent of unit and density."""
    sparse_features: bool = True
    """Whether products of a user's own module with sparse features leave out the zeros; false: bits of a plain loop."""
    factor: float = Field(1.0, gt=0)
    """Factor of the features after this scaling."""
    batch_size: Annotated[int, Field(ge=0)] | Literal["auto"] = 0
    """Labelled nodes per mini-batch, with neighbour sampling; 0: the whole graph; auto: by work and memory."""
    max_batches: int = Field(0, ge=0)
    """Mini-batches per epoch, of labelled nodes sampled anew; 0 trains on every labelled node once per epoch."""
    num_neighbors: tuple[Annotated[int, Field(ge=1)], ...] = Field((10, 10), min_length=1)
    """Neighbours sampled per hop, e.g. 10 10; the last value repeats."""
    num_workers: int = Field(0, ge=0)
    """Processes that sample neighbours; 0 samples in the training process."""
    num_threads: int = Field(0, ge=0)
    """Threads of torch on the CPU; 0 takes one for small graphs, and for others as many as the work is worth."""
    device: str = "auto"
    """Device: auto (a GPU if there is one), cpu, cuda, cuda:1, mps."""

    @property
    def labels_per_batch(self) -> int:
        """Labelled nodes per mini-batch; 0 on the whole graph, and where that is not chosen yet."""
        return 0 if self.batch_size == "auto" else self.batch_size


class Select(Options):
    """Candidates that compete with the rounds on validation; the answer is a better one, or the selected round.

    Example:
        >>> Select(typical=True).baselines
        False
    """

    typical: bool = False
    """Whether typical training of the same model competes."""
    baselines: bool = False
    """Whether simple baselines compete: logistic regression, label propagation, smoothed features, boosting."""
    combine: bool = False
    """Whether a combination of the selected round and these baselines competes; its weights come from validation."""


class Config(Options):
    """All options of a run besides the data and the model.

    Example:
        >>> config = Config(fit=Fit(lr=1e-3), seed=1)
        >>> config.fit.lr, config.highway.rounds
        (0.001, 5)
    """

    renamed: ClassVar = {"views": "consistency"}

    pairs: Pairs = Pairs()
    """Implicit modelling: pairs of labelled nodes."""
    highway: Highway = Highway()
    """Explicit modelling: rounds and edges."""
    consistency: Consistency = Consistency()
    """Consistency regularisation."""
    votes: Votes = Votes()
    """Votes of nodes with similar features."""
    fit: Fit = Fit()
    """Optimisation of one round."""
    select: Select = Select()
    """Candidates for the answer."""
    seed: int = Field(0, ge=0, lt=2**63)
    """Seed of all random numbers: weights, dropout, anchors, samples."""
