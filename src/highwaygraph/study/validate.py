"""Validation of studies and result records: the types of all values are checked before a cell is run or shown."""

import math
from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from highwaygraph.errors import ConfigError
from highwaygraph.runtime.parsing import checked

# A cell is a training: more than these would run for weeks.
MAX_CELLS = 100_000


Scalar = str | int | float | bool
Value = Scalar | list[Scalar]
Natural = Annotated[int, Field(ge=0)]


# Axes that are no options.
AXES: dict[str, TypeAdapter[Any]] = {
    **dict.fromkeys(("dataset", "model", "preset", "source"), TypeAdapter(list[str])),
    **dict.fromkeys(("split", "seed"), TypeAdapter(list[Natural])),
    "train": TypeAdapter(list[Annotated[int, Field(ge=1)]]),
}
VALUES, TABLE = TypeAdapter(list[Value]), TypeAdapter(dict[str, Value])


class PaperResult(BaseModel):
    """A result of the paper, in per cent, beside the values of its axes."""

    model_config = ConfigDict(extra="ignore")
    mean: float | None = None
    deviation: float | None = None


PAPER = TypeAdapter(PaperResult)


class HopRecord(BaseModel):
    """Accuracy of the nodes at one distance."""

    hops: str
    nodes: int
    accuracy: float | None = None


class CandidateRecord(BaseModel):
    """Accuracies of something simple that was trained beside the network, such as label propagation."""

    model_config = ConfigDict(extra="ignore")
    name: str
    val: float | None
    test: float | None


class RecordLine(BaseModel):
    """The entries of a result record that tables and pages are made of."""

    model_config = ConfigDict(extra="ignore")
    cell: dict[str, Value]
    test: float | None
    test_last: float | None
    epoch_ms: float = 0.0
    train_seconds: float = 0.0
    peak_mib: float = 0.0
    hops: list[HopRecord] = []
    candidates: list[CandidateRecord] = []
    answer: str = ""
    config: dict[str, Any] | None = None
    versions: dict[str, str] = {}


LINE = TypeAdapter(RecordLine)


def check_record(line: Any) -> dict[str, Any]:
    """Return a line of a results file; raise ValueError where an entry is missing or of another type."""
    checked(LINE, line, "record")
    found: dict[str, Any] = line
    return found


def check_axes(name: str, grid: Mapping[str, list[Any]], protocol: str) -> None:
    """Refuse a study without the axes that every cell needs."""
    for axis in ("dataset", "model", "seed", *(("split",) if protocol == "random" else ())):
        if axis not in grid:
            raise ConfigError(f"{name} has no axis {axis!r}: give its values in [grid].")


def check_values(grid: Mapping[str, list[Any]], tables: Mapping[str, Any]) -> None:
    """Raise ValueError where an axis is empty, or a value is no text, number or list of these.

    Args:
        grid: Values by axis.
        tables: Other tables of the study by name, or lists of tables.
    """
    for name, values in grid.items():
        if not values:
            raise ValueError(f"grid.{name} is empty: give at least one value")
        checked(AXES.get(name, VALUES), values, f"grid.{name}")
    for name, content in tables.items():
        for table in content if isinstance(content, list) else [content]:
            checked(TABLE, table, name)
            checked(PAPER, table, name)


def check_count(name: str, grid: Mapping[str, list[Any]]) -> None:
    """Refuse a grid of more cells than can be run, before they are listed."""
    count = math.prod(map(len, grid.values()))
    if count > MAX_CELLS:
        raise ConfigError(
            f"{name} has {count:,} cells, more than {MAX_CELLS:,}: leave out values, or select some with --cells."
        )
