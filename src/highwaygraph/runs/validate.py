"""Validation of a run folder's content: types, sizes and ranges agree with each other, also where checksums match."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Annotated, Any, Literal, TypeVar

import torch
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, create_model, model_validator
from torch import Tensor, nn

from highwaygraph.config import Network
from highwaygraph.data.tables.schema import RoleNames
from highwaygraph.errors import HighwayError
from highwaygraph.graph.graph import Graph
from highwaygraph.nn.baselines.fit import BASELINES
from highwaygraph.nn.factory import network_for
from highwaygraph.runs.folder import Contents
from highwaygraph.runs.history import (
    COMBINATION,
    ROUND,
    VOTES,
    Baseline,
    Candidate,
    Epoch,
    HighwayTable,
    Round,
    StopReason,
    from_record,
)
from highwaygraph.runs.stored_types import StoredTypes
from highwaygraph.runtime.parsing import checked

T = TypeVar("T")


class Meta(BaseModel):
    """The entries of meta.json that a run is opened and reported with; further ones are the user's."""

    model_config = ConfigDict(extra="ignore")

    data: str | None
    classes: list[str] | None
    relations: list[str] | None = None
    hetero: StoredTypes | None = None
    ids: Literal["int", "str"] | None
    folder: str | None = None
    data_hash: str
    split_hash: str = ""
    seed: int = 0
    seconds: float = 0.0
    encoders: dict[str, Any] | None = None
    column_roles: RoleNames | None = None
    best_round: int = Field(ge=1)
    stopped: StopReason
    answer: str = ROUND
    candidates: list[dict[str, Any]] = []
    threshold_shift: float = Field(0.0, allow_inf_nan=False)
    label_thresholds: list[Annotated[float, Field(ge=0, le=1)]] = []
    num_threads: int | None = Field(None, ge=1)
    command: str | None = None
    created: str | None = None
    versions: dict[str, str] = {}

    @model_validator(mode="before")
    @classmethod
    def _present(cls, entries: Any) -> Any:
        if isinstance(entries, dict) and "best_round" not in entries and type(entries.get("kept")) is int:
            # Version 0.1 counted from 0.
            return entries | {"best_round": entries["kept"] + 1}  # glossary: name of version 0.1
        return entries


class Settings(BaseModel):
    """The content of config.json."""

    config: dict[str, Any]
    network: dict[str, Any] | None
    model: str
    log_probs: bool = False
    """Whether a user's own module ends in log_softmax."""


class Typical(BaseModel):
    """The content of typical.json."""

    round: dict[str, Any]
    history: list[dict[str, Any]]


Count, Fraction = Annotated[int, Field(ge=0)], Annotated[float, Field(ge=0, le=1)] | None
FRACTIONS = ("val", "test", "val_f1", "val_balanced_accuracy", "edge_precision")
Scalar = str | int | float | bool | None
META, SETTINGS, TYPICAL = TypeAdapter(Meta), TypeAdapter(Settings), TypeAdapter(Typical)
RECORDS, ATTRIBUTES = TypeAdapter(list[dict[str, Any]]), TypeAdapter(dict[str, list[Scalar]])


def _record(kind: type[Any]) -> Any:
    """Return the type of the record that a dataclass is made of: counts, fractions, and null for NaN."""
    bounds = {int: Count, float: float | None, str: str} | dict.fromkeys(FRACTIONS, Fraction)
    entries: Any = {
        f.name: (bounds.get(f.name, bounds[f.type]), ... if f.default is MISSING else f.default) for f in fields(kind)
    }
    return create_model(kind.__name__, **entries)


RECORD_TYPES: dict[type[Any], TypeAdapter[Any]] = {
    kind: TypeAdapter(_record(kind)) for kind in (Round, Epoch, Candidate)
}


def read_meta(contents: Contents) -> Meta:
    """Return the entries of meta.json."""
    return checked(META, contents.meta, "meta.json")


def read_settings(contents: Contents) -> Settings:
    """Return the stored options."""
    return checked(SETTINGS, contents.config, "config.json")


def read_attributes(contents: Contents, nodes: int) -> dict[str, list[Scalar]] | None:
    """Return the columns that reports show, each with a cell per node."""
    if contents.attributes is None:
        return None
    columns = checked(ATTRIBUTES, contents.attributes, "attributes.json")
    for name, cells in columns.items():
        if len(cells) != nodes:
            raise ValueError(f"attributes.json has {len(cells):,} cells of {name!r} for {nodes:,} nodes")
    return columns


def read_rounds(contents: Contents, best: int) -> tuple[Round, ...]:
    """Return the rounds, of which the best one is there."""
    rounds = _records(Round, contents.rounds, "rounds.json")
    if best > len(rounds):
        raise ValueError(f"round {best:,} of {len(rounds):,} is selected")
    return tuple(rounds)


def read_candidates(meta: Meta) -> tuple[Candidate, ...]:
    """Return the candidates, of which the answer is one where there are any."""
    found = tuple(_records(Candidate, meta.candidates, "meta.json candidates"))
    if meta.answer != ROUND and meta.answer not in {one.name for one in found}:
        raise ValueError(f"the answer {meta.answer!r} is none of the candidates")
    parts = [one for one in found if one.weight]
    names, known = {one.name for one in parts}, {ROUND, *BASELINES, *VOTES.values()}
    if meta.answer == COMBINATION and not (names and names <= known and all(one.temperature > 0 for one in parts)):
        raise ValueError("the combination has no candidates with a weight and a temperature")
    return found


def read_epochs(records: Any, name: str = "history.jsonl") -> tuple[Epoch, ...]:
    """Return the epochs."""
    return tuple(_records(Epoch, records, name))


def _records(kind: type[T], records: Any, name: str) -> list[T]:
    values = checked(RECORDS, records, name)
    found = (checked(RECORD_TYPES[kind], value, f"{name}.{i}") for i, value in enumerate(values))
    return [kind(**from_record(record.model_dump())) for record in found]


def read_logits(tensors: Mapping[str, Tensor], name: str, data: Graph) -> Tensor:
    """Return logits with a row per node and a column per class of the graph, at least."""
    found = data.y.size(1) if data.is_multilabel else int(data.y.max()) + 1
    classes = max(found, len(data.classes or ()), 1)
    logits = tensors[name]
    if not logits.is_floating_point() or logits.dim() != 2 or len(logits) != data.num_nodes or logits.size(1) < classes:
        kind = str(logits.dtype).removeprefix("torch.")
        raise ValueError(f"{name} of {kind} {tuple(logits.shape)} for {data.num_nodes:,} nodes and {classes:,} classes")
    return logits


def read_highways(tensors: Mapping[str, Tensor], nodes: int) -> HighwayTable:
    """Return the highways, whose ends exist."""
    table = HighwayTable(*(tensors[f"highway_{name}"] for name in HighwayTable._fields))
    count = table.edges.size(1) if table.edges.dim() == 2 else -1
    expected = {"edges": (2, count), "round": (count,), "confidence": (count,), "pair_score": (count,)}
    for name, column in table._asdict().items():
        whole = column.dtype in (torch.int32, torch.int64)
        if column.shape != expected[name] or (whole if name in ("confidence", "pair_score") else not whole):
            kind = str(column.dtype).removeprefix("torch.")
            raise ValueError(f"highway_{name} is of type {kind} and shape {tuple(column.shape)}")
    if count and (int(table.edges.min()) < 0 or int(table.edges.max()) >= nodes):
        raise ValueError(f"a highway leads to a node beyond {nodes:,}")
    return table


def read_baseline(contents: Contents, data: Graph) -> Baseline | None:
    """Return typical training, where it was run."""
    if contents.typical is None:
        return None
    facts = checked(TYPICAL, contents.typical, "typical.json")
    (selected,) = _records(Round, [facts.round], "typical.json")
    epochs = read_epochs(facts.history, "typical.json")
    return Baseline(read_logits(contents.graph, "typical_logits", data), selected, epochs)


def read_network(options: Network, weights: Mapping[str, Tensor], graph: Graph, classes: int) -> nn.Module:
    """Return the network, built after its declared sizes were compared with the stored weights.

    Args:
        options: The declared options.
        weights: The stored weights.
        graph: The graph of the run.
        classes: Number of columns of the logits.

    Raises:
        ValueError: The options declare other weights than those that are stored.
    """
    fits = options.layers <= len(weights)
    if fits:
        try:
            # Tensors on the meta device have a shape and no memory.
            with torch.device("meta"):
                declared = network_for(options, graph, classes).state_dict()
        except HighwayError:
            raise
        except Exception as error:
            raise ValueError(f"config.json declares a network that cannot be built: {error}") from error
        fits = _kinds(declared) == _kinds(weights)
    if not fits:
        raise ValueError("config.json declares a network of other sizes than the weights in model.safetensors")
    return network_for(options, graph, classes)


def _kinds(weights: Mapping[str, Tensor]) -> dict[str, tuple[torch.Size, bool]]:
    return {name: (weight.shape, weight.is_floating_point()) for name, weight in weights.items()}
