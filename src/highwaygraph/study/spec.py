"""Studies: grids of runs in TOML files, with the numbers of the paper."""

import json
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from highwaygraph.config import Config, Network
from highwaygraph.errors import ConfigError, did_you_mean, warn_renamed
from highwaygraph.options import Options, override, present_option
from highwaygraph.presets import preset
from highwaygraph.runtime.parsing import parse_toml
from highwaygraph.study.validate import check_axes, check_count, check_values

SHIPPED = Path(__file__).parent / "paper"


Cell = dict[str, Any]


PLACE = ("dataset", "model", "preset", "split", "seed")


# Axes that neither identify a run nor are dotted options.
OTHERS = ("train", "source")


class SplitSizes(Options):
    """The sizes of the random splits of one dataset, where they differ from those of the study."""

    dataset: str
    train: int = Field(ge=1)
    """Training nodes."""
    val: int = Field(ge=1)
    """Validation nodes."""
    per: Literal["class", "graph"] = "class"
    """class: so many of every class; graph: so many in all, every class in its proportion."""


class Study(Options):
    """The content of a study file."""

    name: str
    title: str
    protocol: Literal["random", "public"]
    """random: nodes per class are sampled with the split as seed; public: the masks of the dataset."""
    train: int = 20
    """Training nodes per class of a random split."""
    val: int = 30
    """Validation nodes per class of a random split."""
    small_classes: Literal["refuse", "share"] = "refuse"
    """Whether a class with fewer than `train + val` labels is refused or shared out, as for `highwaygraph.split`."""
    sizes: list[SplitSizes] = Field([])
    """Datasets with other sizes of their random splits."""
    baseline: dict[str, Any] = Field({})
    """The axis value that differences refer to."""
    grid: dict[str, list[Any]]
    """The axes: dataset, model, preset, split, seed, train, source (network whose highways are added), any option."""
    options: dict[str, Any] = Field({})
    """Dotted options of every cell."""
    fit_as: str = ""
    """Preset whose `fit` options all presets are trained with; empty: each with its own."""
    variants: dict[str, dict[str, Any]] = Field({})
    """Further values of the axis preset: a preset and options that differ from it."""
    tuned: list[dict[str, Any]] = Field([])
    """Options of the cells that have the given dataset and model."""
    tuned_as: str = ""
    """Another study whose tuned options are used as well."""
    timed: bool = False
    """Whether time and memory are measured: cells then run one by one, each in a fresh process."""
    embedding: bool = False
    """Whether records hold the last layer in two dimensions (t-SNE)."""
    paper: list[dict[str, Any]] = Field([])
    """The paper's results: axis values with mean and, where printed, deviation, in per cent."""
    others: list[dict[str, Any]] = Field([])
    """Results of other methods that the paper quotes."""

    @model_validator(mode="after")
    def _valid(self) -> "Study":
        names = ("options", "baseline", "tuned", "paper", "others")
        tables = {name: getattr(self, name) for name in names} | {"variants": list(self.variants.values())}
        check_values(self.grid, tables)
        return self


def shipped_studies() -> list[str]:
    """Return the names of the studies of this package."""
    return sorted(path.stem for path in SHIPPED.glob("*.toml"))


def read_study(name: str) -> Study:
    """Read a study, with the tuned options of another one where it refers to it.

    Args:
        name: The name of a study of this package, or the path of a TOML file.

    Returns:
        The study, with the option names of this version.
    """
    study = _read(name)
    if not study.tuned_as:
        return study
    other = _read(study.tuned_as)
    if other.tuned_as:
        raise ConfigError(f"{name} is tuned as {study.tuned_as}, which is tuned as another: name that one.")
    return override(study, {"tuned": other.tuned})


def _read(name: str) -> Study:
    path = Path(name) if name.endswith(".toml") else SHIPPED / f"{name}.toml"
    try:
        if not path.is_file():
            raise ConfigError(f"There is no study {name!r}.{did_you_mean(name, shipped_studies())}")
        table = parse_toml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ConfigError(f"{name} is no TOML file: {error}.") from error
    if "name" in table:
        raise ConfigError(f"{path} has an entry 'name': remove it, a study is called by its file.")
    study = _with_present_names(Study(name=path.stem, **table))
    check_axes(study.name, study.grid, study.protocol)
    if study.fit_as:
        preset(study.fit_as)
    return study


def _with_present_names(study: Study) -> Study:
    """Return the study with the option names of version 0.1 replaced; warn once per name."""
    names = {
        *study.grid,
        *study.options,
        *study.baseline,
        *(name for part in (*study.variants.values(), *study.tuned, *study.paper) for name in part),
    }
    for name in sorted(names):
        present, _ = present_option(Config, name, None, warn=False)
        if present != name:
            warn_renamed(name, present, stacklevel=4)
    return study.model_copy(
        update={
            "grid": {
                _present(name, None)[0]: [_present(name, v)[1] for v in values] for name, values in study.grid.items()
            },
            "options": _present_options(study.options),
            "baseline": _present_options(study.baseline),
            "variants": {name: _present_options(part) for name, part in study.variants.items()},
            "tuned": [_present_options(part) for part in study.tuned],
            "paper": [_present_options(part) for part in study.paper],
        }
    )


def _present_options(options: Mapping[str, Any]) -> dict[str, Any]:
    return dict(_present(name, value) for name, value in options.items())


def _present(name: str, value: Any) -> tuple[str, Any]:
    return present_option(Config, name, value, warn=False)


def cells(study: Study, only: Mapping[str, str] | None = None) -> list[Cell]:
    """Return the cells of a study.

    Args:
        study: The study.
        only: Values of some axes, as text; other cells are left out.

    Returns:
        The cells, in the order of the grid.
    """
    grid = dict(study.grid)
    for name, value in (only or {}).items():
        if name not in grid:
            raise ConfigError(f"There is no axis {name!r} in {study.name}.{did_you_mean(name, grid)}")
        if value not in map(str, grid[name]):
            raise ConfigError(f"{name} is never {value!r}.{did_you_mean(value, map(str, grid[name]))}")
        grid[name] = [each for each in grid[name] if str(each) == value]
    check_count(study.name, grid)
    return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]


def cell_key(cell: Cell) -> str:
    """Return a key of the cell that does not depend on the order of its axes."""
    return json.dumps(cell, sort_keys=True)


def split_sizes(study: Study, cell: Cell) -> SplitSizes:
    """Return the sizes of a cell's random split: those of its dataset, else of the study; an axis `train` overrides."""
    found = next((sizes for sizes in study.sizes if sizes.dataset == cell["dataset"]), None)
    sizes = found or SplitSizes(dataset=cell["dataset"], train=study.train, val=study.val)
    return override(sizes, {"train": cell["train"]}) if "train" in cell else sizes


def options(study: Study, cell: Cell) -> tuple[Network, dict[str, Any]]:
    """Return the network and the options of a cell: those of all cells, the tuned ones, then its own."""
    chosen = dict(study.options)
    for tuned in study.tuned:
        where = {k: v for k, v in tuned.items() if k in PLACE}
        if all(cell.get(k) == v for k, v in where.items()):
            chosen |= {k: v for k, v in tuned.items() if k not in PLACE}
    chosen |= {k: v for k, v in cell.items() if k not in (*PLACE, *OTHERS)}
    of_network = {k.removeprefix("network."): v for k, v in chosen.items() if k.startswith("network.")}
    changes = {k: v for k, v in chosen.items() if not k.startswith("network.")}
    return override(Network(), {"model": cell["model"], **of_network}), changes


def preset_config(study: Study, cell: Cell) -> Config:
    """Return the config of a cell's preset or variant, with the `fit` options that all cells share."""
    name = cell.get("preset", "full")
    variant = study.variants.get(name, {"preset": name})
    config = preset(variant.get("preset", "full"))
    if study.fit_as:
        config = config.model_copy(update={"fit": preset(study.fit_as).fit})
    return override(config, {k: v for k, v in variant.items() if k != "preset"})
