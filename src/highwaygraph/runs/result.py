"""The result of a training: its model, its predictions, its rounds and its highways."""

import copy
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from jaxtyping import Float, Int
from torch import Tensor, nn
from torch_geometric.data import Data

from highwaygraph.config import Config
from highwaygraph.data.tables.schema import ColumnRoles, Schema
from highwaygraph.errors import DataError, RunError
from highwaygraph.graph.augment import augment
from highwaygraph.graph.graph import Graph, as_graph
from highwaygraph.graph.hetero import refuse_several_types
from highwaygraph.graph.queries import with_edge_index
from highwaygraph.nn.decision import decide_labels, probabilities
from highwaygraph.nn.features import scale_features
from highwaygraph.runs import folder as run_folder
from highwaygraph.runs import result_text
from highwaygraph.runs.folds import OutOfFold
from highwaygraph.runs.history import ROUND, Baseline, Candidate, Epoch, HighwayTable, Round, StopReason
from highwaygraph.runs.other_graphs import other_logits
from highwaygraph.runs.renamed import RenamedMembers
from highwaygraph.runs.serialise import to_contents


@dataclass(frozen=True, eq=False, repr=False)
class Result(RenamedMembers):
    """The trained model with the graph and the predictions of the selected round.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> model = hg.models.build("gcn", data, hidden=8)
        >>> config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2})
        >>> result = hg.train(model, data, config, seed=0, progress=False)
        >>> result.predict().shape, result.best_round, result.stopped
        (torch.Size([2708]), 1, 'rounds')
    """

    model: nn.Module
    """The model with the weights of the selected round."""
    data: Graph
    """The graph that was trained on, with its split, without highways."""
    config: Config
    """All options."""
    rounds: tuple[Round, ...]
    """Every round in order."""
    best_round: int
    """The selected round, counted from 1."""
    stopped: StopReason
    """Why no further round was trained: "validation", "rounds" or "no new edges"."""
    logits: Float[Tensor, "n c"]
    """Logits of every node in the selected round."""
    highway_table: HighwayTable
    """The highways that the selected round was trained with."""
    history: tuple[Epoch, ...]
    """Every epoch of every round."""
    baseline: Baseline | None = None
    """Typical training of the same network, where it was run for comparison."""
    candidates: tuple[Candidate, ...] = ()
    """Classifiers that competed for the answer on validation, simplest first; none where nothing competed."""
    answer: str = ROUND
    """Name of the candidate whose predictions these are; HighwayGraph means the selected round alone."""
    threshold_shift: float = 0.0
    """Number added to the second class's logits by fit.threshold; `logits` includes it, `model` does not."""
    label_thresholds: tuple[float, ...] = ()
    """Least probability of each label, tuned on validation; none where a node has one class."""
    folds: OutOfFold | None = None
    """Out-of-fold predictions of the training nodes, where the model was trained on all labels after them."""
    num_threads: int | None = None
    """Threads of torch that the training ran with, which its last bits depend on; None in earlier runs."""

    @property
    def best(self) -> Round:
        """The selected round."""
        return self.rounds[self.best_round - 1]

    @property
    def graph(self) -> Graph:
        """The data with its highways as edges; those sampled per step, as in `plus`, all together."""
        return augment(self.data, self.highway_table.edges, self.config.highway.control)

    @property
    def highways(self) -> Int[Tensor, "2 k"]:
        """The added edges, each undirected edge once; from anchor to node where there are anchors."""
        return self.highway_table.edges

    @property
    def highway_round(self) -> Int[Tensor, "k"]:
        """The round (from 1) that added each highway."""
        return self.highway_table.round

    @property
    def highway_confidence(self) -> Float[Tensor, "k"]:
        """The confidence of the node at the end of each highway."""
        return self.highway_table.confidence

    @property
    def highway_pair_score(self) -> Float[Tensor, "k"]:
        """The probability that both ends of each highway share a class (Eq. 9)."""
        return self.highway_table.pair_score

    @property
    def val(self) -> float:
        """Validation accuracy of the answer; with several labels per node, its micro-F1."""
        return self._chosen.val

    @property
    def test(self) -> float:
        """Test accuracy of the answer, or its micro-F1; NaN where there are no test nodes."""
        return self._chosen.test

    @property
    def _chosen(self) -> Candidate | Round:
        return next((one for one in self.candidates if one.name == self.answer), self.best)

    def with_baseline(self, typical: "Result") -> "Result":
        """Return this result together with a typical training for comparison.

        Args:
            typical: The result of typical training of the same network.

        Returns:
            A result whose `baseline` is set; `save` writes both.
        """
        return replace(self, baseline=Baseline(typical.logits, typical.best, typical.history))

    def predict(self, data: Data | None = None) -> Int[Tensor, "n *l"]:
        """Return the class of every node, or its labels where it may have several.

        Args:
            data: Another graph with the same features; the training graph if None.

        Returns:
            Class indices, one per node; or a row per node, 1 for each label that reaches its threshold and 0 else.
        """
        return decide_labels(self.predict_logits(data), self.label_thresholds)

    def predict_proba(self, data: Data | None = None) -> Float[Tensor, "n c"]:
        """Return the probabilities of every node's classes (Eq. 8), or of its labels.

        Args:
            data: Another graph with the same features; the training graph if None.

        Returns:
            Probabilities, one row per node and one column per class or label.
        """
        return probabilities(self.predict_logits(data), several=bool(self.label_thresholds))

    def predict_logits(self, data: Data | None = None) -> Float[Tensor, "n c"]:
        """Return the logits of every node.

        Args:
            data: Another graph with the same features; the training graph if None.

        Returns:
            Logits, one row per node and one column per class.
        """
        return self.logits if data is None else other_logits(self, as_graph(data))

    def scaled(self, data: Graph) -> Graph:
        """Return a graph whose features are scaled as the training graph's features were for the model.

        Args:
            data: The training graph, or another one with the same features.

        Returns:
            A shallow copy with scaled features.
        """
        scaled = copy.copy(data)
        scaled.x = scale_features(data.x, self.config.fit, self.data.scaling)
        return scaled

    def schema(self, *, attach: bool = False) -> Schema:
        """Return the schema by which `load` reads another graph like this one.

        Args:
            attach: Read the other tables as new nodes of this run's graph.

        Returns:
            The schema, for `hg.load(..., schema=...)`.
        """
        if attach:
            refuse_several_types(self.data, "New nodes are", "predict a folder that holds all nodes, without --attach")
        encoders = self.data.encoders
        if encoders is None:
            raise DataError("This run's graph was not read from tables: give another graph the same features yourself.")
        beside = with_edge_index(self.data) if attach else None
        roles = ColumnRoles(**self.data.column_roles or {})
        return Schema(encoders, self.data.classes or [], beside, roles, self.data.relations, self.data.hetero)

    def edge_list(self) -> "Result":
        """Return this result with the edges of its graph as an edge_index in memory."""
        return replace(self, data=with_edge_index(self.data))

    def save(self, path: str | os.PathLike[str], *, force: bool = False, **meta: Any) -> Path:
        """Write the run to a new folder.

        Args:
            path: The folder.
            force: Replace a run that is there.
            **meta: Further entries of its meta.json.

        Returns:
            The folder.
        """
        return run_folder.write(Path(path), to_contents(self, meta), force=force)

    def __repr__(self) -> str:
        return "\n".join(result_text.summary_lines(self))

    def _repr_html_(self) -> str:
        return result_text.html_table(self)


def check_result(given: object) -> None:
    """Refuse anything but a finished run."""
    if not isinstance(given, Result):
        raise RunError(
            f"A finished run is needed, not {type(given).__name__}: give the result of hg.train or hg.open_run(path)."
        )
