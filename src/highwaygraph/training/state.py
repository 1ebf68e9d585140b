"""The state of a training between two epochs, and its snapshot, from which a run resumes bit-identically."""

import copy
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, field
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.optim import Adam

from highwaygraph.errors import RunError
from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.runs.history import Epoch, HighwayTable, Round, from_record, to_record
from highwaygraph.runtime.rng import random_state, set_random_state
from highwaygraph.training.checkpoints import Snapshot

Tensors = dict[str, Tensor]


class BestRound(NamedTuple):
    """The selected round so far."""

    model: nn.Module
    logits: Tensor
    score: float
    """Its validation score; higher is better."""
    number: int
    """The round, counted from 1."""
    highways: list[HighwayTable]
    """The highways that it was trained with."""


@dataclass
class TrainingState:
    """The results of the finished rounds."""

    rounds: list[Round] = field(default_factory=list)
    history: list[Epoch] = field(default_factory=list)
    highways: list[HighwayTable] = field(default_factory=list)
    """The highways of the present round, a table per graph."""
    prior: Tensor | None = None
    """The estimated class prior."""
    votes: Tensor | None = None
    """Logits that the votes on the last round add to the consistency targets."""
    best: BestRound | None = None
    last_improvement: int = 0
    """The last round with a better validation score than those before it, counted from 1."""
    initial: Tensors = field(default_factory=dict)
    """Weights that a user's module was given with; parts without reset_parameters start every round from them."""
    num_threads: int = field(default_factory=torch.get_num_threads)
    """Torch's threads of this training."""
    run_id: str = ""
    """Id of this training for trackers; empty without any."""


@dataclass
class RoundState:
    """The present round: the weights, the optimizer and the best epoch so far."""

    model: nn.Module
    optimizer: Adam
    history: list[Epoch] = field(default_factory=list)
    best: Epoch | None = None
    best_weights: Tensors = field(default_factory=dict)
    """The weights of the best epoch."""
    logits: Tensor = field(default_factory=lambda: torch.empty(0, 0))
    """The logits of all nodes with these weights; empty until the round is finished."""


def snapshot(state: TrainingState, current: RoundState, device: torch.device) -> Snapshot:
    """Return both states and the state of all random generators, for a checkpoint."""
    best = state.best
    facts = {
        "rounds": [to_record(asdict(r)) for r in state.rounds],
        "last_improvement": state.last_improvement,
        "num_threads": state.num_threads,
        "run_id": state.run_id,
        "highways": len(state.highways),
        "best": None if best is None else {"score": best.score, "number": best.number, "highways": len(best.highways)},
    }
    tensors = {
        "history": _to_table(state.history),
        "round.history": _to_table(current.history),
        "round.best": _to_table([current.best] if current.best else []),
        **_prefix("random", random_state(device)),
        **_prefix("dropout", {str(i): masks.state() for i, masks in enumerate(_dropout_masks(current.model))}),
        **_prefix("model", current.model.state_dict()),
        **_prefix("best_weights", current.best_weights),
        **_prefix("optimizer", _moments(current.optimizer)),
        **_highway_tensors("highways", state.highways),
        **_prefix("initial", state.initial),
    }
    if state.prior is not None:
        tensors["prior"] = state.prior
    if state.votes is not None:
        tensors["votes"] = state.votes
    if best is not None:
        tensors |= {"best.logits": best.logits} | _prefix("best.model", best.model.state_dict())
        tensors |= _highway_tensors("best.highways", best.highways)
    return Snapshot(facts, tensors)


@contextmanager
def _explained() -> Iterator[None]:
    """Turn a checkpoint whose entries are missing or of another type into one sentence."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise RunError("The last checkpoint does not fit this training: remove its folder, or add --force.") from error


@_explained()
def restore_state(saved: Snapshot, model: nn.Module) -> TrainingState:
    """Return the results of the finished rounds; the best round's weights are loaded into a copy of the model."""
    facts, tensors = saved
    best = None
    if facts["best"] is not None:
        selected = copy.deepcopy(model).cpu()
        selected.load_state_dict(_without_prefix("best.model", tensors))
        highways = _highway_tables("best.highways", tensors, facts["best"]["highways"])
        best = BestRound(selected, tensors["best.logits"], facts["best"]["score"], facts["best"]["number"], highways)
    return TrainingState(
        rounds=[Round(**from_record(r)) for r in facts["rounds"]],
        history=_from_table(tensors["history"]),
        highways=_highway_tables("highways", tensors, facts["highways"]),
        prior=tensors.get("prior"),
        votes=tensors.get("votes"),
        best=best,
        last_improvement=facts["last_improvement"],
        initial=_without_prefix("initial", tensors),
        num_threads=_read_threads(facts),
        run_id=_read_id(facts),
    )


def _read_threads(facts: Mapping[str, Any]) -> int:
    """Return the number of threads; checkpoints of earlier versions have none."""
    count = facts.get("num_threads", torch.get_num_threads())
    if type(count) is not int or count < 1:
        raise ValueError(f"{count!r} threads")
    return count


def _read_id(facts: Mapping[str, Any]) -> str:
    """Return the id for trackers; checkpoints of earlier versions have none."""
    found = facts.get("run_id", "")
    if not isinstance(found, str) or not (found.isalnum() or found == ""):
        raise ValueError(f"{found!r} is no id")
    return found


@_explained()
def restore_round(current: RoundState, saved: Snapshot, device: torch.device) -> None:
    """Load the weights, the optimizer, the best epoch and all random generators from a snapshot."""
    _, tensors = saved
    current.model.load_state_dict(_without_prefix("model", tensors))
    current.best_weights = {name: t.to(device) for name, t in _without_prefix("best_weights", tensors).items()}
    current.history = _from_table(tensors["round.history"])
    current.best = next(iter(_from_table(tensors["round.best"])), None)
    groups = current.optimizer.state_dict()["param_groups"]
    moments: dict[int, Tensors] = {}
    for name, value in _without_prefix("optimizer", tensors).items():
        parameter, moment = name.split(".")
        moments.setdefault(int(parameter), {})[moment] = value
    current.optimizer.load_state_dict({"state": moments, "param_groups": groups})
    for i, masks in enumerate(_dropout_masks(current.model)):
        masks.set_state(tensors[f"dropout.{i}"])
    set_random_state(_without_prefix("random", tensors), device)


def num_epochs(saved: Snapshot) -> int:
    """Return the number of epochs that the interrupted round had finished."""
    return len(saved.tensors["round.history"])


def _dropout_masks(model: nn.Module) -> list[DropoutMasks]:
    found = (getattr(module, "dropout_masks", None) for module in model.modules())
    return [one for one in found if isinstance(one, DropoutMasks)]


def _moments(optimizer: Adam) -> Tensors:
    state = optimizer.state_dict()["state"]
    return {f"{parameter}.{name}": value for parameter, of in state.items() for name, value in of.items()}


def _to_table(epochs: Iterable[Epoch]) -> Tensor:
    return torch.tensor([astuple(epoch) for epoch in epochs], dtype=torch.double)


def _from_table(table: Tensor) -> list[Epoch]:
    return [Epoch(int(number), int(epoch), *values) for number, epoch, *values in table.tolist()]


def _highway_tensors(prefix: str, tables: list[HighwayTable]) -> Tensors:
    return {f"{prefix}.{i}.{name}": part for i, one in enumerate(tables) for name, part in one._asdict().items()}


def _highway_tables(prefix: str, tensors: Mapping[str, Tensor], count: int) -> list[HighwayTable]:
    return [HighwayTable(*(tensors[f"{prefix}.{i}.{name}"] for name in HighwayTable._fields)) for i in range(count)]


def _prefix(prefix: str, tensors: Mapping[str, Tensor]) -> Tensors:
    return {f"{prefix}.{name}": value for name, value in tensors.items()}


def _without_prefix(prefix: str, tensors: Mapping[str, Tensor]) -> Tensors:
    return {name.removeprefix(f"{prefix}."): t for name, t in tensors.items() if name.startswith(f"{prefix}.")}
