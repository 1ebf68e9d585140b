"""Hostile runs and converted graphs: valid checksums, one wrong entry each; for tests and for fault injection."""

import copy
import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from highwaygraph.data.mapped.store import digest
from highwaygraph.report import summary
from highwaygraph.runs.open import open_run
from highwaygraph.runs.predictions import to_csv
from highwaygraph.runs.probabilities import prediction_table

FIXTURES = Path(__file__).parents[1] / "fixtures" / "v0_1_0"
MISSING = object()
DEEP = json.loads("[" * 500 + "]" * 500)
VALUES = (MISSING, None, -1, 10**30, 10**9, 1.5, float("nan"), "x", "", "\x1b[31m\ud800", [], {}, True, [[None]], DEEP)
DEPTH = 4

Change = Callable[[Tensor], Tensor | None]
CHANGES: dict[str, Change] = {
    "missing": lambda t: None,
    "empty": lambda t: t[:0],
    "short": lambda t: t[:-1],
    "long": lambda t: torch.cat([t, t[-1:]]),
    "flat": lambda t: t.flatten(),
    "deep": lambda t: t[None],
    "transposed": lambda t: t.t().contiguous(),
    "negative": lambda t: -t.to(torch.int64 if not t.is_floating_point() else t.dtype) - 1,
    "large": lambda t: t.to(torch.int64) + 2**40,
    "float": lambda t: t.double(),
    "half": lambda t: t.half(),
    "integer": lambda t: t.long(),
    "bytes": lambda t: t.to(torch.uint8),
    "nan": lambda t: t.float() * torch.nan,
}


def changed(tensor: Tensor) -> Iterator[tuple[str, Tensor | None]]:
    """Yield every change of a tensor that applies to it."""
    for name, change in CHANGES.items():
        try:
            new = change(tensor)
        except (IndexError, RuntimeError):
            continue
        if new is None or new.dtype != tensor.dtype or not torch.equal(new, tensor):
            yield name, new


def paths(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of every value in a JSON document, the first of each list."""
    yield place
    if len(place) < DEPTH and isinstance(value, dict):
        for key in value:
            yield from paths(value[key], (*place, key))
    elif len(place) < DEPTH and isinstance(value, list) and value:
        yield from paths(value[0], (*place, 0))


def replaced(value: Any, place: tuple[Any, ...], new: Any) -> Any:
    """Return a document with the value at one place replaced or removed."""
    if not place:
        return new
    value = copy.deepcopy(value)
    inner = value
    for part in place[:-1]:
        inner = inner[part]
    if new is MISSING:
        del inner[place[-1]]
    else:
        inner[place[-1]] = new
    return value


def documents(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a JSON document with one value after the other replaced."""
    for place in paths(value):
        for number, new in enumerate(VALUES):
            if place or new is not MISSING:
                yield f"{'.'.join(map(str, place)) or 'all'}-{number}", replaced(value, place, new)


def hostile_runs(folder: Path, step: int = 1, run: Path = FIXTURES / "run-full") -> Iterator[Path]:
    """Yield more than 2000 run folders, or every so many of them; each is removed when the next one is made."""
    variants = ((file, *variant) for file in sorted(run.iterdir()) for variant in _variants(file))
    for file, name, write in islice(variants, 0, None, step):
        target = folder / _safe(f"{file.name}-{name}")
        shutil.copytree(run, target)
        write(target / file.name)
        checksums(target)
        yield target
        shutil.rmtree(target)


def use_run(path: Path) -> None:
    """Open a run and use all of it."""
    result = open_run(path)
    to_csv(prediction_table(result))
    summary.compare(result).as_dict()
    assert str(result)
    assert result._repr_html_()
    assert len(result.graph.x) == len(result.predict())
    result.predict_logits(result.data)


def _variants(file: Path) -> Iterator[tuple[str, Callable[[Path], object]]]:
    if file.suffix == ".json":
        for name, new in documents(json.loads(file.read_text())):
            yield name, lambda path, new=new: path.write_text(json.dumps(new))
    elif file.suffix == ".jsonl":
        lines = file.read_text().splitlines(keepends=True)
        for name, new in documents(json.loads(lines[0])):
            yield name, lambda path, new=new: path.write_text(json.dumps(new) + "\n" + "".join(lines[1:]))
    elif file.suffix == ".safetensors":
        tensors = load_file(file)
        for key, tensor in tensors.items():
            for name, new in changed(tensor):
                several = {k: v for k, v in (tensors | {key: new}).items() if v is not None}
                yield f"{key}-{name}", lambda path, several=several: save_file(several, path)
    elif file.suffix == ".csv":
        lines = file.read_text().splitlines(keepends=True)
        for name, text in (("empty", ""), ("short", "".join(lines[:-1])), ("long", "".join([*lines, lines[-1]]))):
            yield name, lambda path, text=text: path.write_text(text)


def hostile_stores(folder: Path, step: int = 1, store: Path = FIXTURES / "graph") -> Iterator[Path]:
    """Yield more than 500 converted graphs, or every so many; each is removed when the next one is made."""
    facts = json.loads((store / "graph.json").read_text())
    arrays = {
        name: torch.from_numpy(np.fromfile(store / f"{name}.bin", dtype=kind).reshape(shape))
        for name, (kind, shape) in facts["arrays"].items()
    }
    changes = ((f"{key}-{name}", {key: new}) for key, array in arrays.items() for name, new in changed(array))
    wrong_arrays = ((name, *_described(arrays | change, facts)) for name, change in changes)
    wrong_facts = ((name, arrays, new) for name, new in documents(facts))
    for name, several, document in islice(chain(wrong_arrays, wrong_facts), 0, None, step):
        target = folder / _safe(name)
        target.mkdir()
        for key, array in several.items():
            (target / f"{key}.bin").write_bytes(array.numpy().tobytes())
        (target / "graph.json").write_text(json.dumps(document))
        yield target
        shutil.rmtree(target)


def _described(arrays: Mapping[str, Tensor | None], facts: Any) -> tuple[dict[str, Tensor], Any]:
    """Return the arrays that are there, and a graph.json that describes them, with the right checksum."""
    several = {name: array.contiguous() for name, array in arrays.items() if array is not None}
    kinds = {n: [str(a.dtype).removeprefix("torch."), list(a.shape)] for n, a in several.items()}
    return several, facts | {"arrays": kinds, "digest": digest({n: a.numpy() for n, a in several.items()})}


def _safe(name: str) -> str:
    return "".join(letter if letter.isalnum() or letter in "-._" else "_" for letter in name)[:100]


def checksums(run: Path) -> None:
    """Write the checksums of a run's files, as a hostile run has them."""
    names = sorted(p.name for p in run.iterdir() if p.name != "SHA256SUMS")
    lines = (f"{hashlib.sha256((run / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    (run / "SHA256SUMS").write_text("".join(lines))
