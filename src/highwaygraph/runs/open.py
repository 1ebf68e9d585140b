"""Opening a run folder as a result."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from highwaygraph.config import Config, Network
from highwaygraph.data.mapped.store import is_mapped_graph, open_mapped_graph
from highwaygraph.data.safetensors_io import unpack
from highwaygraph.data.tables.stored_encoders import read_encoders
from highwaygraph.errors import ConfigError, DataError, ModelError, RunError
from highwaygraph.graph.fingerprint import data_hash
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.splits import validate_split
from highwaygraph.graph.validate import MASKS, validate
from highwaygraph.nn.modules import mark_log_probs
from highwaygraph.options import upgrade
from highwaygraph.runs import folder as run_folder
from highwaygraph.runs.predictions import ids_in
from highwaygraph.runs.result import Result
from highwaygraph.runs.stored_folds import read_folds
from highwaygraph.runs.stored_types import read_other_types, read_scaling
from highwaygraph.runs.validate import (
    Meta,
    read_attributes,
    read_baseline,
    read_candidates,
    read_epochs,
    read_highways,
    read_logits,
    read_meta,
    read_network,
    read_rounds,
    read_settings,
)


class MissingModule(nn.Module):
    """Stands for a user's own module that was not given when the run was opened."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def forward(self, *_: Any, **__: Any) -> Tensor:
        """Refuse: the run folder holds its predictions only."""
        raise ModelError(
            f"This run trained your own module {self.name}: pass it, as in open_run(path, model={self.name}(...))."
        )


def open_run(path: str | os.PathLike[str], model: nn.Module | None = None) -> Result:
    """Open the folder of a run.

    Args:
        path: The folder, written by `Result.save` or `highway train`.
        model: For a run of your own module, that module, built as it was; needed to predict other graphs.

    Returns:
        The result, with the weights loaded.

    Example:
        >>> import tempfile
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2})
        >>> result = hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     again = hg.open_run(result.save(f"{folder}/run"))
        >>> bool((again.predict() == result.predict()).all())
        True
    """
    if not isinstance(path, str | os.PathLike):
        raise RunError(f"open_run takes the path of a run folder, not {type(path).__name__}.")
    contents = run_folder.read(Path(path))
    try:
        return _result(contents, model)
    except (IndexError, KeyError, TypeError, ValueError, RuntimeError, ConfigError, DataError) as error:
        raise RunError(f"The run in {path} is damaged ({_reason(error)}): train it again with --force.") from error


def _reason(error: Exception) -> str:
    if isinstance(error, KeyError):
        return f"there is no {error.args[0]}"
    lines = str(error).splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__


def _result(contents: run_folder.Contents, model: nn.Module | None) -> Result:
    meta, settings = read_meta(contents), read_settings(contents)
    data = _graph(contents, meta)
    data.scaling = read_scaling(contents.graph, data.x.size(1))
    rounds = read_rounds(contents, meta.best_round)
    logits = read_logits(contents.graph, "logits", data)
    if meta.threshold_shift and logits.size(1) != 2:
        raise ValueError(f"meta.json has a threshold of two classes for logits of {logits.size(1):,}")
    if len(meta.label_thresholds) != (logits.size(1) if data.is_multilabel else 0):
        raise ValueError(
            f"meta.json has {len(meta.label_thresholds):,} label thresholds for {logits.size(1):,} outputs"
        )
    if settings.network is not None:
        network = Network(**upgrade(Network, settings.network))
        model = read_network(network, contents.model, data, logits.size(1))
    elif settings.log_probs and model is not None:
        mark_log_probs(model)
    return Result(
        model=_with_weights(model, contents.model, settings.model),
        data=data,
        config=Config(**upgrade(Config, settings.config)),
        rounds=rounds,
        best_round=meta.best_round,
        stopped=meta.stopped,
        logits=logits,
        highway_table=read_highways(contents.graph, data.num_nodes),
        history=read_epochs(contents.history),
        baseline=read_baseline(contents, data),
        candidates=read_candidates(meta),
        answer=meta.answer,
        threshold_shift=meta.threshold_shift,
        label_thresholds=tuple(meta.label_thresholds),
        folds=read_folds(contents, data, logits.size(1)),
        num_threads=meta.num_threads,
    )


def _graph(contents: run_folder.Contents, meta: Meta) -> Graph:
    """Return the validated graph with its split, from the run or from the folder that the run was trained on."""
    if meta.folder:
        data = _mapped(Path(meta.folder), meta.data_hash)
        data.update({name: contents.graph[name] for name in MASKS})
    else:
        data = unpack(contents.graph)
        data.name, data.classes, data.ids = meta.data, meta.classes, _ids(contents, meta)
        if meta.relations is not None:
            data.relations = meta.relations
        data.encoders = read_encoders(meta.encoders, data.x.size(1))
        columns = read_attributes(contents, data.num_nodes)
        data.attributes = None if columns is None else {**columns}
        data.column_roles = meta.column_roles
        if meta.hetero is not None:
            data = read_other_types(data, meta.hetero, contents.graph)
    return validate_split(validate(data), needs_val=contents.folds is None)


def _ids(contents: run_folder.Contents, meta: Meta) -> list[int] | list[str] | None:
    if meta.ids is None:
        return None
    column = ids_in(contents.predictions)
    return [int(node) for node in column] if meta.ids == "int" else column


def _mapped(folder: Path, expected: str) -> Graph:
    """Open the graph on disk that the run was trained on; refuse another graph in that folder."""
    if not is_mapped_graph(folder):
        raise RunError(f"The graph of this run is no longer in {folder}: put it back there.")
    data = open_mapped_graph(folder)
    if data_hash(data) != expected:
        raise RunError(f"{folder} holds another graph than this run was trained on: put that one back.")
    return data


def _with_weights(model: nn.Module | None, weights: Mapping[str, Tensor], name: str) -> nn.Module:
    if model is None:
        return MissingModule(name)
    try:
        model.load_state_dict(dict(weights))
    except RuntimeError as error:
        raise ModelError(f"The weights of this run do not fit the given module: build {name} as it was.") from error
    return model.eval()
