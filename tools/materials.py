"""The bill of materials of an installation, and what can be told of it without a network.

`python -m tools.materials FILE` writes it (CycloneDX, JSON) and ends with 1 where something is wrong: a version other
than constraints.txt pins, a requirement that is not met, a licence that would bind users. Whether a version has known
weaknesses takes a network: `pip-audit -r constraints.txt` tells.
"""

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tools.pages import ROOT

START = Requirement("highwaygraph[report,tables,tune,ray]")
# Itself, and what the environment brings.
UNPINNED = (START.name, "setuptools")
# What would bind whoever ships a program with it; weaker ones, as of a library, do not.
BINDING = re.compile(r"\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)


def pinned() -> dict[str, str]:
    """Return the versions that constraints.txt names."""
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line]
    return {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}


def needed(start: Requirement) -> dict[str, Distribution]:
    """Return everything that comes with a requirement here, itself included."""
    found: dict[str, Distribution] = {}
    waiting, seen = [start], set()
    while waiting:
        wanted = waiting.pop()
        place = (canonicalize_name(wanted.name), frozenset(wanted.extras))
        if place in seen:
            continue
        seen.add(place)
        found[place[0]] = distribution(wanted.name)
        waiting += _requires(found[place[0]], wanted.extras)
    return found


def _requires(package: Distribution, extras: set[str]) -> Iterator[Requirement]:
    for line in package.requires or ():
        wanted = Requirement(line)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            yield wanted


def licence(package: Distribution) -> str:
    """Return what a package says of its licence, in a line."""
    facts = package.metadata
    classifiers = [c.rpartition(" :: ")[2] for c in facts.get_all("Classifier", []) if c.startswith("License ::")]
    said = facts.get("License-Expression") or ", ".join(classifiers) or facts.get("License") or "not stated"
    return said.splitlines()[0][:100]


def faults(found: dict[str, Distribution]) -> list[str]:
    """Return what is wrong with the packages, a sentence each."""
    pins, wrong = pinned(), []
    for name, package in found.items():
        # A build of its own, as 2.6+cpu, is the same version.
        if name not in UNPINNED and pins.get(name) != package.version.partition("+")[0]:
            wrong.append(f"{name} {package.version} is installed, constraints.txt pins {pins.get(name, 'nothing')}.")
        if BINDING.search(licence(package)) and "LGPL" not in licence(package):
            wrong.append(f"{name} is under {licence(package)}.")
        for wanted in _requires(package, set()):
            other = found.get(canonicalize_name(wanted.name))
            if other is not None and not wanted.specifier.contains(other.version, prereleases=True):
                wrong.append(f"{name} wants {wanted}, but {other.version} is installed.")
    return wrong


def bill(found: dict[str, Distribution]) -> dict[str, Any]:
    """Return the bill of materials."""
    components = [
        {
            "type": "library",
            "name": name,
            "version": package.version,
            "purl": f"pkg:pypi/{name}@{package.version}",
            "licenses": [{"license": {"name": licence(package)}}],
        }
        for name, package in sorted(found.items())
    ]
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "components": components}


def main(path: Path) -> int:
    """Write the bill and say what is wrong."""
    try:
        found = needed(START)
    except PackageNotFoundError as error:
        print(f"{error.name} is not installed: make test installs everything.")
        return 1
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(bill(found), indent=1) + "\n")
    wrong = faults(found)
    print(*wrong, f"{len(found)} packages, {len(wrong)} faults; written: {path}", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
