"""Run fault injection, all of it or the parts named, and write docs/reliability.md from the counts.

python -m tools.fault_injection [page] [PART ...] [--share 0.01]; a share below 1 is a trial and writes nothing.
"""

import json
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import Any

from highwaygraph.runtime.environment import versions
from tools.fault_injection.page import PAGE, SOURCE, page
from tools.fault_injection.parts import PARTS
from tools.pages import ROOT

MOST_SHOWN = 40


def measure(names: list[str], share: float) -> tuple[dict[str, Any], list[str]]:
    """Return the measurements of all parts, or of those named with the earlier ones of the others, and the failures."""
    before = json.loads(SOURCE.read_text()) if names and SOURCE.exists() else {}
    found: dict[str, Any] = before | {"versions": versions()}
    failures: list[str] = []
    for name in names or PARTS:
        start = time.perf_counter()
        with tempfile.TemporaryDirectory() as place:
            try:
                found[name] = PARTS[name](Path(place), share)
            except Exception:
                # The other parts are of use all the same.
                found[name] = {"failures": [traceback.format_exc()]}
        new = [f"{name}: {failure}" for failure in found[name].pop("failures")]
        found[name]["seconds"] = time.perf_counter() - start
        print("\n".join([f"{name}: {found[name]}, {len(new)} failures", *new[:MOST_SHOWN]]), flush=True)
        failures += new
    return found, failures


def main(arguments: list[str]) -> int:
    """Run the parts named, and return the exit status."""
    share = float(arguments.pop()) if "--share" in arguments else 1.0
    names = [name for name in arguments if name != "--share"]
    if names != ["page"]:
        found, failures = measure(names, share)
        print(f"{len(failures)} failures")
        if failures or share < 1:
            return int(bool(failures))
        SOURCE.write_text(json.dumps(found, indent=1) + "\n")
    PAGE.write_text(page(json.loads(SOURCE.read_text())))
    print(f"Written: {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
