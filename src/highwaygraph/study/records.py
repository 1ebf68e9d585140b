"""Studies: the missing cells of a grid are run, and every finished one is a line of a results file."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from highwaygraph.config import Config
from highwaygraph.errors import RunError
from highwaygraph.options import present_option, upgrade
from highwaygraph.runtime.environment import versions
from highwaygraph.runtime.parallel import Launcher, map_unordered
from highwaygraph.study.cell import run_cell
from highwaygraph.study.spec import PLACE, Cell, Study, cell_key


@dataclass(frozen=True)
class Record:
    """A finished cell as it stands in the results file."""

    cell: Cell
    facts: dict[str, Any]


def run(
    study: Study, wanted: list[Cell], path: Path, workers: int = 0, launcher: Launcher = "local"
) -> Iterator[Record]:
    """Run the cells that the results file does not have yet, append each as it ends, and yield it."""
    _mend(path)
    done = {cell_key(found.cell) for found in read_records(path)}
    missing = [cell for cell in wanted if cell_key(cell) not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    for cell, facts in map_unordered(partial(run_cell, study), missing, workers, launcher, alone=study.timed):
        _append(path, _line(study, cell, facts))
        yield Record(cell, facts)


def read_records(path: Path) -> list[Record]:
    """Return the finished cells, without a last line that is not whole yet."""
    if not path.is_file():
        return []
    content = path.read_bytes()
    try:
        lines = [json.loads(line) for line in content[: _whole(content)].splitlines()]
        return [_record(line) for line in lines]
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} has a line that is no record ({error}): mend or remove it.") from error


def _record(line: dict[str, Any]) -> Record:
    """Return a line as a record, options of earlier versions under their present names."""
    cell = dict(present_option(Config, name, value, warn=False) for name, value in line["cell"].items())
    # The network stands beside the config in a record, and below it in none.
    config = line.get("config")
    if config is not None:
        network = {"network": config["network"]} if "network" in config else {}
        line |= {"config": upgrade(Config, {k: v for k, v in config.items() if k != "network"}) | network}
    return Record(cell, line | {"cell": cell})


def _mend(path: Path) -> None:
    """Cut off a last line that was torn by a crash."""
    if path.is_file() and _whole(content := path.read_bytes()) < len(content):
        os.truncate(path, _whole(content))


def _whole(content: bytes) -> int:
    return content.rfind(b"\n") + 1


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
