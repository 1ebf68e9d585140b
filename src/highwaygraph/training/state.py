"""Where a training stands between two epochs, and the same as a snapshot that goes on to the same bits."""

import copy
from collections.abc import Iterable, Mapping
from dataclasses import asdict, astuple, dataclass, field
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.optim import Adam

from highwaygraph.nn.dropout import DropoutMasks
from highwaygraph.runs.history import Epoch, HighwayTable, Round, from_record, to_record
from highwaygraph.runtime.rng import random_state, set_random_state
from highwaygraph.training.checkpoints import Snapshot

Tensors = dict[str, Tensor]


class FitResult(NamedTuple):
    """The weights that validation chose in one round, and what they predict."""

    model: nn.Module
    logits: Tensor
    best: Epoch
    history: list[Epoch]


class BestRound(NamedTuple):
    """The answer so far: a fitted model, its score, the place of its round and the highways it was trained with."""

    model: nn.Module
    logits: Tensor
    best: Epoch
    score: float
    place: int
    roads: list[HighwayTable]


@dataclass
class TrainingState:
    """What the finished rounds have given."""

    rounds: list[Round] = field(default_factory=list)
    history: list[Epoch] = field(default_factory=list)
    roads: list[HighwayTable] = field(default_factory=list)
    shares: Tensor | None = None
    kept: BestRound | None = None
    best: int = 0
    """The round that was best, counted from 1."""
    start: Tensors = field(default_factory=dict)
    """What a module of one's own began with: of it, whatever has no reset_parameters begins so in every round."""


@dataclass
class RoundState:
    """How far the present round is: the weights as they are, and the best so far."""

    model: nn.Module
    optimizer: Adam
    history: list[Epoch] = field(default_factory=list)
    best: Epoch | None = None
    state: Tensors = field(default_factory=dict)
    """The weights of the best epoch."""


def snapshot(standing: TrainingState, fitting: RoundState, device: torch.device) -> Snapshot:
    """Return all of it, with the random state."""
    kept = standing.kept
    facts = {
        "rounds": [to_record(asdict(r)) for r in standing.rounds],
        "best": standing.best,
        "roads": len(standing.roads),
        "kept": None if kept is None else {"score": kept.score, "place": kept.place, "roads": len(kept.roads)},
    }
    tensors = {
        "history": _table(standing.history),
        "present": _table(fitting.history),
        "best": _table([fitting.best] if fitting.best else []),
        **_below("random", random_state(device)),
        **_below("noise", dict(_noises(fitting.model))),
        **_below("model", fitting.model.state_dict()),
        **_below("state", fitting.state),
        **_below("optimizer", _moments(fitting.optimizer)),
        **_roads("roads", standing.roads),
        **_below("start", standing.start),
    }
    if standing.shares is not None:
        tensors["shares"] = standing.shares
    if kept is not None:
        tensors |= {"kept.logits": kept.logits, "kept.best": _table([kept.best])}
        tensors |= _below("kept.model", kept.model.state_dict()) | _roads("kept.roads", kept.roads)
    return Snapshot(facts, tensors)


def restore_state(snapshot: Snapshot, model: nn.Module) -> TrainingState:
    """Return what the finished rounds had given, the answer in a copy of the model."""
    facts, tensors = snapshot
    kept = None
    if facts["kept"] is not None:
        answer = copy.deepcopy(model).cpu()
        answer.load_state_dict(_under("kept.model", tensors))
        (best,) = _epochs(tensors["kept.best"])
        roads = _sets("kept.roads", tensors, facts["kept"]["roads"])
        kept = BestRound(answer, tensors["kept.logits"], best, facts["kept"]["score"], facts["kept"]["place"], roads)
    return TrainingState(
        rounds=[Round(**from_record(r)) for r in facts["rounds"]],
        history=_epochs(tensors["history"]),
        roads=_sets("roads", tensors, facts["roads"]),
        shares=tensors.get("shares"),
        kept=kept,
        best=facts["best"],
        start=_under("start", tensors),
    )


def restore_round(fitting: RoundState, snapshot: Snapshot, device: torch.device) -> None:
    """Put the present round, the model's weights and all random states where they stood."""
    _, tensors = snapshot
    fitting.model.load_state_dict(_under("model", tensors))
    fitting.state = {name: value.to(device) for name, value in _under("state", tensors).items()}
    fitting.history = _epochs(tensors["present"])
    fitting.best = next(iter(_epochs(tensors["best"])), None)
    groups = fitting.optimizer.state_dict()["param_groups"]
    moments: dict[int, Tensors] = {}
    for name, value in _under("optimizer", tensors).items():
        number, what = name.split(".")
        moments.setdefault(int(number), {})[what] = value
    fitting.optimizer.load_state_dict({"state": moments, "param_groups": groups})
    for (name, _), noise in zip(_noises(fitting.model), _noise(fitting.model), strict=True):
        noise.set_state(tensors[f"noise.{name}"])
    set_random_state(_under("random", tensors), device)


def _noise(model: nn.Module) -> list[DropoutMasks]:
    found = (getattr(module, "dropout_masks", None) for module in model.modules())
    return [one for one in found if isinstance(one, DropoutMasks)]


def _noises(model: nn.Module) -> Iterable[tuple[str, Tensor]]:
    return ((str(number), one.state()) for number, one in enumerate(_noise(model)))


def _moments(optimizer: Adam) -> Tensors:
    state = optimizer.state_dict()["state"]
    return {f"{number}.{name}": value for number, of in state.items() for name, value in of.items()}


def _table(epochs: list[Epoch]) -> Tensor:
    return torch.tensor([astuple(epoch) for epoch in epochs], dtype=torch.double)


def _epochs(table: Tensor) -> list[Epoch]:
    return [Epoch(int(number), int(epoch), *values) for number, epoch, *values in table.tolist()]


def _roads(prefix: str, sets: list[HighwayTable]) -> Tensors:
    return {f"{prefix}.{i}.{name}": part for i, one in enumerate(sets) for name, part in one._asdict().items()}


def _sets(prefix: str, tensors: Mapping[str, Tensor], count: int) -> list[HighwayTable]:
    return [HighwayTable(*(tensors[f"{prefix}.{i}.{name}"] for name in HighwayTable._fields)) for i in range(count)]


def _below(prefix: str, tensors: Mapping[str, Tensor]) -> Tensors:
    return {f"{prefix}.{name}": value for name, value in tensors.items()}


def _under(prefix: str, tensors: Mapping[str, Tensor]) -> Tensors:
    return {name.removeprefix(f"{prefix}."): t for name, t in tensors.items() if name.startswith(f"{prefix}.")}
