"""The summary of a finished run with several labels per node, as plain values for printing and for JSON."""

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.nn.decision import decide_labels
from highwaygraph.runs.evaluation import Source
from highwaygraph.runs.history import to_record
from highwaygraph.runs.predictions import class_names
from highwaygraph.runs.result import Result
from highwaygraph.training.class_metrics import ClassScores
from highwaygraph.training.gain import ScoreGain, score_gain, verdict
from highwaygraph.training.label_metrics import (
    label_macro_f1,
    label_scores,
    mean_average_precision,
    micro_f1,
    node_f1,
    subset_accuracy,
)
from highwaygraph.training.targets.label_thresholds import label_thresholds


class LabelScores(NamedTuple):
    """The scores of one training on the evaluated nodes."""

    micro_f1: float
    macro_f1: float
    subset_accuracy: float
    """Fraction of nodes whose labels are all predicted, and no other."""
    mean_average_precision: float
    labels: list[ClassScores]
    """Precision, recall and F1 of every label."""
    node_f1: Tensor
    """F1 of every node's labels."""

    def as_dict(self) -> dict[str, Any]:
        """Return the scores of all labels together, for JSON."""
        return to_record({name: getattr(self, name) for name in SCORES})


SCORES = {
    "micro_f1": "Micro-F1",
    "macro_f1": "Macro-F1",
    "subset_accuracy": "Subset accuracy",
    "mean_average_precision": "Mean average precision",
}
"""Names of the scores of all labels together."""


@dataclass(frozen=True)
class LabelComparison:
    """A run's scores, with those of typical training where it was run."""

    result: Result
    ours: LabelScores
    typical: LabelScores | None
    gain: ScoreGain | None
    """Paired difference of every node's F1 to typical training, where it was run."""
    source: Source
    """Part of the graph that is evaluated: test, or validation without test nodes."""

    @property
    def names(self) -> list[str]:
        """The name of every label."""
        return class_names(self.result.data, self.result.logits.size(1))

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as values for JSON."""
        result, gain = self.result, self.gain
        rows = zip(self.names, self.ours.labels, result.label_thresholds, strict=True)
        labels = [{"name": n, "threshold": t} | to_record(row._asdict()) for n, row, t in rows]
        difference = None
        if gain is not None:
            low, high = gain.interval
            difference = {
                "points": gain.points,
                "low": low,
                "high": high,
                "nodes": gain.nodes,
                "verdict": verdict(gain),
            }
        return to_record({"val": result.val, "test": result.test}) | {
            "scores": self.ours.as_dict(),
            "labels": labels,
            "typical": None if self.typical is None else self.typical.as_dict(),
            "gain": difference,
            "evaluated_on": self.source,
            "answer": result.answer,
            "candidates": [to_record(asdict(one)) for one in result.candidates],
            "rounds": [to_record(asdict(one)) for one in result.rounds],
        }


def compare_labels(result: Result) -> LabelComparison:
    """Return the scores of a run with several labels per node, and of its baseline.

    Args:
        result: A finished run.

    Returns:
        The comparison on the test nodes, or without any on the validation nodes; typical training has thresholds of
        its own, tuned in the same way.
    """
    data = result.data
    has_test = bool(data.test_mask.any())
    mask = data.test_mask if has_test else data.val_mask
    ours, typical = _scores(data, result.logits, result.label_thresholds, mask), None
    if result.baseline is not None:
        logits = result.baseline.logits
        typical = _scores(data, logits, label_thresholds(logits[data.val_mask], data.y[data.val_mask]), mask)
    gain = None if typical is None else score_gain(typical.node_f1, ours.node_f1)
    return LabelComparison(result, ours, typical, gain, "test" if has_test else "validation")


def _scores(data: Graph, logits: Tensor, thresholds: tuple[float, ...], mask: Tensor) -> LabelScores:
    predicted, true = decide_labels(logits, thresholds)[mask], data.y[mask]
    return LabelScores(
        micro_f1(predicted, true),
        label_macro_f1(predicted, true),
        subset_accuracy(predicted, true),
        mean_average_precision(logits[mask], true),
        label_scores(predicted, true),
        node_f1(predicted, true),
    )
