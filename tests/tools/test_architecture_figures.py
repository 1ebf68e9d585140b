"""The committed architecture pictures match the script, the import contract and the modules on disk."""

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from tools import architecture_figures as figures

PACKAGE = figures.ROOT / "src/highwaygraph"
REMEDY = "run python -m tools.architecture_figures"


def layers(project: dict[str, Any]) -> list[str]:
    return project["tool"]["importlinter"]["contracts"][0]["layers"]


@pytest.mark.parametrize(
    ("path", "made"),
    [(figures.FLOW, figures.flow()), (figures.PACKAGES, figures.packages(figures.read_project()))],
    ids=["flow", "packages"],
)
def test_the_committed_picture_is_up_to_date(path: Path, made: str) -> None:
    assert path.read_text(encoding="utf-8") == made, REMEDY


def test_every_module_of_the_flow_exists() -> None:
    modules = re.findall(r"[a-z_]+/[a-z_]+\.py", figures.flow())
    assert len(modules) == 14
    assert [module for module in modules if not (PACKAGE / module).is_file()] == []


def test_every_package_exists_and_has_a_meaning() -> None:
    named = [package for layer in layers(figures.read_project()) for package in layer.split(" | ")]
    assert sorted(named) == sorted(figures.MEANING)
    assert [
        package for package in named if not any((PACKAGE / place).exists() for place in (package, f"{package}.py"))
    ] == []


def test_the_packages_picture_follows_the_contract() -> None:
    project = deepcopy(figures.read_project())
    contracts = project["tool"]["importlinter"]["contracts"]
    layers(project).reverse()
    contracts[1]["forbidden_modules"] = ["pandas"]
    made = figures.packages(project)
    assert made.index(">errors</text>") < made.index(">training</text>") < made.index(">cli</text>")
    assert "pandas." in made
    assert "scipy" not in made
