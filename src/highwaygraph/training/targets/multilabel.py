"""Several labels per node: sigmoid, binary cross-entropy, pairs that share a label, and micro-F1."""

import math
from functools import partial
from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional as F

from highwaygraph.config import Config, Pairs, Votes
from highwaygraph.errors import ConfigError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.decision import decide_labels
from highwaygraph.options import override
from highwaygraph.runs.result import Result
from highwaygraph.training.answer import Answer
from highwaygraph.training.candidates import Metric
from highwaygraph.training.consistency import ConsistencyLoss
from highwaygraph.training.held_out import HeldOut
from highwaygraph.training.label_answer import choose_label_answer
from highwaygraph.training.label_metrics import label_macro_f1, micro_f1
from highwaygraph.training.labelled_loss import labelled_loss
from highwaygraph.training.pairs import JointLoss, PairTargets
from highwaygraph.training.targets.label_losses import (
    label_consistency_loss,
    label_part,
    label_weights,
    shared_label_targets,
)
from highwaygraph.training.targets.label_thresholds import DEFAULT, label_thresholds
from highwaygraph.training.targets.target import Decision

LEFT_OUT = {"highway.rounds": 1, "consistency.align_prior": False, "select.combine": False}
"""Options of parts that do not carry over: highways, class-prior alignment and the combination of candidates."""


class Multilabel:
    """The target of a graph whose `y` has a column per label.

    Example:
        >>> Multilabel().accuracy(torch.tensor([[1, 1]]), torch.tensor([[1, 1]]))
        1.0
    """

    def adapt(self, config: Config) -> Config:
        """Return the config with one round, without class-prior alignment, votes and combination."""
        if config.fit.threshold != "argmax":
            raise ConfigError(
                "fit.threshold is not supported for several labels per node: leave it out, as the threshold of every "
                "label is tuned on validation anyway."
            )
        if config.fit.monitor == "balanced_accuracy":
            raise ConfigError(
                "fit.monitor=balanced_accuracy is not supported for several labels per node: use loss, f1 (macro-F1) "
                "or accuracy (micro-F1)."
            )
        return override(config, LEFT_OUT).model_copy(update={"votes": Votes()})

    def node_loss(self, logits: Tensor, labels: Tensor, weights: Tensor | None) -> Tensor:
        """Return the binary cross-entropy, summed over the labels and averaged over the nodes."""
        loss = F.binary_cross_entropy_with_logits(logits, labels.to(logits), weights, reduction="sum")
        return loss / len(labels)

    def node_weights(self, labels: Tensor, config: Config, device: torch.device) -> Tensor | None:
        """Return a weight per training node and label that balances each label, None without class weights."""
        return None if config.fit.class_weights == "none" else label_weights(labels).to(device)

    def pair_targets(self, labels: Tensor, pairs: Tensor, positive_weight: float | Literal["balanced"]) -> PairTargets:
        """Return the targets of pairs: whether both nodes have a label in common."""
        return shared_label_targets(labels, pairs, positive_weight)

    def plain_loss(
        self, logits: Tensor, labels: Tensor, weights: Tensor | None, pairs: PairTargets, options: Pairs
    ) -> JointLoss:
        """Return the loss of Eq. 6 for a step without views."""
        return self.labelled_loss(logits, labels, weights, pairs, options)

    def labelled_loss(
        self, logits: Tensor, labels: Tensor, weights: Tensor | None, pairs: PairTargets | None, options: Pairs
    ) -> JointLoss:
        """Return the loss of Eq. 6 for one view."""
        return labelled_loss(logits, labels, weights, pairs, options, node_loss=label_part)

    def consistency_loss(
        self, logits: Tensor, temperature: float, prior: Tensor | None, votes: Tensor | None
    ) -> ConsistencyLoss:
        """Return the mean divergence of the views from their sharpened mean, label by label."""
        assert prior is None
        assert votes is None
        return label_consistency_loss(logits, temperature)

    def validation_scores(
        self, logits: Tensor, labels: Tensor, weights: Tensor | None, monitor: Metric
    ) -> tuple[float, float, float, float]:
        """Return loss and micro-F1, and macro-F1 where it is monitored; labels are decided at 0.5."""
        predicted = decide_labels(logits.cpu(), (DEFAULT,) * logits.size(1))
        macro = label_macro_f1(predicted, labels.cpu()) if monitor == "f1" else math.nan
        return self.node_loss(logits, labels, weights).item(), self.accuracy(predicted, labels.cpu()), macro, math.nan

    def round_score(self, logits: Tensor, labels: Tensor, prior: Tensor | None, monitor: Metric) -> float:
        """Return the monitored score; accuracy stands for micro-F1."""
        loss, micro, macro, _ = self.validation_scores(logits, labels, prior, monitor)
        return {"loss": -loss, "accuracy": micro, "f1": macro}[monitor]

    def accuracy(self, predicted: Tensor, labels: Tensor) -> float:
        """Return the micro-F1, NaN without nodes."""
        return micro_f1(predicted, labels)

    def tune(self, logits: Tensor, data: Graph, config: Config) -> Decision:  # noqa: ARG002 (the interface)
        """Return the thresholds that are best on the validation nodes."""
        return Decision(thresholds=label_thresholds(logits[data.val_mask], data.y[data.val_mask]))

    def choose_answer(self, result: Result, typical: Result | None, held_out: HeldOut | None) -> Answer:
        """Return the answer among round, typical training and simple baselines."""
        assert held_out is None
        return choose_label_answer(result, typical, partial(self.tune, data=result.data, config=result.config))


MULTILABEL = Multilabel()
"""The target of several labels per node, which has no state."""
