"""What a training gives: its rounds, its highways, its predictions, and a folder to keep them in."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn
from torch_geometric.data import Data

from highwaygraph.config import Config
from highwaygraph.data.safetensors_io import pack
from highwaygraph.data.tables.schema import Schema
from highwaygraph.errors import DataError
from highwaygraph.graph.augment import augment
from highwaygraph.graph.fingerprint import data_hash, split_hash
from highwaygraph.graph.queries import with_csr, with_edge_index
from highwaygraph.graph.validate import MASKS, validate
from highwaygraph.nn.batches import predict_logits
from highwaygraph.nn.features import prepare_features
from highwaygraph.nn.gnn import GNN
from highwaygraph.runs import folder as run_folder
from highwaygraph.runs.history import Baseline, Epoch, HighwayTable, Round, to_record
from highwaygraph.runs.predictions import Columns, class_names, columns, to_csv
from highwaygraph.runtime.environment import find_device, versions

StopReason = Literal["validation", "rounds", "no new edges"]


@dataclass(frozen=True, eq=False)
class Result:
    """The trained model with the graph and the predictions of the round that is the answer."""

    model: nn.Module
    data: Data
    config: Config
    rounds: tuple[Round, ...]
    kept: int
    """Index into rounds of the answer."""
    stopped: StopReason
    logits: Float[Tensor, "n c"]
    roads: HighwayTable
    history: tuple[Epoch, ...]
    typical: Baseline | None = None
    """What typical training gave, where it was run beside."""

    @property
    def graph(self) -> Data:
        """The data with its highways; those drawn anew for every step, as in `plus`, all together."""
        return augment(self.data, self.roads, self.config.highway.adds)

    @property
    def highways(self) -> Int[Tensor, "2 k"]:
        """The added edges of the graph, each undirected edge once; from anchor to node where there are anchors."""
        return self.roads.edges

    @property
    def highway_round(self) -> Int[Tensor, "k"]:
        """The round (from 1) that added each highway."""
        return self.roads.round

    @property
    def highway_confidence(self) -> Float[Tensor, "k"]:
        """The confidence of the node at the end of each highway."""
        return self.roads.confidence

    @property
    def highway_pair_score(self) -> Float[Tensor, "k"]:
        """The probability that both ends of each highway share a class (Eq. 9)."""
        return self.roads.pair_score

    @property
    def val(self) -> float:
        """Validation accuracy of the answer."""
        return self.rounds[self.kept].val

    @property
    def test(self) -> float:
        """Test accuracy of the answer, NaN where nothing is held out for testing."""
        return self.rounds[self.kept].test

    def beside(self, typical: "Result") -> "Result":
        """Return this run with a typical training to compare it with, which is saved along."""
        return replace(self, typical=Baseline(typical.logits, typical.rounds[typical.kept], typical.history))

    def predict(self, data: Data | None = None) -> Int[Tensor, "n"]:
        """Return the class of every node of the graph, or of another graph as it is, which has no highways."""
        return self._logits(data).argmax(dim=1)

    def predict_proba(self, data: Data | None = None) -> Float[Tensor, "n c"]:
        """Return the class probabilities of every node of the graph, or of another one (Eq. 8)."""
        return self._logits(data).softmax(dim=1)

    def known(self, *, attach: bool = False) -> Schema:
        """Return what `load` needs to read another graph like this one, or with attach new nodes of this one."""
        encoders = getattr(self.data, "encoders", None)
        if encoders is None:
            raise DataError("This run's graph was not read from tables: give another graph the same features yourself.")
        return Schema(encoders, self.data.classes, with_edge_index(self.data) if attach else None)

    def listed(self) -> "Result":
        """Return this run with its graph in memory, for what reads a list of edges."""
        return replace(self, data=with_edge_index(self.data))

    def save(self, path: str | os.PathLike[str], *, force: bool = False, **meta: Any) -> Path:
        """Write the run to a new folder, with more facts for its meta.json if given."""
        return run_folder.write(Path(path), _contents(self, meta), force=force)

    def _logits(self, data: Data | None) -> Tensor:
        if data is None:
            return self.logits
        if "attached" in data and self.config.highway.predict == "highways":
            # New nodes come last: the highways lead to the same numbers as before.
            data = augment(data, self.roads, self.config.highway.adds)
        other, known = validate(_bare(data)), self.data.x.size(1)
        if other.x.size(1) != known:
            raise DataError(f"The model was trained on {known} features, but this graph has {other.x.size(1)}.")
        model = self.model.to(find_device(self.config.fit.device))
        other = with_csr(other) if self.config.fit.batch else with_edge_index(other)
        return predict_logits(model, prepare_features(model, other, self.config.fit), other).cpu()


def _bare(data: Data) -> Data:
    """Return what prediction reads of a graph; labels and masks are neither needed nor checked."""
    names = ("x", "edge_index", "edge_weight", "rows", "added", "ids", "folder")
    kept = {name: data[name] for name in names if name in data}
    nodes = len(data.x) if isinstance(data.x, Tensor) else 0
    return Data(**kept, y=torch.full((nodes,), -1))


def prediction_table(result: Result, data: Data | None = None) -> Columns:
    """Return the predictions as columns, of the run's own graph, of what is attached to it, or of another graph."""
    names = class_names(result.data, result.logits.size(1))
    if data is None:
        return columns(result.data, result.logits, names, result.roads)
    if "attached" in data:
        found = columns(data, result._logits(data), names)
        return {name: values[-data.attached :] for name, values in found.items()}
    return columns(_bare(data), result._logits(data), names)


def _contents(result: Result, meta: Mapping[str, Any]) -> run_folder.Contents:
    network = result.model.network if isinstance(result.model, GNN) else None
    typical = result.typical
    ids = getattr(result.data, "ids", None)
    facts = {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "seed": result.config.seed,
        "data": getattr(result.data, "name", None),
        "folder": getattr(result.data, "folder", None),
        "data_hash": data_hash(result.data),
        "split_hash": split_hash(result.data),
        "classes": getattr(result.data, "classes", None),
        "ids": type(ids[0]).__name__ if ids else None,
        "encoders": {name: e.model_dump() for name, e in getattr(result.data, "encoders", {}).items()} or None,
        "kept": result.kept,
        "stopped": result.stopped,
        "seconds": sum(r.seconds for r in result.rounds),
    }
    return run_folder.Contents(
        config={
            "config": result.config.model_dump(),
            "network": network.model_dump() if network else None,
            "model": type(result.model).__name__,
        },
        rounds=[to_record(asdict(r)) for r in result.rounds],
        history=_records(result.history),
        # What is said of a run never replaces what is known of it.
        meta=dict(meta) | facts,
        model=result.model.state_dict(),
        graph=_graph(result.data)
        | {"logits": result.logits}
        | {f"highway_{k}": v for k, v in result.roads._asdict().items()}
        | ({"typical_logits": typical.logits} if typical else {}),
        predictions="" if "folder" in result.data else to_csv(prediction_table(result)),
        typical={"round": to_record(asdict(typical.round)), "history": _records(typical.history)} if typical else None,
        attributes=getattr(result.data, "attributes", None),
    )


def _graph(data: Data) -> dict[str, Tensor]:
    """Return what a run keeps of its graph; a mapped one stays where it is, but for the split."""
    return {name: data[name] for name in MASKS} if "folder" in data else pack(data)


def _records(history: tuple[Epoch, ...]) -> list[dict[str, Any]]:
    return [to_record(asdict(epoch)) for epoch in history]
