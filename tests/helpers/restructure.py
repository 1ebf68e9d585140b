"""Hostile structure with right checksums: keys deleted, types swapped, tensors short, values nested."""

import hashlib
import json
import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from safetensors.torch import save

from highwaygraph.data.mapped.store import digest
from highwaygraph.runs.folder import CHECKSUMS

# json cannot write what it cannot read either.
DEEP, DEPTH = "as deep as this", 100_000
ODD: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 1.5, 1e308, float("nan"), float("inf"), 10**30, -(10**30), 10**9, "", "x", "../../x",
    "/elsewhere", "\x1b[31m", "nan", "1" * 5000, "a" * 3000, "\x00", "é\ud83d", [], {}, [[]], [None], [1, "a"], [-1],
    {"a": 1}, {"": {}}, [[1, 2], [3]], list(range(500)), DEEP,
)  # fmt: skip
TYPES = (torch.float16, torch.float32, torch.float64, torch.int8, torch.int32, torch.int64, torch.bool, torch.uint8)


def edited(value: Any, rng: random.Random) -> Any:
    """Return a copy of a JSON value with one place changed."""
    copied = json.loads(json.dumps(value))
    places = [(None, None), *_places(copied)]
    holder, key = rng.choice(places)
    if holder is None:
        return rng.choice((rng.choice(ODD), [copied], {"a": copied}))
    match rng.randrange(5):
        case 0 | 1:
            holder[key] = rng.choice(ODD)
        case 2:
            del holder[key]
        case 3:
            other, where = rng.choice(places[1:])
            holder[key] = json.loads(json.dumps(other[where]))
        case _ if isinstance(holder, dict):
            holder[rng.choice(("../x", "", "x", f"{key}2"))] = holder.pop(key)
        case _:
            holder.insert(key, rng.choice(ODD))
    return copied


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return every holder of a nested value with every key in it."""
    keys = list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    return [pair for key in keys for pair in ((value, key), *_places(value[key]))]


def dumped(value: Any) -> str:
    """Return a value as JSON."""
    deep = "[" * DEPTH + "]" * DEPTH
    return json.dumps(value).replace(json.dumps(DEEP), deep)


def json_file(path: Path, rng: random.Random) -> None:
    """Change one place of a JSON file."""
    path.write_text(dumped(edited(json.loads(path.read_text(encoding="utf-8")), rng)), encoding="utf-8")


def json_lines(path: Path, rng: random.Random) -> None:
    """Change one place of a line of JSON."""
    lines = path.read_text(encoding="utf-8").splitlines()
    place = rng.randrange(len(lines))
    lines[place] = dumped(edited(json.loads(lines[place]), rng))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def toml_file(path: Path, rng: random.Random) -> None:
    """Change one place of a TOML file."""
    value = edited(tomllib.loads(path.read_text(encoding="utf-8")), rng)
    lines = (
        [f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()] if isinstance(value, dict) else ["= 1"]
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="replace")


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    odd = {DEEP: "[" * DEPTH + "]" * DEPTH, None: "2001-02-03"}
    return odd[value] if value in odd else dumped(value).replace("NaN", "nan").replace("Infinity", "inf")


def tensor(value: torch.Tensor, rng: random.Random) -> torch.Tensor:
    """Return a tensor of another length, type, shape or content."""
    match rng.randrange(7):
        case 0:
            return value[:-1] if value.dim() else value.new_zeros(2)
        case 1:
            return torch.cat([value, value[:1]]) if value.dim() else value[None]
        case 2:
            return value.to(rng.choice(TYPES))
        case 3:
            return value.flatten() if value.dim() > 1 else value[None]
        case 4:
            return value.new_zeros((0, *value.shape[1:]))
        case 5:
            return value.mT if value.dim() == 2 else value.flip(0) if value.dim() else value + 1
    if value.dtype == torch.bool:
        return ~value
    fills = (float("nan"), float("inf"), -1e30) if value.is_floating_point() else (-1, -2, 100)
    filled = value.flatten().clone()
    filled[: 1 + len(filled) // 3] = rng.choice(fills if value.dtype != torch.uint8 else (255,))
    return filled.reshape(value.shape)


def tensors(path: Path, rng: random.Random) -> None:
    """Drop, rename, swap or change a tensor of a safetensors file."""
    with safe_open(path, "pt") as file:
        values, metadata = {name: file.get_tensor(name) for name in file.keys()}, file.metadata()  # noqa: SIM118
    name = rng.choice(sorted(values))
    match rng.randrange(6):
        case 0:
            del values[name]
        case 1:
            values[rng.choice(("x", "../x", "logits", "x_shape"))] = values.pop(name)
        case 2:
            other = rng.choice(sorted(values))
            values[name], values[other] = values[other], values[name]
        case 3 if metadata:
            key = rng.choice(sorted(metadata))
            metadata[key] = rng.choice((dumped(rng.choice(ODD)), "{", "[" * DEPTH))
        case _:
            values[name] = tensor(values[name], rng)
    path.write_bytes(save({key: value.contiguous().clone() for key, value in values.items()}, metadata))


def arrays(path: Path, rng: random.Random) -> None:
    """Drop, rename or change an array of an npz file."""
    with np.load(path) as file:
        values = {name: torch.from_numpy(file[name]) for name in file.files}
    name = rng.choice(sorted(values))
    value = values.pop(name)
    match rng.randrange(4):
        case 0:
            pass
        case 1:
            values[rng.choice(("x", "x_indptr", "edge_weight", "train_mask", "ids", "undirected"))] = value
        case _:
            values[name] = tensor(value, rng)
    np.savez(path, **{key: array.numpy() for key, array in values.items()})


EDITS: dict[str, Callable[[Path, random.Random], None]] = {
    ".json": json_file,
    ".jsonl": json_lines,
    ".toml": toml_file,
    ".safetensors": tensors,
    ".npz": arrays,
}


def run_folder(path: Path, rng: random.Random) -> None:
    """Change a file of a run, and write the checksums that then hold."""
    victims = sorted(p for p in path.iterdir() if p.suffix in EDITS)
    chosen = rng.choice(victims)
    EDITS[chosen.suffix](chosen, rng)
    names = sorted(p.name for p in path.iterdir() if p.name != CHECKSUMS)
    sums = [hashlib.sha256((path / name).read_bytes()).hexdigest() for name in names]
    (path / CHECKSUMS).write_text("".join(f"{one}  {name}\n" for one, name in zip(sums, names, strict=True)))


def mapped_graph(path: Path, rng: random.Random) -> None:
    """Change an array of a converted graph and its description, and write the checksum that then holds."""
    meta = path / "graph.json"
    facts = json.loads(meta.read_text(encoding="utf-8"))
    if rng.random() < 0.5:
        json_file(meta, rng)
        return
    name = rng.choice(sorted(facts["arrays"]))
    loaded = {
        key: np.fromfile(path / f"{key}.bin", kind).reshape(shape) for key, (kind, shape) in facts["arrays"].items()
    }
    if rng.random() < 0.2:
        del loaded[name]
    else:
        loaded[name] = tensor(torch.from_numpy(loaded[name]), rng).contiguous().numpy()
        loaded[name].tofile(path / f"{name}.bin")
    facts["arrays"] = {key: [str(array.dtype), list(array.shape)] for key, array in loaded.items()}
    meta.write_text(json.dumps(facts | {"digest": digest(loaded)}), encoding="utf-8")


def checkpoint(path: Path, rng: random.Random) -> None:
    """Change a checkpoint, and give it the name that its content then has."""
    file = next(path.glob("*.safetensors"))
    tensors(file, rng)
    sum = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    file.rename(file.with_name(f"{file.name[:9]}{sum}.safetensors"))


def any_file(path: Path, rng: random.Random) -> None:
    """Change a file by its suffix."""
    EDITS[path.suffix](path, rng)
