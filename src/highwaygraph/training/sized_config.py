"""The config of a run after the choice of whole graph or mini-batches; a resumed run repeats the stored choice."""

import json
import os
from pathlib import Path

from torch import nn

from highwaygraph.config import Config
from highwaygraph.errors import FailedError, RunError
from highwaygraph.graph.graph import Graph
from highwaygraph.options import dotted, override
from highwaygraph.runtime.atomic import reason, write_atomic
from highwaygraph.runtime.distributed import rank
from highwaygraph.runtime.parsing import parse_json
from highwaygraph.runtime.progress import stderr
from highwaygraph.training.size import CHOSEN, choose_size

FILE = "size.json"


def with_size(
    model: nn.Module,
    graph: Graph,
    config: Config,
    folder: str | os.PathLike[str] | None = None,
    *,
    shown: bool = True,
) -> Config:
    """Return the config with whole graph or mini-batches chosen where fit.batch_size=auto.

    Args:
        model: The model.
        graph: The graph with its split and, where fit.features=auto, the scaling of its features.
        config: All options.
        folder: Folder of the checkpoints, which stores the choice; available memory may differ when a run is resumed.
        shown: Print the choice and its reason.

    Returns:
        The config, in which the batch size is a number.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), seed=0)
        >>> with_size(hg.models.build("gcn", data), data, hg.PRESETS["plus"], shown=False).fit.batch_size
        0
    """
    if config.fit.batch_size != "auto":
        return config
    if folder is not None and any(Path(folder).glob("*.safetensors")) and (Path(folder) / FILE).exists():
        return _stored(Path(folder) / FILE, config)
    choice = choose_size(model, graph, config)
    if rank() == 0:
        if shown and choice.announced:
            stderr.print(choice.sentence, soft_wrap=True)
        if folder is not None:
            _store(Path(folder) / FILE, choice.changes)
    return override(config, choice.changes)


def same_choices(config: Config, finished: Config) -> Config:
    """Return the config with the choices of a finished run, where fit.batch_size=auto left them open."""
    if config.fit.batch_size != "auto":
        return config
    given, chosen, default = dotted(config), dotted(finished), dotted(Config())
    is_open = {name: name == "fit.batch_size" or given[name] == default[name] for name in CHOSEN}
    return override(config, {name: chosen[name] for name in CHOSEN if is_open[name]})


def _store(path: Path, changes: dict[str, int | float]) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, json.dumps(changes).encode())
    except OSError as error:
        raise FailedError(f"Cannot write to {path.parent}: {reason(error)}.") from error


def _stored(path: Path, config: Config) -> Config:
    try:
        changes = parse_json(path.read_text(encoding="utf-8"))
        if not isinstance(changes, dict) or not set(changes) <= set(CHOSEN) or "fit.batch_size" not in changes:
            raise ValueError("it holds other values")
        return override(config, changes)
    except (OSError, ValueError) as error:
        raise RunError(f"{path} is damaged ({error}): start the run again with --force.") from error
