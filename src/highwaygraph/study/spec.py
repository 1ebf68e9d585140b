"""Grids of runs as data: a TOML file says which cells there are, and what the paper found."""

import json
import tomllib
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from highwaygraph.config import Network
from highwaygraph.errors import ConfigError, did_you_mean
from highwaygraph.options import Options, override

SHIPPED = Path(__file__).parent / "paper"


Cell = dict[str, Any]


PLACE = ("dataset", "model", "preset", "split", "seed")


# Axes that are neither a place nor a dotted option.
OTHERS = ("train", "source")


class Study(Options):
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
    """The axes: dataset, model, preset, split, seed, train, source (whose highways are lent), any dotted option."""
    options: dict[str, Any] = Field({})
    """Dotted options of every cell."""
    tuned: list[dict[str, Any]] = Field([])
    """Options of the cells that have the given dataset and model."""
    tuned_as: str = ""
    """Another grid whose tuned options hold here too."""
    timed: bool = False
    """Whether time and memory are what it is about: cells then run one by one, each in a fresh process."""
    embedding: bool = False
    """Whether records hold the last layer in two dimensions (t-SNE)."""
    paper: list[dict[str, Any]] = Field([])
    """The paper's own numbers: axis values with mean and, where printed, deviation, in per cent."""
    others: list[dict[str, Any]] = Field([])
    """Numbers that the paper quotes for other methods."""


def shipped_studies() -> list[str]:
    """Return the grids that are shipped."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def read_study(name: str) -> Study:
    """Return a shipped grid by name, or the grid in a TOML file."""
    path = Path(name) if name.endswith(".toml") else SHIPPED / f"{name}.toml"
    if not path.is_file():
        raise ConfigError(f"There is no study {name!r}.{did_you_mean(name, shipped_studies())}")
    try:
        study = Study(name=path.stem, **tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
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


def cell_key(cell: Cell) -> str:
    """Return the one name of a cell, whatever the order of its axes."""
    return json.dumps(cell, sort_keys=True)


def options(study: Study, cell: Cell) -> tuple[Network, dict[str, Any]]:
    """Return the network and the dotted changes: what holds for all, what was tuned, then the cell's own."""
    chosen = dict(study.options)
    for tuned in study.tuned:
        where = {k: v for k, v in tuned.items() if k in PLACE}
        if all(cell.get(k) == v for k, v in where.items()):
            chosen |= {k: v for k, v in tuned.items() if k not in PLACE}
    chosen |= {k: v for k, v in cell.items() if k not in (*PLACE, *OTHERS)}
    of_network = {k.removeprefix("network."): v for k, v in chosen.items() if k.startswith("network.")}
    changes = {k: v for k, v in chosen.items() if not k.startswith("network.")}
    return override(Network(), {"model": cell["model"], **of_network}), changes
