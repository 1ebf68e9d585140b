"""The numbers of a run's page: both trainings on the evaluated nodes, and their paired difference."""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.nn.factory import network_of
from highwaygraph.presets import is_typical
from highwaygraph.report.reliability import RunReliability, reliability
from highwaygraph.runs.calibrated import calibrated_probs, held_out_predictions, run_calibration
from highwaygraph.runs.evaluation import evaluation, fold_hops, label_hops
from highwaygraph.runs.history import TYPICAL, Epoch
from highwaygraph.runs.open import MissingModule
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result
from highwaygraph.training.class_metrics import ClassScores, class_scores
from highwaygraph.training.gain import Gain, paired_gain
from highwaygraph.training.metrics import (
    HopAccuracy,
    accuracy,
    accuracy_by_hop,
    in_hops,
    macro_f1,
)

__all__ = ["Gain", "RunData", "Side", "answer_name", "model_name", "paired_gain", "read"]


@dataclass(frozen=True, eq=False)
class Side:
    """Predictions of one training, with their scores on the evaluated nodes; every score is computed once."""

    name: str
    logits: Tensor
    data: Graph
    evaluated: Bool[Tensor, "n"]
    hop_distance: Int[Tensor, "n"]
    history: tuple[Epoch, ...]

    @cached_property
    def predicted(self) -> Tensor:
        """Predicted class of every node."""
        return self.logits.argmax(dim=1)

    @cached_property
    def correct(self) -> Tensor:
        """Whether each evaluated node is classified correctly."""
        correct: Tensor = self.predicted[self.evaluated] == self.data.y[self.evaluated]
        return correct

    @cached_property
    def accuracy(self) -> float:
        """Accuracy on the evaluated nodes."""
        return accuracy(self.predicted, self.data.y, self.evaluated)

    @cached_property
    def f1(self) -> float:
        """Macro-F1 on the evaluated nodes."""
        return macro_f1(self.predicted, self.data.y, self.evaluated)

    @cached_property
    def hops(self) -> list[HopAccuracy]:
        """Accuracy by hops to the nearest label of the node's class."""
        return accuracy_by_hop(self.predicted == self.data.y, self.hop_distance, self.evaluated)

    @cached_property
    def classes(self) -> list[ClassScores]:
        """Precision, recall and F1 of every class."""
        return class_scores(self.predicted, self.data.y, self.evaluated, self.logits.size(1))

    @cached_property
    def confusion(self) -> Int[Tensor, "c c"]:
        """Number of evaluated nodes by true class (row) and predicted class (column)."""
        count = self.logits.size(1)
        pairs = self.data.y[self.evaluated] * count + self.predicted[self.evaluated]
        return torch.bincount(pairs, minlength=count * count).view(count, count)


@dataclass(frozen=True, eq=False)
class RunData:
    """Everything that the page of a run shows."""

    result: Result
    ours: Side
    typical: Side | None
    classes: list[str]
    reliability: RunReliability
    evaluated_on: str
    """Part of the split that is evaluated: "test", or without test nodes "validation" or "out-of-fold"."""
    refit_predicted: Int[Tensor, "n"] | None
    """Classes by the model of all labels, where the page has out-of-fold predictions of labelled nodes."""

    @property
    def sides(self) -> list[Side]:
        """Typical training, where it was run, and HighwayGraph."""
        return [self.typical, self.ours] if self.typical else [self.ours]

    @cached_property
    def probs(self) -> Float[Tensor, "n c"]:
        """Calibrated class probabilities, as `highway predict` writes them; out-of-fold where folds are evaluated."""
        probs = calibrated_probs(self.result)
        if self.fold_probs is None or not self.is_out_of_fold:
            return probs
        return torch.where(self.fold_probs.isnan(), probs, self.fold_probs)

    @cached_property
    def fold_probs(self) -> Float[Tensor, "n c"] | None:
        """Calibrated out-of-fold probabilities of the labelled nodes, NaN for other nodes; None without folds."""
        folds = self.result.folds
        if folds is None:
            return None
        found = held_out_predictions(self.result)
        probs = torch.full_like(self.result.logits, float("nan"))
        held_out = run_calibration(self.result).probs(found.logits, found.group)
        return probs.index_copy(0, folds.nodes, held_out.to(probs.dtype))

    @property
    def is_out_of_fold(self) -> bool:
        """Whether the scores are those of folds, because there are no test nodes."""
        return self.evaluated_on == "out-of-fold"

    @cached_property
    def held_out_by(self) -> Int[Tensor, "n"]:
        """Number of the fold whose prediction of a labelled node is evaluated, -1 for all other nodes."""
        found, folds = torch.full_like(self.result.data.y, -1), self.result.folds
        if folds is not None and self.is_out_of_fold:
            found[folds.nodes] = folds.fold.to(found.dtype)
        return found

    @cached_property
    def label_hops(self) -> Int[Tensor, "n"]:
        """Hops of every node to the nearest label of any class that its prediction on the page used."""
        data, folds = self.result.data, self.result.folds
        return fold_hops(data, folds, label_hops) if folds is not None and self.is_out_of_fold else label_hops(data)

    @cached_property
    def confidence(self) -> Float[Tensor, "n"]:
        """Calibrated probability of the predicted class."""
        return self.probs.max(dim=1).values

    @cached_property
    def gain(self) -> Gain | None:
        """Difference of HighwayGraph to typical training."""
        return paired_gain(self.typical.correct, self.ours.correct) if self.typical else None

    def gain_at(self, place: int) -> Gain:
        """Return the difference to typical training on the nodes of one row of `Side.hops`."""
        assert self.typical is not None
        at = in_hops(self.ours.hop_distance, self.ours.hops[place].hops)[self.ours.evaluated]
        return paired_gain(self.typical.correct[at], self.ours.correct[at])

    @property
    def title(self) -> str:
        """Name of the graph and of the model."""
        return f"{self.result.data.title}, {model_name(self.result)}"


def read(result: Result) -> RunData:
    """Return the data of a run's page.

    Args:
        result: A run, its graph with an edge_index. Without test nodes, the validation nodes are evaluated.

    Returns:
        The data of its page.
    """
    instead = "use the scores of highway train --json, and highway predict RUN --out predictions.csv"
    refuse_several_labels(result.data, "A report", instead)
    reliable, predicted = reliability(result), result.logits.argmax(dim=1)
    result, hops, source = evaluation(result)
    data, typical = result.data, result.baseline
    evaluated = data.val_mask if source == "validation" else data.test_mask
    return RunData(
        result=result,
        ours=Side(
            "the answer" if result.answer == TYPICAL else answer_name(result),
            result.logits,
            data,
            evaluated,
            hops,
            result.history,
        ),
        typical=Side("typical training", typical.logits, data, evaluated, hops, typical.history) if typical else None,
        classes=[name.replace("_", " ") for name in class_names(data, result.logits.size(1))],
        reliability=reliable,
        evaluated_on=source,
        refit_predicted=predicted if source == "out-of-fold" else None,
    )


def answer_name(result: Result) -> str:
    """Return the name of the answer; a run of the preset `typical` has the name of what it trained."""
    return TYPICAL if not result.candidates and is_typical(result.config) else result.answer


def model_name(result: Result) -> str:
    """Return the name of the built-in network, or of the user's own module."""
    network = network_of(result.model)
    if network is not None:
        return network.model
    return result.model.name if isinstance(result.model, MissingModule) else type(result.model).__name__
