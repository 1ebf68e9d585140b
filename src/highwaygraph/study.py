"""A grid of runs: a TOML file becomes cells, and every finished cell one line of a results file."""

import json
import os
import time
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path
from typing import Any, Literal

from pydantic import Field
from torch_geometric.data import Data

from highwaygraph.config import Network, Value, override, preset
from highwaygraph.data import load
from highwaygraph.data.hashes import data_hash, split_hash
from highwaygraph.engine import train
from highwaygraph.errors import ConfigError, RunError, did_you_mean
from highwaygraph.models import GNN, num_classes
from highwaygraph.pool import each
from highwaygraph.results import Result, versions
from highwaygraph.rounds import record
from highwaygraph.splits import check_split, split
from highwaygraph.summary import by_hop

SHIPPED = Path(__file__).parent / "paper"
Cell = dict[str, Any]
PLACE = ("dataset", "model", "preset", "split", "seed")


class Study(Value):
    """What a grid file says."""

    name: str
    title: str
    protocol: Literal["random", "public"]
    """random: so many nodes per class are drawn by the split's number; public: the dataset's own masks."""
    train: int = 20
    """Training nodes per class of a random split."""
    val: int = 30
    """Validation nodes per class of a random split."""
    baseline: dict[str, Any] = Field({})
    """The axis value that differences are taken to."""
    grid: dict[str, list[Any]]
    """The axes: dataset, model, preset, split, seed, train, and any dotted option."""
    options: dict[str, Any] = Field({})
    """Dotted options of every cell."""
    tuned: list[dict[str, Any]] = Field([])
    """Options of the cells that have the given dataset and model."""
    tuned_as: str = ""
    """Another grid whose tuned options hold here too."""
    paper: list[dict[str, Any]] = Field([])
    """The paper's own numbers: axis values with mean and, where printed, deviation, in per cent."""


@dataclass(frozen=True)
class Record:
    """A finished cell as it stands in the results file."""

    cell: Cell
    facts: dict[str, Any]


def names() -> list[str]:
    """Return the grids that are shipped."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def read_study(name: str) -> Study:
    """Return a shipped grid by name, or the grid in a TOML file."""
    path = Path(name) if name.endswith(".toml") else SHIPPED / f"{name}.toml"
    if not path.is_file():
        raise ConfigError(f"There is no study {name!r}.{did_you_mean(name, names())}")
    try:
        study = Study(name=path.stem, **tomllib.loads(path.read_text(encoding="utf-8")))
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is no TOML file: {error}.") from error
    return override(study, {"tuned": read_study(study.tuned_as).tuned}) if study.tuned_as else study


def cells(study: Study, only: Mapping[str, str] | None = None) -> list[Cell]:
    """Return every cell of the grid, or those whose axes have the given values."""
    every = [dict(zip(study.grid, values, strict=True)) for values in product(*study.grid.values())]
    for name, value in (only or {}).items():
        if name not in study.grid:
            raise ConfigError(f"There is no axis {name!r} in {study.name}.{did_you_mean(name, study.grid)}")
        if value not in map(str, study.grid[name]):
            raise ConfigError(f"{name} is never {value!r}.{did_you_mean(value, map(str, study.grid[name]))}")
        every = [cell for cell in every if str(cell[name]) == value]
    return every


def run_cell(study: Study, cell: Cell) -> dict[str, Any]:
    """Train one cell and return its facts; test accuracy is read once, from the weights that validation chose."""
    start = time.perf_counter()
    network, changes = _options(study, cell)
    data = _dataset(cell["dataset"])
    if study.protocol == "public":
        data = check_split(data)
    else:
        data = split(data, train=cell.get("train", study.train), val=study.val, seed=cell["split"])
    config = override(preset(cell.get("preset", "full")), changes | {"seed": cell["seed"]})
    result = train(GNN(network, data.x.size(1), num_classes(data)), data, config)
    return _facts(result) | {
        "config": config.model_dump() | {"network": network.model_dump()},
        "data_hash": data_hash(data),
        "split_hash": split_hash(data),
        "seconds": time.perf_counter() - start,
    }


def run(study: Study, wanted: list[Cell], path: Path, workers: int = 0) -> Iterator[Record]:
    """Run the cells that the results file does not have yet, append each as it ends, and yield it."""
    done = {cell_key(found.cell) for found in read_records(path)}
    missing = [cell for cell in wanted if cell_key(cell) not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    for cell, facts in each(partial(run_cell, study), missing, workers):
        _append(path, _line(study, cell, facts))
        yield Record(cell, facts)


def read_records(path: Path) -> list[Record]:
    """Return the finished cells, cutting off a last line that was torn by a crash."""
    if not path.is_file():
        return []
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)
    try:
        lines = [json.loads(line) for line in content[:whole].splitlines()]
        return [Record(line["cell"], line) for line in lines]
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} has a line that is no record ({error}): mend or remove it.") from error


@cache
def _dataset(name: str) -> Data:
    # Every worker runs many cells on few graphs.
    return load(name)


def _facts(result: Result) -> dict[str, Any]:
    scores = {"val": result.val, "test": result.test, "test_last": result.rounds[-1].test}
    return record(scores) | {
        "stopped": result.stopped,
        "kept": result.kept + 1,
        "highways": result.highways.size(1),
        "rounds": [record(asdict(r)) for r in result.rounds],
        "hops": [record(h._asdict()) for h in by_hop(result)],
    }


def _options(study: Study, cell: Cell) -> tuple[Network, dict[str, Any]]:
    """Return the network and the dotted changes: what holds for all, what was tuned, then the cell's own."""
    chosen = dict(study.options)
    for tuned in study.tuned:
        where = {k: v for k, v in tuned.items() if k in PLACE}
        if all(cell.get(k) == v for k, v in where.items()):
            chosen |= {k: v for k, v in tuned.items() if k not in PLACE}
    chosen |= {k: v for k, v in cell.items() if k not in (*PLACE, "train")}
    of_network = {k.removeprefix("network."): v for k, v in chosen.items() if k.startswith("network.")}
    changes = {k: v for k, v in chosen.items() if not k.startswith("network.")}
    return override(Network(), {"model": cell["model"], **of_network}), changes


def _line(study: Study, cell: Cell, facts: dict[str, Any]) -> str:
    drawn = f"random {cell.get('train', study.train)}/{study.val}/rest"
    protocol = drawn if study.protocol == "random" else study.protocol
    place = {name: cell.get(name, "full" if name == "preset" else None) for name in PLACE}
    line = {"study": study.name, **place, "protocol": protocol, "cell": cell, **facts, "versions": versions()}
    return json.dumps(line, allow_nan=False, separators=(",", ":")) + "\n"


def _append(path: Path, line: str) -> None:
    # One write of a whole line, on disk before the cell counts as finished.
    with path.open("ab", buffering=0) as file:
        file.write(line.encode())
        os.fsync(file.fileno())


def cell_key(cell: Cell) -> str:
    """Return the one name of a cell, whatever the order of its axes."""
    return json.dumps(cell, sort_keys=True)
