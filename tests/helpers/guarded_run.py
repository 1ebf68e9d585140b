"""Commands in a guarded tree: on hostile input, on a full disk and killed while they write."""

import random
import shutil
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import mkdtemp
from typing import NamedTuple

from tests.helpers.forked import CONTEXT, command
from tests.helpers.guarded import Tree, changes, plant, snapshot
from tests.helpers.guarded_cases import COMMANDS, HOSTILE, WRITERS, Command, concerns

SECONDS = 120
LIMITS = (0, 500, 3_000, 8_000, 20_000, 60_000, 200_000)
"""Bytes of the largest file that a full disk takes."""
# Only an earlier output of the software may be replaced.
OLD = b"an old highway file that nobody asked to lose\n"
RAW = ("Traceback", "add --debug for the traceback")


class Case(NamedTuple):
    """One command in a tree of its own; `fault` is a hostile input, a limit of bytes or a moment to kill at."""

    kind: str
    fault: str
    name: str


def cases(kills: int) -> list[Case]:
    """Return every command with every hostile input, every writer on a full disk, and killed so many times."""
    found = [Case("hostile", fault, name) for fault in HOSTILE for name in COMMANDS if concerns(fault, name)]
    found += [Case("full disk", str(limit), name) for limit in LIMITS for name in WRITERS]
    return found + [Case("killed", str(number), name) for number in range(kills) for name in WRITERS]


def check(case: Case, folder: Path) -> str:
    """Return what went wrong, empty where nothing did."""
    tree = plant(folder)
    try:
        return next({"hostile": _hostile, "full disk": _full, "killed": _killed}[case.kind](case, tree), "")
    finally:
        shutil.rmtree(folder)


def _run(tree: Tree, arguments: Command, seconds: float = SECONDS, limit: int | None = None) -> int | None:
    """Return the exit status of a command; None where it was killed after some seconds."""
    process = CONTEXT.Process(target=command, args=(tree.work, arguments, limit))
    process.start()
    process.join(seconds)
    late = process.exitcode is None
    if late:
        process.kill()
        process.join()
    return None if late else process.exitcode


def _hostile(case: Case, tree: Tree) -> Iterator[str]:
    HOSTILE[case.fault](tree)
    before = snapshot(tree.root)
    code = _run(tree, COMMANDS[case.name])
    yield from _faults(tree, before, code)


def _full(case: Case, tree: Tree) -> Iterator[str]:
    """Yield what a full disk has changed: the old output is whole, or the new one is."""
    _put_old(tree, case.name)
    before = snapshot(tree.root)
    code = _run(tree, WRITERS[case.name], limit=int(case.fault))
    yield from _faults(tree, before, code, torn=True)
    yield from _torn(tree, before, case.name)


def _killed(case: Case, tree: Tree) -> Iterator[str]:
    """Yield what a kill has changed; after it, the command runs as if nothing had happened."""
    _put_old(tree, case.name)
    before = snapshot(tree.root)
    rng = random.Random(str(case))
    killed = _run(tree, WRITERS[case.name], rng.uniform(0, 1.1) * _duration(case.name))
    yield from (f"files: {change}" for change in changes(before, snapshot(tree.root)))
    yield from _torn(tree, before, case.name)
    if killed is not None:
        return
    code = _run(tree, [*WRITERS[case.name], *(["--resume"] if case.name == "train" else [])])
    # Killed after its output was in place, a command that replaces nothing refuses to run again.
    if code != 0 and "exists already" not in _output(tree):
        yield f"again: exit status {code}: {_output(tree)[-200:]}"
    left = [path.name for path in (tree.work / "out").iterdir() if path.name.endswith(".part")]
    if left:
        yield f"leftovers: {left}"


@cache
def _duration(name: str) -> float:
    """Return the seconds that a command takes undisturbed."""
    tree = plant(_scratch())
    start = time.monotonic()
    _run(tree, WRITERS[name])
    shutil.rmtree(tree.root)
    return time.monotonic() - start


@cache
def _whole(name: str) -> dict[str, int]:
    """Return the size of every file that a command writes undisturbed."""
    tree = plant(_scratch())
    _run(tree, WRITERS[name])
    out = tree.work / "out"
    sizes = {str(path.relative_to(out)): path.stat().st_size for path in out.rglob("*") if path.is_file()}
    shutil.rmtree(tree.root)
    return sizes


def _scratch() -> Path:
    return Path(mkdtemp(prefix="guarded-"))


def _single(name: str) -> bool:
    return name.startswith(("export", "predict", "report", "convert"))


def _put_old(tree: Tree, name: str) -> None:
    """Write old files where a command that replaces single files is going to write."""
    if name.startswith(("export", "predict", "report")):
        for file in _whole(name):
            path = tree.work / "out" / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(OLD)


def _torn(tree: Tree, before: dict[str, tuple[str, ...]], name: str) -> Iterator[str]:
    """Yield the files of the output that are neither the old ones nor whole."""
    after = snapshot(tree.root)
    for file, size in _whole(name).items() if _single(name) else ():
        path, key = tree.work / "out" / file, f"work/out/{file}"
        if after.get(key) == before.get(key):
            continue
        # Times and names inside a file may differ by a few bytes.
        if not path.is_file() or abs(path.stat().st_size - size) > 256:
            yield f"torn: {file} has {path.stat().st_size if path.is_file() else 'no'} bytes instead of {size}"


def _faults(tree: Tree, before: dict[str, tuple[str, ...]], code: int | None, *, torn: bool = False) -> Iterator[str]:
    """Yield the files that have changed, and output that is no sentence."""
    yield from (f"files: {change}" for change in changes(before, snapshot(tree.root)))
    output = _output(tree)
    if any(sign in output for sign in RAW):
        yield f"traceback: {output[-300:]}"
    if code is None or code < 0:
        yield f"exit: {'nothing after some time' if code is None else f'signal {-code}'}"
    if torn:
        left = [path.name for path in (tree.work / "out").iterdir() if path.name.endswith(".part")]
        if left:
            yield f"leftovers: {left}"


def _output(tree: Tree) -> str:
    path = tree.work / "output.txt"
    return path.read_text(errors="replace") if path.is_file() else ""
