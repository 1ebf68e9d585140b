"""A result as the contents of a run folder."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from torch import Tensor

from highwaygraph.data.safetensors_io import pack
from highwaygraph.graph.fingerprint import data_hash, split_hash
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import MASKS
from highwaygraph.nn.factory import network_of
from highwaygraph.nn.modules import returns_log_probs
from highwaygraph.nn.scaling import FeatureScaling
from highwaygraph.runs.folder import Contents
from highwaygraph.runs.history import Baseline, Epoch, to_record
from highwaygraph.runs.predictions import to_csv
from highwaygraph.runs.probabilities import prediction_table
from highwaygraph.runs.stored_folds import fold_records, fold_tensors
from highwaygraph.runs.stored_types import other_type_record, other_type_tensors, scaling_tensors
from highwaygraph.runtime.environment import versions

if TYPE_CHECKING:
    from highwaygraph.runs.result import Result


def to_contents(result: "Result", meta: Mapping[str, Any]) -> Contents:
    """Return the content of a run folder; an entry of `meta` never replaces an entry of the run itself."""
    network = network_of(result.model)
    return Contents(
        config={
            "config": result.config.model_dump(),
            "network": network.model_dump() if network else None,
            "model": type(result.model).__name__,
            "log_probs": returns_log_probs(result.model),
        },
        rounds=[to_record(asdict(r)) for r in result.rounds],
        history=_epochs(result.history),
        meta=dict(meta) | _facts(result),
        model=result.model.state_dict(),
        graph=_tensors(result),
        predictions="" if result.data.is_mapped else to_csv(prediction_table(result)),
        typical=None if result.baseline is None else _baseline(result.baseline),
        attributes=_attributes(result.data),
        folds=None if result.folds is None else fold_records(result.folds),
    )


def _attributes(data: Graph) -> dict[str, list[Any]] | None:
    return None if data.attributes is None else {name: list(values) for name, values in data.attributes.items()}


def _facts(result: "Result") -> dict[str, Any]:
    data, ids = result.data, result.data.ids
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "seed": result.config.seed,
        "data": data.name,
        "folder": data.folder,
        "data_hash": data_hash(data),
        "split_hash": split_hash(data),
        "classes": data.classes,
        "relations": data.relations,
        "hetero": other_type_record(data),
        "ids": type(ids[0]).__name__ if ids else None,
        "encoders": {name: encoder.model_dump() for name, encoder in (data.encoders or {}).items()} or None,
        "column_roles": data.column_roles,
        "best_round": result.best_round,
        "stopped": result.stopped,
        "answer": result.answer,
        "candidates": [to_record(asdict(one)) for one in result.candidates],
        "threshold_shift": result.threshold_shift,
        "label_thresholds": list(result.label_thresholds),
        "num_threads": result.num_threads,
        "seconds": sum(r.seconds for r in result.rounds),
    }


def _tensors(result: "Result") -> dict[str, Tensor]:
    highways = {f"highway_{name}": column for name, column in result.highway_table._asdict().items()}
    typical = {} if result.baseline is None else {"typical_logits": result.baseline.logits}
    tensors = _graph(result.data) | {"logits": result.logits} | highways | typical
    return tensors | _scaling(result.data.scaling) | fold_tensors(result.folds)


def _scaling(scaling: FeatureScaling | None) -> dict[str, Tensor]:
    return {} if scaling is None else scaling_tensors(scaling)


def _graph(data: Graph) -> dict[str, Tensor]:
    """Return the tensors of the graph; a mapped graph stays in its folder, only the split is stored."""
    return {name: data[name] for name in MASKS} if data.is_mapped else pack(data) | other_type_tensors(data)


def _baseline(baseline: Baseline) -> dict[str, Any]:
    return {"round": to_record(asdict(baseline.round)), "history": _epochs(baseline.history)}


def _epochs(history: tuple[Epoch, ...]) -> list[dict[str, Any]]:
    return [to_record(asdict(epoch)) for epoch in history]
