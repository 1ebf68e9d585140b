"""A tree of files that no command may change: everything but the output, compared before and after."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import highwaygraph as hg
from tests.helpers.graphs import block_graph
from tests.helpers.grids import write_grid
from tests.helpers.papers import write_papers
from tests.helpers.trained import named_run

OUTPUTS = ("work/out", "work/runs", "work/results", "work/output.txt")
"""Where commands write, relative to the tree."""
RUNS = ("work/run/", "guarded/run/")
"""The run and the run that a link leads to: new files appear there unless another place is given, no other changes."""
VICTIMS = ("victim.txt", "victim.html", "nodes.csv", "edges.csv", "nodes.parquet", "edges.parquet")
State = dict[str, tuple[str, ...]]


@dataclass(frozen=True)
class Tree:
    """A folder `work`, in which commands run, and a folder `guarded` beside it."""

    root: Path

    @property
    def work(self) -> Path:
        """The folder that commands run in."""
        return self.root / "work"

    @property
    def guarded(self) -> Path:
        """A folder that links and names refer to."""
        return self.root / "guarded"


@cache
def template() -> Path:
    """Return a tree with a run, a converted graph, tables and a study, which are copied for every case."""
    root = Path(mkdtemp(prefix="guarded-"))
    work, guarded = root / "work", root / "guarded"
    (work / "out").mkdir(parents=True)
    guarded.mkdir()
    named_run().save(work / "run")
    hg.convert(block_graph(), work / "graph")
    write_papers(work / "papers")
    write_grid(work / "toy.toml", splits=1, seeds=2, epochs=2)
    shutil.copytree(work / "run", guarded / "run")
    shutil.copytree(work / "graph", guarded / "graph")
    for name in VICTIMS:
        (guarded / name).write_text(f"the content of {name}\n")
    return root


def plant(root: Path) -> Tree:
    """Return a new tree in an empty folder."""
    shutil.copytree(template(), root, symlinks=True, dirs_exist_ok=True)
    return Tree(root)


def snapshot(root: Path) -> State:
    """Return the kind, content and time of change of everything below a folder, links not followed."""
    return {str(path.relative_to(root)): _state(path) for path in _below(root)}


def _below(folder: Path) -> Iterator[Path]:
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        yield Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _below(Path(entry.path))


def _state(path: Path) -> tuple[str, ...]:
    if path.is_symlink():
        return ("link", os.readlink(path))
    if path.is_dir():
        return ("folder",)
    facts = path.stat()
    return ("file", hashlib.sha256(path.read_bytes()).hexdigest(), str(facts.st_mtime_ns), oct(facts.st_mode))


def changes(before: State, after: State) -> list[str]:
    """Return every path outside of the output that has changed, appeared or vanished."""
    found = []
    for path in sorted({*before, *after}):
        if before.get(path) == after.get(path) or path.startswith(OUTPUTS):
            continue
        # Inside the run new files may appear, and what is no file of a run may be replaced.
        if path.startswith(RUNS) and not _belongs(path, before):
            continue
        found.append(f"{path} {'appeared' if path not in before else 'vanished' if path not in after else 'changed'}")
    return found


def _belongs(path: str, before: State) -> bool:
    """Return whether a path below a run is one of the run's own files."""
    own = os.listdir(template() / "work/run")
    return path.rpartition("/")[2] in own and path.count("/") == 2 and before.get(path, ("",))[0] != "link"
