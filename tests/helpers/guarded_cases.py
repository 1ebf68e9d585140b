"""Hostile inputs and outputs, and the commands that are run on them in a guarded tree."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

from tests.helpers.guarded import Tree

QUICK = ("--fit.epochs", "2", "--fit.device", "cpu", "--highway.rounds", "1", "--no-baseline")
EXPORTS = {
    "graphml": "g.graphml",
    "csv": "tables",
    "parquet": "tables",
    "npz": "g.npz",
    "pt-safe": "g.safetensors",
}
Command = list[str]
WRITERS: dict[str, Command] = {
    **{f"export {kind}": ["export", "run", "--to", kind, "--out", f"out/{out}"] for kind, out in EXPORTS.items()},
    "predict csv": ["predict", "run", "--out", "out/predictions.csv"],
    "predict parquet": ["predict", "run", "--out", "out/predictions.parquet"],
    "report": ["report", "run", "--out", "out/report.html", "--figures", "out/figures"],
    "convert": ["data", "convert", "papers", "out/converted"],
    "train": ["train", "graph", *QUICK, "--out", "out/run"],
    "study": ["study", "toy.toml", "--workers", "1", "--out", "out/results"],
}
"""Commands that write to a place that is given."""
DEFAULTS: dict[str, Command] = {
    **{f"export {kind} by default": ["export", "run", "--to", kind] for kind in EXPORTS},
    "report by default": ["report", "run"],
    "train by default": ["train", "graph", *QUICK],
    "tune by default": ["tune", "graph", *QUICK[:-1], "--trials", "1"],
}
"""Commands that choose where to write, by names that stand in their input."""
COMMANDS: dict[str, Command] = {
    **WRITERS,
    **DEFAULTS,
    "verify a run": ["verify", "run"],
    "verify a graph": ["verify", "graph"],
    "inspect": ["inspect", "graph"],
    "predict": ["predict", "run"],
}
PLACES = ("report.html", "graph.graphml", "graph.npz", "export.graphml", "export.npz", "export.safetensors")
FOLDERS = tuple(f"{stem}-{kind}" for stem in ("graph", "export") for kind in ("csv", "parquet"))
OUTS = ("g.graphml", "g.npz", "g.safetensors", "predictions.csv", "predictions.parquet", "report.html")
NAMES = (
    "../../guarded/x", "{guarded}/x", "..", "a/../../../x", "x\x00y", "\x1b[31mred", "-rf", "~/x", "a" * 5000, "", ".",
    "C:\\x", "a\nb", "%2e%2e/x", "[bold]x[/bold]", "é" * 200,
)  # fmt: skip
"""Names of graphs that lead elsewhere."""


def _linked(names: tuple[str, ...], target: str, where: str = "run") -> Callable[[Tree], None]:
    """Return the function that puts links to a guarded path into a folder."""

    def change(tree: Tree) -> None:
        for name in names:
            path = tree.work / where / name
            path.unlink(missing_ok=True)
            path.symlink_to(tree.guarded / target)

    return change


def _linked_inside(tree: Tree) -> None:
    """Put folders of tables into the run whose tables are links."""
    for name in FOLDERS:
        folder, kind = tree.work / "run" / name, name.partition("-")[2]
        folder.mkdir()
        for table in ("nodes", "edges"):
            (folder / f"{table}.{kind}").symlink_to(tree.guarded / f"{table}.{kind}")


def _linked_folder(name: str) -> Callable[[Tree], None]:
    """Return the function that replaces a folder by a link to its guarded copy."""

    def change(tree: Tree) -> None:
        (tree.work / name).rename(tree.work / "out" / f"old-{name}")
        (tree.work / name).symlink_to(tree.guarded / name)

    return change


def _linked_files(name: str) -> Callable[[Tree], None]:
    """Return the function that replaces all files of a folder by links to guarded copies."""

    def change(tree: Tree) -> None:
        for path in list((tree.work / name).iterdir()):
            path.unlink()
            path.symlink_to(tree.guarded / name / path.name)

    return change


def _named(text: str) -> Callable[[Tree], None]:
    """Return the function that gives a name to the run's graph and to the converted graph."""

    def change(tree: Tree) -> None:
        name = text.format(guarded=tree.guarded)
        _rewrite(tree.work / "graph/graph.json", {"name": name})
        _rewrite(tree.work / "run/meta.json", {"data": name, "command": name})
        sign(tree.work / "run")

    return change


def _elsewhere(tree: Tree) -> None:
    """Let the run refer to a converted graph outside, and its checksums to files outside."""
    _rewrite(tree.work / "run/meta.json", {"folder": str(tree.guarded / "graph")})
    sign(tree.work / "run")


def _sums_elsewhere(tree: Tree) -> None:
    sums = tree.work / "run/SHA256SUMS"
    digest = hashlib.sha256((tree.guarded / "victim.txt").read_bytes()).hexdigest()
    sums.write_text(sums.read_text() + f"{digest}  ../../guarded/victim.txt\n")


def _arrays_elsewhere(tree: Tree) -> None:
    facts = json.loads((tree.work / "graph/graph.json").read_text())
    facts["arrays"] |= {"../../guarded/x": ["int8", [4]]}
    (tree.work / "graph/graph.json").write_text(json.dumps(facts))


def _rewrite(path: Path, values: dict[str, str]) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def sign(run: Path) -> None:
    """Write the checksums that hold now."""
    names = sorted(path.name for path in run.iterdir() if path.is_file() and path.name != "SHA256SUMS")
    lines = (f"{hashlib.sha256((run / name).read_bytes()).hexdigest()}  {name}\n" for name in names)
    (run / "SHA256SUMS").write_text("".join(lines))


HOSTILE: dict[str, Callable[[Tree], None]] = {
    "links to a file": _linked(PLACES, "victim.txt"),
    "dangling links": _linked((*PLACES, *FOLDERS), "new"),
    "links to a folder": _linked(FOLDERS, ""),
    "links in folders of tables": _linked_inside,
    "the run is a link": _linked_folder("run"),
    "the graph is a link": _linked_folder("graph"),
    "files of the run are links": _linked_files("run"),
    "files of the graph are links": _linked_files("graph"),
    "the output is a link": _linked(OUTS, "victim.txt", "out"),
    "the output is a dangling link": _linked((*OUTS, "tables", "converted", "run", "results"), "new", "out"),
    "the run refers elsewhere": _elsewhere,
    "checksums refer elsewhere": _sums_elsewhere,
    "arrays refer elsewhere": _arrays_elsewhere,
    **{f"name {name[:20]!r}": _named(name) for name in NAMES},
}


def concerns(fault: str, name: str) -> bool:
    """Return whether a hostile input is one that a command reads, or that it writes to."""
    of_graph = name.startswith(("train", "tune", "inspect")) or name.endswith("graph")
    if name in ("convert", "study"):
        return fault.startswith("the output")
    if fault.startswith("name"):
        # Names of graphs matter where they become names of files, and where they are shown.
        return of_graph or name in DEFAULTS or name.startswith("verify")
    if fault.startswith("the output"):
        return name in WRITERS
    return ("graph" in fault or "arrays" in fault) == of_graph
