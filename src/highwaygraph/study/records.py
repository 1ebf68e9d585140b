"""Studies: the missing cells of a grid are run, and every finished cell is appended to a results file."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from io import FileIO
from pathlib import Path
from typing import Any

from highwaygraph.config import Config
from highwaygraph.errors import FailedError, RunError
from highwaygraph.options import present_option, upgrade
from highwaygraph.runtime.atomic import reason
from highwaygraph.runtime.environment import versions
from highwaygraph.runtime.parallel import Launcher, map_unordered
from highwaygraph.runtime.parsing import parse_json
from highwaygraph.study.cell import run_cells
from highwaygraph.study.shared import sharing_groups
from highwaygraph.study.spec import PLACE, Cell, Study, cell_key, split_sizes
from highwaygraph.study.validate import check_record


@dataclass(frozen=True)
class Record:
    """A finished cell: a line of the results file."""

    cell: Cell
    facts: dict[str, Any]


def run(
    study: Study, wanted: list[Cell], path: Path, workers: int = 0, launcher: Launcher = "local"
) -> Iterator[Record]:
    """Run the cells that the results file lacks, and append each as it finishes.

    Args:
        study: The study.
        wanted: Cells of its grid.
        path: The results file; it is made if it does not exist.
        workers: Number of processes; 0 chooses one per processor.
        launcher: Where the processes run.

    Yields:
        The records, in the order in which the cells finish.
    """
    _truncate_torn_line(path)
    done = {cell_key(found.cell) for found in read_records(path)}
    missing = [cell for cell in wanted if cell_key(cell) not in done]
    path.parent.mkdir(parents=True, exist_ok=True)
    groups = sharing_groups(missing, alone=study.timed)
    for group, found in map_unordered(partial(run_cells, study), groups, workers, launcher, alone=study.timed):
        for cell, facts in zip(group, found, strict=True):
            _append(path, _line(study, cell, facts))
            yield Record(cell, facts)


def read_records(path: Path) -> list[Record]:
    """Read a results file.

    Args:
        path: The file; without one there are no records.

    Returns:
        The finished cells, with the option and field names of this version; an incomplete last line is left out.
    """
    if not path.is_file():
        return []
    content = path.read_bytes()
    try:
        lines = [parse_json(line) for line in content[: _complete_length(content)].splitlines()]
        return [_record(check_record(line)) for line in lines]
    except (ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path} has a line that is no record ({error}): correct or remove it.") from error


def _record(line: dict[str, Any]) -> Record:
    """Return a line as a record; names of version 0.1 are replaced by the present ones."""
    cell = dict(present_option(Config, name, value, warn=False) for name, value in line["cell"].items())
    if "kept" in line:  # glossary: name of version 0.1
        line["best_round"] = line.pop("kept")  # glossary: name of version 0.1
    # A record holds the network within the config, of which it is no section.
    config = line.get("config")
    if config is not None:
        network = {"network": config["network"]} if "network" in config else {}
        line |= {"config": upgrade(Config, {k: v for k, v in config.items() if k != "network"}) | network}
    return Record(cell, line | {"cell": cell})


def _truncate_torn_line(path: Path) -> None:
    """Remove a last line that a crash left incomplete."""
    if path.is_file() and _complete_length(content := path.read_bytes()) < len(content):
        os.truncate(path, _complete_length(content))


def _complete_length(content: bytes) -> int:
    return content.rfind(b"\n") + 1


def _line(study: Study, cell: Cell, facts: dict[str, Any]) -> str:
    protocol = _protocol(study, cell) if study.protocol == "random" else study.protocol
    place = {name: cell.get(name, "full" if name == "preset" else None) for name in PLACE}
    measured = {name: value if name == "config" else _rounded(value) for name, value in facts.items()}
    line = {"study": study.name, **place, "protocol": protocol, "cell": cell, **measured, "versions": versions()}
    return json.dumps(line, allow_nan=False, separators=(",", ":")) + "\n"


def _rounded(value: Any) -> Any:
    """Return measured values with seven digits: more are noise, and most of the size of a results file."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    return [_rounded(one) for one in value] if isinstance(value, list | tuple) else value


def _protocol(study: Study, cell: Cell) -> str:
    sizes = split_sizes(study, cell)
    return f"random {sizes.train}/{sizes.val}/rest" + (" of the graph" if sizes.per == "graph" else "")


def _append(path: Path, line: str) -> None:
    """Append a whole line, on disk before the cell counts as finished; a failure leaves the file as it was."""
    try:
        with path.open("ab", buffering=0) as file:
            end = file.seek(0, os.SEEK_END)
            try:
                _write_all(file, line.encode())
            except BaseException:
                file.truncate(end)
                raise
    except OSError as error:
        raise FailedError(
            f"Cannot write {path}: {reason(error)}. Make space or choose another folder with --out, and run the study "
            "again: finished cells are in the file."
        ) from error


def _write_all(file: FileIO, content: bytes) -> None:
    # A full disk may take the beginning of a line only, without an error.
    while content:
        content = content[file.write(content) :]
    os.fsync(file.fileno())
