"""`python -m benchmarks [PART ...]`: measure, print, and write results/benchmarks.json."""

import json
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import (
    accuracy,
    breakdown,
    distances,
    folds,
    growth,
    labelling,
    layouts,
    modules,
    reading,
    recipe,
    reports,
    scale,
    serve,
    size,
    speed,
    suggestions,
    tables,
    viewer,
)
from highwaygraph.runtime.environment import versions

TARGET = Path(__file__).resolve().parent.parent / "results" / "benchmarks.json"
PARTS: dict[str, Callable[[Any], Any]] = {
    "speed": speed.measure,
    "breakdown": breakdown.measure,
    "growth": growth.measure,
    "recipe": recipe.measure,
    "modules": modules.measure,
    "accuracy": accuracy.measure,
    "tables": tables.measure,
    "reading": reading.measure,
    "distances": distances.measure,
    "reports": reports.measure,
}
# Up to ten million nodes, an hour and 20 GB of disk, hours for all curves of labelling and for folds, a service under
# load and suggestions for a million nodes for minutes, packages of npm, and Chromium: measured only when named.
LARGE: dict[str, Callable[[Any], Any]] = {
    "scale": scale.measure,
    "size": size.measure,
    "size-largest": size.measure_largest,
    "labelling": labelling.measure,
    "suggestions": suggestions.measure,
    "folds": folds.measure,
    "serve": serve.measure,
    "layouts": layouts.measure,
    "viewer": viewer.measure,
}


def cpu() -> str:
    """Return the name of the processor."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def main() -> None:
    """Measure the parts named, or all of them; results of the others are kept."""
    chosen = sys.argv[1:] or list(PARTS)
    found = json.loads(TARGET.read_text()) if TARGET.exists() else {}
    for name in chosen:
        print(f"== {name}", flush=True)
        found[name] = (PARTS | LARGE)[name](lambda line: print(line, flush=True))
        # Stored per part, because parts may be measured on different machines.
        found.setdefault("machines", {})[name] = {"cpu": cpu(), "threads": 1, "versions": versions()}
        TARGET.write_text(json.dumps(found, indent=1) + "\n")
    print(f"Written to {TARGET.relative_to(Path.cwd()) if TARGET.is_relative_to(Path.cwd()) else TARGET}")


if __name__ == "__main__":
    main()
