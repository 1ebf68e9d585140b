"""The software bill of materials (SBOM) of an installation, with offline checks.

`python -m tools.sbom FILE` writes it (CycloneDX, JSON) and exits with 1 on a problem: a version that differs from
constraints.txt, an unmet requirement, or a copyleft licence. Known vulnerabilities need network access: use
`pip-audit -r constraints.txt`.
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

PROJECT = Requirement("highwaygraph[report,tables,tune,ray,serve]")
# The project itself, and packages of the environment.
UNPINNED = (PROJECT.name, "setuptools")
# Strong copyleft licences, which bind programs that include the package; LGPL does not.
COPYLEFT = re.compile(r"\b(A?GPL|GNU (Affero )?General Public)", re.IGNORECASE)


def pinned() -> dict[str, str]:
    """Return the versions that constraints.txt names."""
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if "==" in line]
    return {canonicalize_name(name): version for name, version in (line.split("==") for line in lines)}


def installed(project: Requirement) -> dict[str, Distribution]:
    """Return the installed packages that a requirement depends on, itself included."""
    found: dict[str, Distribution] = {}
    waiting, seen = [project], set()
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
    """Return the licence that the metadata of a package name, in one line."""
    metadata = package.metadata
    classifiers = [c.rpartition(" :: ")[2] for c in metadata.get_all("Classifier", []) if c.startswith("License ::")]
    found = metadata.get("License-Expression") or ", ".join(classifiers) or metadata.get("License") or "not stated"
    return found.splitlines()[0][:100]


def problems(found: dict[str, Distribution]) -> list[str]:
    """Return the problems of the packages, one sentence each."""
    pins, wrong = pinned(), []
    for name, package in found.items():
        # A local build, such as 2.6+cpu, is the same version.
        if name not in UNPINNED and pins.get(name) != package.version.partition("+")[0]:
            wrong.append(f"{name} {package.version} is installed, constraints.txt pins {pins.get(name, 'nothing')}.")
        if COPYLEFT.search(licence(package)) and "LGPL" not in licence(package):
            wrong.append(f"{name} is under {licence(package)}.")
        for wanted in _requires(package, set()):
            other = found.get(canonicalize_name(wanted.name))
            if other is not None and not wanted.specifier.contains(other.version, prereleases=True):
                wrong.append(f"{name} requires {wanted}, but {other.version} is installed.")
    return wrong


def sbom(found: dict[str, Distribution]) -> dict[str, Any]:
    """Return the bill of materials as a CycloneDX document."""
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
    """Write the bill of materials and print the problems."""
    try:
        found = installed(PROJECT)
    except PackageNotFoundError as error:
        print(f"{error.name} is not installed: make test installs everything.")
        return 1
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(sbom(found), indent=1) + "\n")
    wrong = problems(found)
    print(*wrong, f"{len(found)} packages, {len(wrong)} problems; written: {path}", sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
