"""Reads the records of an offline run of Weights & Biases, which are in LevelDB's log format after seven bytes."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

HEADER, BLOCK, PREFIX = 7, 2**15, 7
FULL, LAST = 1, 4


def records(path: Path) -> list[Any]:
    """Return all records of a file."""
    make = import_module("wandb.proto.wandb_internal_pb2").Record
    content, place, parts, found = path.read_bytes(), HEADER, b"", []
    while place + PREFIX <= len(content):
        left = BLOCK - place % BLOCK
        if left < PREFIX:
            place += left
            continue
        size, kind = int.from_bytes(content[place + 4 : place + 6], "little"), content[place + 6]
        parts += content[place + PREFIX : place + PREFIX + size]
        place += PREFIX + size
        if kind in (FULL, LAST):
            found.append(make.FromString(parts))
            parts = b""
    return found


def history(path: Path) -> list[dict[str, Any]]:
    """Return the rows that were logged, with their steps as `_step`."""
    rows = [one.history for one in records(path) if one.WhichOneof("record_type") == "history"]
    return [
        {"/".join(item.nested_key) or item.key: json.loads(item.value_json) for item in row.item}
        | {"_step": row.step.num}
        for row in rows
    ]
