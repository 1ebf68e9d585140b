"""Fault injection: kill processes, corrupt files, fuzz the API, and write docs/reliability.md from the counts."""

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from highwaygraph.runtime.environment import versions
from tests import test_api_fuzz
from tests.data import test_fuzz, test_load
from tests.helpers.fuzzing import KINDS
from tests.runs import test_fault_injection
from tools.pages import ROOT, fill_template, table

SOURCE, PAGE = ROOT / "results/reliability.json", ROOT / "docs/reliability.md"
KILLS, CELLS_KILLS, INPUTS, CALLS = 100, 50, 800, 2000


def kills(folder: Path) -> dict[str, Any]:
    """Return how many processes were killed; a differing byte raises."""
    trained, studied = test_fault_injection.kill(folder, 2, KILLS, CELLS_KILLS)
    return {"trainings": trained, "runs": len(list((folder / "runs").iterdir())), "studies": studied}


def corrupted(folder: Path) -> dict[str, Any]:
    """Return how many corrupted files of every kind were refused and read."""
    counts = {}
    for kind in KINDS:
        (folder / kind).mkdir()
        counts[kind] = test_fuzz.fuzz(kind, folder / kind, INPUTS, seed=2)
    return counts


def calls(_: Path) -> dict[str, Any]:
    """Return how many invalid calls of the public API were refused, and how many trained."""
    return dict(test_api_fuzz.fuzz(CALLS))


def load(folder: Path) -> dict[str, Any]:
    """Return how many cells ran in parallel, none lost or duplicated."""
    return {"cells": test_load.crowd(folder)}


def soak(folder: Path) -> dict[str, Any]:
    """Return memory and open files of many rounds, early and at the end."""
    (warm, files), (last, files_last) = test_load.long_run(folder)
    return {"rounds": test_load.ROUNDS, "mib": [warm, last], "files": [files, files_last]}


CORRUPTED = "spoiled"  # glossary: a key of results/reliability.json
PARTS: dict[str, Callable[[Path], dict[str, Any]]] = {
    "kills": kills,
    CORRUPTED: corrupted,
    "calls": calls,
    "load": load,
    "soak": soak,
}


def measure(names: list[str]) -> dict[str, Any]:
    """Return the measurements of all parts, or of those named with the earlier ones of the others."""
    before = json.loads(SOURCE.read_text()) if names and SOURCE.exists() else {}
    found: dict[str, Any] = before | {"versions": versions()}
    for name, part in ((name, PARTS[name]) for name in names or PARTS):
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as place:
            found[name] = part(Path(place))
        found[name]["seconds"] = time.perf_counter() - start
        print(f"{name}: {found[name]}", flush=True)
    return found


def page(found: dict[str, Any]) -> str:
    """Return the text of the page."""
    rows = [[kind, str(n["refused"]), str(n["read"])] for kind, n in found[CORRUPTED].items() if kind in KINDS]
    total = sum(n["refused"] + n["read"] for kind, n in found[CORRUPTED].items() if kind in KINDS)
    warm, last = found["soak"]["mib"]
    parts = {
        "kills": f"{found['kills']['trainings'] + found['kills']['studies']:,}",
        "killed_trainings": f"{found['kills']['trainings']:,}",
        "killed_runs": f"{found['kills']['runs']:,}",
        "killed_studies": f"{found['kills']['studies']:,}",
        "inputs": f"{total:,}",
        "refused": f"{found['calls']['refused']:,}",
        "trained": f"{found['calls']['trained']:,}",
        "corrupted": table(["kind", "refused with a message", "read as valid"], rows),
        "cells": str(found["load"]["cells"]),
        "rounds": f"{found['soak']['rounds']:,}",
        "growth": f"{100 * (last / warm - 1):+.1f}",
        "files": f"{found['soak']['files'][0]} and {found['soak']['files'][1]}",
    }
    return fill_template("reliability", parts)


if __name__ == "__main__":
    if sys.argv[1:] != ["page"]:
        SOURCE.write_text(json.dumps(measure(sys.argv[1:]), indent=1) + "\n")
    PAGE.write_text(page(json.loads(SOURCE.read_text())))
    print(f"Written: {PAGE.relative_to(ROOT)}")
