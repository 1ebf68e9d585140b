"""A run folder on disk: JSON and safetensors, never pickle, written atomically."""

import hashlib
import json
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from highwaygraph.data.databases.address import refuse_address
from highwaygraph.errors import FailedError, RunError
from highwaygraph.runtime.atomic import reason, staged_folder
from highwaygraph.runtime.parsing import parse_json

CHECKSUMS = "SHA256SUMS"


NEEDED = ("config.json", "rounds.json", "meta.json", "model.safetensors", "graph.safetensors")


FILES = (*NEEDED, "history.jsonl", "predictions.csv", "typical.json", "folds.json", "attributes.json", CHECKSUMS)
"""Names of all files of a run, which no export may replace."""


@dataclass(frozen=True)
class Contents:
    """The content of a run folder; JSON values are of any type until `runs.validate` has checked them."""

    config: Any
    rounds: Any
    history: list[Any]
    meta: Any
    model: Mapping[str, Tensor]
    graph: Mapping[str, Tensor]
    predictions: str
    typical: Any = None
    attributes: Any = None
    folds: Any = None


def write(path: Path, contents: Contents, *, force: bool = False) -> Path:
    """Write the run to a temporary folder and move it into place, so that no reader sees a partial run.

    Args:
        path: The folder of the run.
        contents: Its content.
        force: Replace a run that is there.

    Returns:
        The folder.
    """
    check_writable(path, force=force)
    try:
        with staged_folder(path) as staged:
            _fill(staged, contents)
            (staged / CHECKSUMS).write_text(
                _checksum_lines(staged, [p.name for p in staged.iterdir()]), encoding="utf-8"
            )
    except (OSError, SafetensorError) as error:
        raise FailedError(f"Cannot write the run to {path}: {reason(error)}. Choose another folder.") from error
    return path


def check_writable(path: Path, *, force: bool = False) -> None:
    """Refuse a folder that a run cannot or should not be written to, before any training."""
    refuse_address(path)
    refuse_dangling_link(path)
    if path.exists() and not force:
        remedy = ", or replace it with --force (force=True)" if is_run(path) else ""
        raise RunError(f"{path} exists already: choose another folder{remedy}.")
    if path.exists() and not is_run(path) and (not path.is_dir() or any(path.iterdir())):
        raise RunError(f"{path} is no run folder and will not be replaced: choose another folder.")
    parent = next(p for p in [path.absolute(), *path.absolute().parents] if p.exists())
    if not parent.is_dir():
        raise RunError(f"Cannot write to {path}: {parent} is a file. Choose another folder.")
    try:
        with tempfile.TemporaryFile(dir=parent):
            pass
    except OSError as error:
        raise RunError(f"Cannot write to {parent}: {error.strerror}. Choose another folder.") from error


def refuse_dangling_link(path: Path) -> None:
    """Refuse a path that is, or is below, a link to nothing: nothing could be moved there."""
    for part in [path.absolute(), *path.absolute().parents]:
        if part.is_symlink() and not part.exists():
            raise RunError(
                f"{part} is a link to {part.readlink()}, which does not exist: remove it, or choose another."
            )


def verify(path: Path) -> list[str]:
    """Compare every file of a run with its checksum; raise RunError at the first difference.

    Args:
        path: The folder of the run.

    Returns:
        The names of the files.
    """
    require_run(path)
    try:
        lines = (path / CHECKSUMS).read_text(encoding="utf-8").splitlines()
        listed = [(digest, name) for digest, name in (line.split(maxsplit=1) for line in lines)]
    except ValueError as error:
        raise RunError(
            f"The run in {path} is damaged ({CHECKSUMS} is no list of checksums): train it again with --force."
        ) from error
    except OSError as error:
        raise RunError(
            f"The run in {path} cannot be verified: it has no {CHECKSUMS}, as it was written by an early version."
        ) from error
    for digest, name in listed:
        if not (path / name).is_file():
            raise RunError(f"The run in {path} is damaged ({name} is missing): train it again with --force.")
        if _checksum(path / name) != digest:
            raise RunError(
                f"The run in {path} is damaged ({name} does not match its checksum): train it again with --force."
            )
    names = [name for _, name in listed]
    if not set(NEEDED) <= set(names):
        raise RunError(
            f"The run in {path} is damaged ({CHECKSUMS} does not list all files): train it again with --force."
        )
    return names


def read(path: Path) -> Contents:
    """Return the content of a run folder; raise RunError where it is damaged."""
    require_run(path)
    if (path / CHECKSUMS).exists():
        verify(path)
    try:
        return Contents(
            config=_json(path / "config.json"),
            rounds=_json(path / "rounds.json"),
            history=[parse_json(line) for line in (path / "history.jsonl").read_text(encoding="utf-8").splitlines()],
            meta=_json(path / "meta.json"),
            model=load_file(path / "model.safetensors"),
            graph=load_file(path / "graph.safetensors"),
            # Text mode would replace the carriage returns in ids.
            predictions=(path / "predictions.csv").read_bytes().decode(),
            typical=_json(path / "typical.json") if (path / "typical.json").exists() else None,
            attributes=_json(path / "attributes.json") if (path / "attributes.json").exists() else None,
            folds=_json(path / "folds.json") if (path / "folds.json").exists() else None,
        )
    except (OSError, ValueError, SafetensorError) as error:
        raise RunError(f"The run in {path} is damaged ({error}): train it again with --force.") from error


def is_run(path: Path) -> bool:
    """Return whether the folder has the files of a run."""
    return (path / "config.json").is_file() and (path / "model.safetensors").is_file()


def require_run(path: Path) -> None:
    """Refuse a path that is no run folder."""
    if not is_run(path):
        reason = "it has no config.json and model.safetensors in it" if path.exists() else "it does not exist"
        raise RunError(f"{path} is no run folder: {reason}; give the folder that highway train or Result.save wrote.")


def _fill(folder: Path, contents: Contents) -> None:
    _write_json(folder / "config.json", contents.config)
    _write_json(folder / "rounds.json", contents.rounds)
    (folder / "history.jsonl").write_text(_lines(contents.history), encoding="utf-8")
    _write_json(folder / "meta.json", contents.meta)
    (folder / "predictions.csv").write_bytes(contents.predictions.encode())
    if contents.typical is not None:
        _write_json(folder / "typical.json", contents.typical)
    if contents.folds is not None:
        _write_json(folder / "folds.json", contents.folds)
    if contents.attributes is not None:
        (folder / "attributes.json").write_text(json.dumps(contents.attributes) + "\n", encoding="utf-8")
    _write_tensors(folder / "model.safetensors", contents.model)
    _write_tensors(folder / "graph.safetensors", contents.graph)


def _checksum_lines(folder: Path, names: Iterable[str]) -> str:
    """Return the SHA-256 checksums of files in the format of sha256sum."""
    return "".join(f"{_checksum(folder / name)}  {name}\n" for name in sorted(names))


def _checksum(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _lines(records: Iterable[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(record) + "\n" for record in records)


def _write_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    # safetensors takes neither views nor tensors that share memory, as tied weights do.
    save_file({name: t.detach().clone(memory_format=torch.contiguous_format) for name, t in tensors.items()}, path)
    # safetensors makes its files private; the files of a run have the usual permissions.
    shutil.copymode(path.with_name("config.json"), path)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")


def _json(path: Path) -> Any:
    return parse_json(path.read_text(encoding="utf-8"))
