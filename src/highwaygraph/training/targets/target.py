"""The interface of a target: every part of a training that depends on how many labels a node has."""

from typing import Literal, NamedTuple, Protocol, runtime_checkable

import torch
from torch import Tensor

from highwaygraph.config import Config, Pairs
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.decision import decide_labels
from highwaygraph.nn.functional import shift_logits
from highwaygraph.runs.result import Result
from highwaygraph.training.answer import Answer
from highwaygraph.training.candidates import Metric
from highwaygraph.training.consistency import ConsistencyLoss
from highwaygraph.training.held_out import HeldOut
from highwaygraph.training.pairs import JointLoss, PairTargets


class Decision(NamedTuple):
    """How logits become predictions, tuned on validation."""

    shift: float = 0.0
    """Number added to the logits of the second of two classes."""
    thresholds: tuple[float, ...] = ()
    """Least probability of each label, where a node may have several."""

    @property
    def is_tuned(self) -> bool:
        """Whether validation has changed the decision."""
        return bool(self.shift or self.thresholds)

    def shifted(self, logits: Tensor) -> Tensor:
        """Return the logits as they are stored with a run."""
        return shift_logits(logits, self.shift)

    def predict(self, logits: Tensor) -> Tensor:
        """Return the class of every node, or its labels as a row of 0 and 1."""
        return decide_labels(self.shifted(logits), self.thresholds)


@runtime_checkable
class Target(Protocol):
    """Losses, targets and scores; `labels` are those of the same nodes as `logits`."""

    def adapt(self, config: Config) -> Config:
        """Return the config without options that do not carry over to this target."""

    def node_loss(self, logits: Tensor, labels: Tensor, weights: Tensor | None) -> Tensor:
        """Return the node loss, with weights where given (Eq. 10)."""

    def node_weights(self, labels: Tensor, config: Config, device: torch.device) -> Tensor | None:
        """Return the weights that fit.class_weights gives the node loss, None without any."""

    def pair_targets(self, labels: Tensor, pairs: Tensor, positive_weight: float | Literal["balanced"]) -> PairTargets:
        """Return the targets and weights of the pair loss (Eq. 5)."""

    def plain_loss(
        self, logits: Tensor, labels: Tensor, weights: Tensor | None, pairs: PairTargets, options: Pairs
    ) -> JointLoss:
        """Return node loss and pair loss (Eq. 6) of a step without views."""

    def labelled_loss(
        self, logits: Tensor, labels: Tensor, weights: Tensor | None, pairs: PairTargets | None, options: Pairs
    ) -> JointLoss:
        """Return node loss and, where there are pairs, pair loss (Eq. 6) of one view."""

    def consistency_loss(
        self, logits: Tensor, temperature: float, prior: Tensor | None, votes: Tensor | None
    ) -> ConsistencyLoss:
        """Return the distance of all views to their sharpened mean, through which no gradient flows."""

    def validation_scores(
        self, logits: Tensor, labels: Tensor, weights: Tensor | None, monitor: Metric
    ) -> tuple[float, float, float, float]:
        """Return the loss, the accuracy or micro-F1, and macro F1 and balanced accuracy, NaN unless monitored."""

    def round_score(self, logits: Tensor, labels: Tensor, prior: Tensor | None, monitor: Metric) -> float:
        """Return the monitored score of exact logits; higher is better."""

    def accuracy(self, predicted: Tensor, labels: Tensor) -> float:
        """Return the accuracy or micro-F1 of predictions, NaN without nodes."""

    def tune(self, logits: Tensor, data: Graph, config: Config) -> Decision:
        """Return the decision that is best on the validation nodes."""

    def choose_answer(self, result: Result, typical: Result | None, held_out: HeldOut | None) -> Answer:
        """Return the result with the predictions of the candidate that is best on validation."""
