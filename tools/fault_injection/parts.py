"""The parts of fault injection; each returns its counts, with everything that went wrong under `failures`."""

import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from tests import test_api_fuzz
from tests.data import test_load
from tests.helpers import guarded_run
from tests.helpers.declared_sizes import FACTOR, LIMIT, Measured, make_all, measure
from tests.helpers.declared_sources import SIZES
from tests.helpers.fuzzing import KINDS, fuzz
from tests.helpers.table_fuzz import Case, cases, check
from tests.helpers.table_refused import FLAWS
from tests.runs import test_fault_injection
from tools.fault_injection.page import CORRUPTED
from tools.fault_injection.pool import chunks, spread

Found = dict[str, Any]
KILLS, CELL_KILLS, INPUTS, CALLS, TABLES, WRITER_KILLS = 100, 50, 1000, 2000, 6500, 6
SEED = 2


class Inputs(NamedTuple):
    """Corrupted inputs of one kind, by their numbers."""

    kind: str
    numbers: range


def kills(folder: Path, share: float) -> Found:
    """Kill trainings and studies; a differing byte raises."""
    trained, studied = test_fault_injection.kill(folder, 2, _of(KILLS, share), _of(CELL_KILLS, share))
    return {"trainings": trained, "runs": len(list((folder / "runs").iterdir())), "studies": studied, "failures": []}


def corrupted(_: Path, share: float) -> Found:
    """Read corrupted files of every kind."""
    items = [Inputs(k, n) for k in KINDS for n in chunks(_of(INPUTS * KINDS[k].share, share), 50)]
    counts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    failures: list[str] = []
    for kind, went, faults in spread(_corrupted, items, "corrupted files"):
        counts[kind] += went
        failures += faults
    return {kind: {name: went[name] for name in ("refused", "read")} for kind, went in counts.items()} | {
        "failures": failures
    }


def _corrupted(inputs: Inputs) -> tuple[str, Counter[str], list[str]]:
    with tempfile.TemporaryDirectory() as place:
        return inputs.kind, *fuzz(inputs.kind, Path(place), inputs.numbers, SEED)


def tables(_: Path, share: float) -> Found:
    """Compare tables with their truth; those with a flaw must be refused."""
    chosen = list(cases(_of(TABLES, share), start=10_000))
    failures = []
    for case, fault in spread(_table, chosen, "tables"):
        if fault:
            failures.append(f"{' '.join(map(str, case))}: {fault}")
    flawed = sum(case.reader in FLAWS for case in chosen)
    return {"compared": len(chosen) - flawed, "flawed": flawed, "failures": failures}


def _table(case: Case) -> tuple[Case, str]:
    return case, check(case)


def hostile(_: Path, share: float) -> Found:
    """Run commands on hostile input, on a full disk and under SIGKILL, and compare all files beside their output."""
    chosen = guarded_run.cases(WRITER_KILLS)[:: max(1, round(1 / share))]
    failures = [f"{' / '.join(case)}: {fault}" for case, fault in spread(_hostile, chosen, "hostile") if fault]
    return dict(Counter(case.kind for case in chosen)) | {"failures": failures}


def _hostile(case: guarded_run.Case) -> tuple[guarded_run.Case, str]:
    return case, guarded_run.check(case, Path(tempfile.mkdtemp()))


def sizes(folder: Path, share: float) -> Found:
    """Read files that declare more than they hold, and measure the memory."""
    chosen = list(SIZES)[:: max(1, round(1 / share))]
    make_all(chosen, folder)
    found = dict(spread(_size, [(name, folder) for name in chosen], "sizes"))
    failures = [f"{name}: {one.fault}" for name, one in found.items() if one.fault]
    most = max(one.mib for one in found.values())
    return {"tried": len(found), "mib": most, "limit": FACTOR * LIMIT, "failures": failures}


def _size(item: tuple[str, Path]) -> tuple[str, Measured]:
    return item[0], measure(*item)


def calls(_: Path, share: float) -> Found:
    """Call the public API with invalid arguments."""
    return dict(test_api_fuzz.fuzz(_of(CALLS, share))) | {"failures": []}


def load(folder: Path, _: float) -> Found:
    """Run many cells in parallel, none of them lost or duplicated."""
    return {"cells": test_load.crowd(folder), "failures": []}


def soak(folder: Path, _: float) -> Found:
    """Train for many rounds; memory and open files early and at the end."""
    (warm, files), (last, files_last) = test_load.long_run(folder)
    return {"rounds": test_load.ROUNDS, "mib": [warm, last], "files": [files, files_last], "failures": []}


def _of(count: float, share: float) -> int:
    return max(1, round(count * share))


PARTS: dict[str, Callable[[Path, float], Found]] = {
    "tables": tables,
    CORRUPTED: corrupted,
    "hostile": hostile,
    "sizes": sizes,
    "kills": kills,
    "calls": calls,
    "load": load,
    "soak": soak,
}
