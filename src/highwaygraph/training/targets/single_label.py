"""One class per node: softmax, cross-entropy and accuracy."""

import math
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.config import Config, Pairs
from highwaygraph.graph.graph import Graph
from highwaygraph.runs.result import Result
from highwaygraph.training.answer import Answer, choose_answer
from highwaygraph.training.candidates import Metric
from highwaygraph.training.class_metrics import balanced_accuracy
from highwaygraph.training.consistency import ConsistencyLoss, class_weights, consistency_loss
from highwaygraph.training.held_out import HeldOut
from highwaygraph.training.labelled_loss import labelled_loss
from highwaygraph.training.metrics import macro_f1
from highwaygraph.training.pairs import JointLoss, PairTargets, joint_loss, pair_targets
from highwaygraph.training.targets.target import Decision
from highwaygraph.training.threshold import tuned_shift


class SingleLabel:
    """The target of a graph whose `y` is a class per node.

    Example:
        >>> SingleLabel().node_loss(torch.zeros(1, 2), torch.tensor([1]), None)
        tensor(0.6931)
    """

    def adapt(self, config: Config) -> Config:
        """Return the config as it is."""
        return config

    def node_loss(self, logits: Tensor, labels: Tensor, weights: Tensor | None) -> Tensor:
        """Return the mean cross-entropy, with a weight per node where given (Eq. 10)."""
        if weights is None:
            return F.cross_entropy(logits, labels)
        return (weights * F.cross_entropy(logits, labels, reduction="none")).mean()

    def node_weights(self, labels: Tensor, config: Config, device: torch.device) -> Tensor | None:
        """Return a weight per training node that balances the classes, None without class weights."""
        if config.fit.class_weights == "none":
            return None
        classes = int(labels.max()) + 1
        return class_weights(torch.full((classes,), 1 / classes), labels).to(device)

    def pair_targets(self, labels: Tensor, pairs: Tensor, positive_weight: float | Literal["balanced"]) -> PairTargets:
        """Return the targets of pairs: whether both nodes are of one class (Eq. 5)."""
        return pair_targets(labels, pairs, positive_weight)

    def plain_loss(
        self, logits: Tensor, labels: Tensor, weights: Tensor | None, pairs: PairTargets, options: Pairs
    ) -> JointLoss:
        """Return the loss of Eq. 6 for a step without views."""
        if weights is None and options.scale == "none":
            return joint_loss(logits, labels, pairs, options.weight)
        return labelled_loss(logits, labels, weights, pairs, options)

    def labelled_loss(
        self, logits: Tensor, labels: Tensor, weights: Tensor | None, pairs: PairTargets | None, options: Pairs
    ) -> JointLoss:
        """Return the loss of Eq. 6 for one view."""
        return labelled_loss(logits, labels, weights, pairs, options)

    def consistency_loss(
        self, logits: Tensor, temperature: float, prior: Tensor | None, votes: Tensor | None
    ) -> ConsistencyLoss:
        """Return the mean divergence of the views from their sharpened mean distribution."""
        return consistency_loss(logits, temperature, prior, votes)

    def validation_scores(
        self, logits: Tensor, labels: Tensor, weights: Tensor | None, monitor: Metric
    ) -> tuple[float, float, float, float]:
        """Return loss, accuracy, macro F1 and balanced accuracy; the last two are NaN unless monitored."""
        predicted, everything = logits.argmax(dim=1), torch.ones_like(labels, dtype=torch.bool)
        correct = (predicted == labels).double().mean()
        f1 = macro_f1(predicted, labels, everything) if monitor == "f1" else math.nan
        balanced = balanced_accuracy(predicted, labels, everything) if monitor == "balanced_accuracy" else math.nan
        return self.node_loss(logits, labels, weights).item(), correct.item(), f1, balanced

    def round_score(self, logits: Tensor, labels: Tensor, prior: Tensor | None, monitor: Metric) -> float:
        """Return the monitored score; the loss is weighted by the prior where there is one."""
        predicted, everything = logits.argmax(dim=1), torch.ones_like(labels, dtype=torch.bool)
        match monitor:
            case "accuracy":
                return self.accuracy(predicted, labels)
            case "f1":
                return macro_f1(predicted, labels, everything)
            case "balanced_accuracy":
                return balanced_accuracy(predicted, labels, everything)
            case "loss":
                weights = None if prior is None else class_weights(prior, labels)
                return -self.node_loss(logits, labels, weights).item()

    def accuracy(self, predicted: Tensor, labels: Tensor) -> float:
        """Return the accuracy, NaN without nodes."""
        return float((predicted == labels).double().mean()) if len(labels) else math.nan

    def tune(self, logits: Tensor, data: Graph, config: Config) -> Decision:
        """Return the shift that fit.threshold requires."""
        return Decision(shift=tuned_shift(logits, data, config))

    def choose_answer(self, result: Result, typical: Result | None, held_out: HeldOut | None) -> Answer:
        """Return the answer among round, votes, typical training, simple baselines and combination."""
        return choose_answer(result, typical, held_out)


SINGLE_LABEL = SingleLabel()
"""The target of one class per node, which has no state."""
