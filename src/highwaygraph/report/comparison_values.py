"""The values of a comparison of runs, for printing, for the page and for JSON."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, NamedTuple

from highwaygraph.report.changed_nodes import ChangedNode
from highwaygraph.report.class_comparison import gain_record
from highwaygraph.runs.evaluation import Source
from highwaygraph.runs.history import to_record
from highwaygraph.training.class_metrics import ClassScores
from highwaygraph.training.gain import Gain
from highwaygraph.training.metrics import HopAccuracy

Relation = Literal["same test nodes", "other test nodes", "other graph"]
"""A run beside the first one; two runs have other test nodes if they share the graph but not the test nodes."""


@dataclass(frozen=True)
class RunRow:
    """One of the runs that are compared."""

    name: str
    graph: str
    """Name of its graph."""
    network: str
    """Name of its network, or of the user's own module."""
    preset: str
    """Preset that its options are closest to."""
    changed_options: int
    """Number of options that differ from this preset."""
    labels: int
    """Number of training nodes."""
    val: float
    """Validation accuracy of the answer."""
    test: float
    """Test accuracy of the answer, NaN without test nodes."""
    test_nodes: int
    answer: str
    """Name of the candidate whose predictions are compared."""
    relation: Relation
    """Its graph and test nodes beside those of the first run."""
    source: Source = "test"
    """Part of its graph that is evaluated."""
    folder: str = ""
    """Its folder, where it was opened from one."""


class HopRow(NamedTuple):
    """Test accuracy at one distance from the nearest label of the node's class."""

    hops: str
    scores: tuple[HopAccuracy, ...]
    """One entry per run on the graph of the first run."""
    gains: tuple[Gain | None, ...] = ()
    """Paired difference of every further one of these runs, None where the nodes are others, or none."""


class ClassRow(NamedTuple):
    """Test scores of one class."""

    name: str
    scores: tuple[ClassScores, ...]
    """One entry per run on the graph of the first run."""


@dataclass(frozen=True)
class Change:
    """Predictions of a run beside those of the first run on the same graph."""

    run: str
    nodes: int
    """Nodes of the graph."""
    changed: int
    """Nodes whose predicted class differs."""
    test_nodes: int
    """Test nodes of both runs."""
    test_changed: int
    """Those among them whose predicted class differs."""
    became_right: int
    """Test nodes of both that only this run classifies correctly."""
    became_wrong: int
    """Test nodes of both that only the first run classifies correctly."""
    gain: Gain | None
    """Paired difference to the first run, where both have the same test nodes."""
    predictions: tuple[ChangedNode, ...] = ()
    """The nodes whose predicted class differs, those with a known class first."""

    def as_dict(self) -> dict[str, Any]:
        """Return the change as values for JSON."""
        found = {"gain": gain_record(self.gain), "predictions": [one.as_dict() for one in self.predictions]}
        return asdict(replace(self, predictions=())) | found


@dataclass(frozen=True)
class RunComparison:
    """Runs beside the first of them.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2})
        >>> result = hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False)
        >>> found = hg.compare_runs({"a": result, "b": result})
        >>> [row.name for row in found.runs], found.changes[0].changed
        (['a', 'b'], 0)
    """

    runs: tuple[RunRow, ...]
    hops: tuple[HopRow, ...]
    """Empty where no other run is on the graph of the first run, or where there are no test nodes."""
    classes: tuple[ClassRow, ...]
    """Empty in the same cases."""
    changes: tuple[Change, ...]
    """One entry per other run on the graph of the first run."""
    options: dict[str, tuple[Any, ...]]
    """Values of the options in which the runs differ, one per run, by dotted name."""

    @property
    def comparable(self) -> tuple[RunRow, ...]:
        """The runs on the graph of the first run, itself included, in the order of `scores`."""
        return tuple(row for row in self.runs if row.relation != "other graph")

    def with_folders(self, folders: Mapping[str, object]) -> "RunComparison":
        """Return the comparison with the folders of its runs.

        Args:
            folders: The folder of every run by name.
        """
        return replace(self, runs=tuple(replace(row, folder=str(folders[row.name])) for row in self.runs))

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison as values for JSON."""
        names = [row.name for row in self.comparable]
        return {
            "runs": [to_record(asdict(row)) for row in self.runs],
            "hops": [_hop_record(names, row) for row in self.hops],
            "classes": [{"class": row.name, "scores": _by_run(names, row.scores, "label")} for row in self.classes],
            "changes": [row.as_dict() for row in self.changes],
            "options": {
                name: dict(zip([row.name for row in self.runs], values, strict=True))
                for name, values in self.options.items()
            },
        }


def _hop_record(names: list[str], row: HopRow) -> dict[str, Any]:
    gains = dict(zip(names[1:], map(gain_record, row.gains), strict=True))
    return {"hops": row.hops, "scores": _by_run(names, row.scores, "hops"), "gains": gains}


def _by_run(names: list[str], scores: Sequence[HopAccuracy | ClassScores], shared: str) -> dict[str, Any]:
    """Return the scores by run, without the entry that all of them share."""
    records = ({key: value for key, value in score._asdict().items() if key != shared} for score in scores)
    return {name: to_record(record) for name, record in zip(names, records, strict=True)}
