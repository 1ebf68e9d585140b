"""Opening a run folder as a result."""

import os
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from highwaygraph.config import Config, Network
from highwaygraph.data.mapped.store import is_mapped_graph, open_mapped_graph, read_encoders
from highwaygraph.data.safetensors_io import unpack
from highwaygraph.errors import ModelError, RunError
from highwaygraph.graph.fingerprint import data_hash
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.validate import MASKS
from highwaygraph.nn.factory import build_network
from highwaygraph.options import upgrade
from highwaygraph.runs import folder as run_folder
from highwaygraph.runs.history import Baseline, Epoch, HighwayTable, Round, from_record
from highwaygraph.runs.predictions import ids_in
from highwaygraph.runs.result import Result


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
    contents = run_folder.read(Path(path))
    try:
        return _result(contents, model)
    except (IndexError, KeyError, TypeError, ValueError, RuntimeError) as error:
        raise RunError(f"The run in {path} is damaged ({error}): train it again with --force.") from error


def _result(contents: run_folder.Contents, model: nn.Module | None) -> Result:
    tensors, meta = dict(contents.graph), contents.meta
    named = {"name": meta["data"], "classes": meta["classes"]}
    if meta["ids"]:
        column = ids_in(contents.predictions)
        named["ids"] = [int(node) for node in column] if meta["ids"] == "int" else column
    named["encoders"], named["attributes"] = read_encoders(meta.get("encoders")), contents.attributes
    named["column_roles"] = meta.get("column_roles")
    if meta.get("folder"):
        data = _mapped(Path(meta["folder"]), meta["data_hash"])
        data.update({name: tensors[name] for name in MASKS})
    else:
        data = unpack(tensors, **{k: v for k, v in named.items() if v is not None})
    logits = tensors["logits"]
    if contents.config["network"] is not None:
        model = build_network(Network(**upgrade(Network, contents.config["network"])), data.x.size(1), logits.size(1))
    return Result(
        model=_with_weights(model, contents),
        data=data,
        config=Config(**upgrade(Config, contents.config["config"])),
        rounds=tuple(Round(**from_record(r)) for r in contents.rounds),
        best_round=meta["best_round"] if "best_round" in meta else meta["kept"] + 1,  # glossary: name of version 0.1
        stopped=meta["stopped"],
        logits=logits,
        highway_table=HighwayTable(*(tensors[f"highway_{name}"] for name in HighwayTable._fields)),
        history=_epochs(contents.history),
        baseline=_baseline(contents),
    )


def _mapped(folder: Path, expected: str) -> Graph:
    """Open the graph on disk that the run was trained on; refuse another graph in that folder."""
    if not is_mapped_graph(folder):
        raise RunError(f"The graph of this run is no longer in {folder}: put it back there.")
    data = open_mapped_graph(folder)
    if data_hash(data) != expected:
        raise RunError(f"{folder} holds another graph than this run was trained on: put that one back.")
    return data


def _epochs(records: list[dict[str, Any]]) -> tuple[Epoch, ...]:
    return tuple(Epoch(**from_record(r)) for r in records)


def _baseline(contents: run_folder.Contents) -> Baseline | None:
    if contents.typical is None:
        return None
    facts = contents.typical
    return Baseline(contents.graph["typical_logits"], Round(**from_record(facts["round"])), _epochs(facts["history"]))


def _with_weights(model: nn.Module | None, contents: run_folder.Contents) -> nn.Module:
    if model is None:
        return MissingModule(contents.config["model"])
    try:
        model.load_state_dict(dict(contents.model))
    except RuntimeError as error:
        name = contents.config["model"]
        raise ModelError(f"The weights of this run do not fit the given module: build {name} as it was.") from error
    return model.eval()
