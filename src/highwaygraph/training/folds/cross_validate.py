"""`cross_validate`: out-of-fold predictions of every labelled node, with their accuracy and its interval."""

import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, cast

from torch import Tensor, nn
from torch_geometric.data import Data

from highwaygraph.config import Config, Network
from highwaygraph.errors import ConfigError, DataError
from highwaygraph.graph.fingerprint import data_hash
from highwaygraph.graph.folds import divide
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.splits import SmallClasses
from highwaygraph.graph.validate import validate
from highwaygraph.nn.factory import network_of
from highwaygraph.options import override
from highwaygraph.presets import preset, typical_of
from highwaygraph.runs.folds import Fold, OutOfFold
from highwaygraph.runs.history import from_record, to_record
from highwaygraph.runs.result import Result
from highwaygraph.runtime.distributed import world_size
from highwaygraph.runtime.parallel import map_unordered
from highwaygraph.runtime.progress import counting_bar
from highwaygraph.training.checkpoints import Checkpoints, Snapshot
from highwaygraph.training.folds.fold import ANSWER, BASELINE, FoldTask, TrainedFold, pooled, train_fold
from highwaygraph.training.folds.refit import refit
from highwaygraph.training.gain import Gain, paired_gain
from highwaygraph.training.preflight import check_arguments

# Folds, and the fraction of the other nodes of every class that validates.
FOLDS, VAL_SHARE = 5, 0.25

# Nodes times epochs of all rounds, about two seconds of training, below which folds start no processes.
SHORT_WORK = 200_000


@dataclass(frozen=True, eq=False)
class CrossValidation(OutOfFold):
    """The result of a cross-validation: out-of-fold predictions, and everything that a training on all labels needs.

    Example:
        >>> import highwaygraph as hg
        >>> data = hg.split(hg.load("cora"), train=5, val=5, seed=0)
        >>> config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 5})
        >>> found = hg.cross_validate("gcn", data, config, folds=2, workers=1, progress=False)
        >>> found.logits.shape, len(found.folds), 0 <= found.accuracy <= 1
        (torch.Size([70, 7]), 2, True)
        >>> found.refit(progress=False).predict().shape
        torch.Size([2708])
    """

    model: nn.Module | Network
    """The model, as it was given."""
    data: Graph
    """The graph."""
    config: Config
    """All options."""
    candidates: dict[str, Tensor]
    """Out-of-fold logits by name of the candidate, of those that every fold has."""

    @property
    def gain(self) -> Gain | None:
        """Paired difference to typical training on the same nodes, None where it was not run."""
        if self.typical is None or typical_of(self.config) == self.config:
            return None
        return paired_gain(self.typical.argmax(dim=1) == self.labels, self.predict() == self.labels)

    def refit(self, *, checkpoint: Checkpoints | str | os.PathLike[str] | None = None, progress: bool = True) -> Result:
        """Train on all labels, without validation nodes, for the epochs and rounds that the folds selected.

        Args:
            checkpoint: Folder for checkpoints, from which an interrupted training resumes.
            progress: Show a progress bar on a terminal and in notebooks.

        Returns:
            The result, whose `folds` are these predictions; accuracies come from the folds.
        """
        return refit(
            self,
            model=self.model,
            data=self.data,
            config=self.config,
            candidates=self.candidates,
            checkpoint=checkpoint,
            progress=progress,
        )


def cross_validate(
    model: nn.Module | Network | str,
    data: Data,
    config: Config | str | None = None,
    *,
    folds: int = FOLDS,
    seed: int = 0,
    workers: int = 0,
    val_share: float = VAL_SHARE,
    small_classes: SmallClasses = "refuse",
    baseline: bool = True,
    folder: str | os.PathLike[str] | None = None,
    progress: bool = True,
    on_fold: Callable[[Fold], object] | None = None,
) -> CrossValidation:
    """Train once per fold, and predict every labelled node by the training that did not use its label.

    The nodes are those of train_mask and val_mask; without masks, all labelled nodes. In every fold a part of the other
    nodes validates, so that epoch, round and answer are selected without the nodes that are held out.

    Args:
        model: A module, options of a built-in network, or its name; "auto" chooses a network in every fold.
        data: A graph with `x`, `edge_index` and `y`; label -1 means unlabelled.
        config: A config, or the name of a preset; plus unless given.
        folds: Number of folds.
        seed: Seed of the folds and of the trainings.
        workers: Folds that are trained at once, one thread each; 0 for one per core, 1 for this process. Short folds
            and a module that is defined in the running script or notebook are trained in this process.
        val_share: Fraction of the other nodes of every class that validates.
        small_classes: "refuse" a class with fewer nodes than folds, or "share" it: some folds do not hold it out.
        baseline: Train typically in every fold too, for the paired difference.
        folder: Folder for the finished folds, from which an interrupted cross-validation resumes.
        progress: Show a progress bar on a terminal and in notebooks.
        on_fold: Called with every fold after it is stored; an error that it raises ends the cross-validation.

    Returns:
        The out-of-fold predictions and their scores.
    """
    task = _task(model, data, config, (folds, seed, val_share), small_classes, baseline=baseline)
    return _result(task, _train_all(task, folder, workers, on_fold, progress=progress))


def _train_all(
    task: FoldTask,
    folder: str | os.PathLike[str] | None,
    workers: int,
    on_fold: Callable[[Fold], object] | None,
    *,
    progress: bool,
) -> list[TrainedFold]:
    """Return all folds: those that the folder has, and the others after training and storing them."""
    numbers = range(task.division.folds)
    saved = [_checkpoints(folder, task, number) for number in numbers] if folder is not None else []
    found = {number: one for number, each in enumerate(saved) if (one := _stored(each)) is not None}
    with counting_bar("folds", len(found), len(numbers), shown=progress) as count:
        for number, trained in _train_missing(task, [n for n in numbers if n not in found], workers):
            found[number] = trained
            if saved:
                saved[number].save(Snapshot({"fold": to_record(asdict(trained.record))}, trained.logits))
            count()
            if on_fold is not None:
                on_fold(trained.record)
    return [found[number] for number in numbers]


def _task(
    model: nn.Module | Network | str,
    data: Data,
    config: Config | str | None,
    sizes: tuple[int, int, float],
    small_classes: SmallClasses,
    *,
    baseline: bool,
) -> FoldTask:
    if world_size() > 1:
        raise ConfigError("Folds are trained in one process: leave out torchrun.")
    chosen = preset("plus" if config is None else config) if config is None or isinstance(config, str) else config
    model = Network(model=cast(Any, model)) if isinstance(model, str) else model
    if not isinstance(model, Network):
        check_arguments(model, chosen)
    graph = validate(data)
    if graph.is_mapped:
        raise DataError("Folds need the graph in memory, but this one is on disk: train it with a split of its own.")
    folds, seed, val_share = sizes
    chosen = override(chosen, {"seed": seed})
    return FoldTask(model, graph, chosen, divide(graph, folds, seed, small_classes), val_share, baseline)


def _train_missing(task: FoldTask, missing: list[int], workers: int) -> Iterator[tuple[int, TrainedFold]]:
    alone = len(missing) < 2 or not _is_importable(task.model) or (workers == 0 and _is_short(task))
    return map_unordered(partial(train_fold, task), missing, 1 if alone else workers, import_main=False)


def _is_short(task: FoldTask) -> bool:
    """Return whether a fold takes less time than the start of a process, which imports torch."""
    return task.data.num_nodes * task.config.fit.epochs * task.config.highway.rounds < SHORT_WORK


def _is_importable(model: nn.Module | Network) -> bool:
    """Return whether another process can load the model: not if its class is defined in the running script."""
    if isinstance(model, Network) or network_of(model) is not None:
        return True
    try:
        pickle.dumps(model)
    except (pickle.PicklingError, AttributeError, TypeError):
        return False
    return all(type(part).__module__ != "__main__" for part in model.modules())


def _checkpoints(folder: str | os.PathLike[str], task: FoldTask, number: int) -> Checkpoints:
    """Return the checkpoint of a finished fold; those of another graph, config or network are refused."""
    model = task.model
    shapes = {} if isinstance(model, Network) else {k: list(v.shape) for k, v in model.state_dict().items()}
    network = model if isinstance(model, Network) else network_of(model)
    identity = {
        "data": data_hash(task.data),
        "nodes": task.division.nodes.tolist(),
        "folds": task.division.number.tolist(),
        "config": task.config.model_dump(),
        "val_share": task.val_share,
        "baseline": task.baseline,
        "model": type(model).__name__,
        "network": network.model_dump() if network else None,
        "shapes": shapes,
    }
    return Checkpoints(Path(folder) / f"fold-{number + 1}", identity)


def _stored(saved: Checkpoints) -> TrainedFold | None:
    snapshot = saved.latest()
    if snapshot is None:
        return None
    record = from_record(snapshot.facts["fold"])
    return TrainedFold(Fold(**record | {"epochs": tuple(record["epochs"])}), snapshot.tensors)


def _result(task: FoldTask, trained: list[TrainedFold]) -> CrossValidation:
    names = [name for name in trained[0].logits if all(name in one.logits for one in trained)]
    logits = {name: pooled(task.division, [one.logits[name] for one in trained]) for name in names}
    nodes = task.division.nodes
    return CrossValidation(
        nodes=nodes,
        labels=task.data.y[nodes],
        fold=task.division.number,
        logits=logits.pop(ANSWER),
        typical=logits.pop(BASELINE, None),
        folds=tuple(one.record for one in trained),
        model=task.model,
        data=task.data,
        config=task.config,
        candidates=logits,
    )
