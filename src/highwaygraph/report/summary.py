"""The summary of a finished run, as plain values for printing and for JSON."""

from dataclasses import asdict, dataclass, field
from typing import Any

from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.graph.multilabel import refuse_several_labels
from highwaygraph.report.class_comparison import (
    ClassRow,
    class_rows,
    gain_on_test,
    gain_record,
    largest_class,
    scores_by_class,
)
from highwaygraph.runs.evaluation import Source, evaluation
from highwaygraph.runs.history import to_record
from highwaygraph.runs.result import Result
from highwaygraph.runs.stored_folds import fold_summary
from highwaygraph.training.gain import Gain
from highwaygraph.training.metrics import HopAccuracy, accuracy_by_distance, macro_f1


@dataclass(frozen=True)
class Comparison:
    """A run's accuracy by hops to the nearest label and by class, with typical training where it was run."""

    result: Result
    hops: list[HopAccuracy]
    typical_hops: list[HopAccuracy] | None
    classes: list[ClassRow]
    gain: Gain | None
    """Paired difference to typical training on the test nodes, where it was run."""
    source: Source = "test"
    """Part of the graph that is evaluated; out-of-fold predictions stand for those of test nodes."""
    distance: Tensor | None = field(default=None, compare=False, repr=False)
    """Hops of every node to the nearest label of its class that its prediction used, which `hops` is computed by."""

    @property
    def f1(self) -> float:
        """Macro-F1 of the run on the test nodes."""
        return _f1(self.result.data, self.result.logits)

    @property
    def typical_f1(self) -> float | None:
        """Macro-F1 of typical training, where it was run."""
        return _f1(self.result.data, self.result.baseline.logits) if self.result.baseline else None

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as values for JSON."""
        result, typical = self.result, self.result.baseline
        summary = {
            "stopped": result.stopped,
            "best_round": result.best_round,
            # The name of version 0.1, written until version 0.3.
            "kept": result.best_round,
            "answer": result.answer,
            "candidates": [to_record(asdict(one)) for one in result.candidates],
            "highways": result.highways.size(1),
            "rounds": [to_record(asdict(r)) for r in result.rounds],
            "gain": gain_record(self.gain),
            "evaluated_on": self.source,
            "folds": None if result.folds is None else fold_summary(result.folds),
            "largest_class": to_record(dict(zip(("class", "test"), largest_class(self.classes), strict=True))),
        }
        baseline = None
        if typical and self.typical_hops:
            scores = typical.round.val, typical.round.test
            baseline = _scores(result.data, typical.logits, *scores, self.typical_hops)
            baseline["rounds"] = [to_record(asdict(typical.round))]
        ours = _scores(result.data, result.logits, result.val, result.test, self.hops)
        return ours | summary | {"typical": baseline}


def compare(result: Result) -> Comparison:
    """Return the test scores by hops on the original graph and by class, of the run and of its baseline.

    Args:
        result: A finished run.

    Returns:
        The comparison.
    """
    instead = "compare the scores that highway train --json prints"
    refuse_several_labels(result.data, "A comparison by class and distance", instead)
    result, distance, source = evaluation(result)
    data = result.data
    typical = accuracy_by_distance(data, result.baseline.logits, distance) if result.baseline else None
    hops = accuracy_by_distance(data, result.logits, distance)
    return Comparison(result, hops, typical, class_rows(result), gain_on_test(result), source, distance)


def _f1(data: Graph, logits: Tensor) -> float:
    return macro_f1(logits.argmax(dim=1), data.y, data.test_mask)


def _scores(data: Graph, logits: Tensor, val: float, test: float, hops: list[HopAccuracy]) -> dict[str, Any]:
    scores = to_record({"val": val, "test": test}) | scores_by_class(data, logits)
    return scores | {"hops": [to_record(h._asdict()) for h in hops]}
