"""What comes with an installation, and what is wrong with it."""

import json
from importlib.metadata import distribution

import pytest

pytest.importorskip("packaging", reason="packaging is not installed")
from packaging.requirements import Requirement

from tools import materials


class Package:
    """A package as its metadata tell."""

    def __init__(self, version: str, requires: tuple[str, ...] = (), **facts: str) -> None:
        self.version, self.requires, self.facts = version, requires, facts

    @property
    def metadata(self) -> "Package":
        return self

    def get(self, name: str) -> str | None:
        return self.facts.get(name.replace("-", "_"))

    def get_all(self, _: str, default: list[str]) -> list[str]:
        return default


def test_everything_that_is_needed_is_found() -> None:
    found = materials.needed(Requirement("highwaygraph[report]"))
    assert {"highwaygraph", "torch", "numpy", "jinja2", "markupsafe"} <= found.keys()
    assert "pytest" not in found
    assert "optuna" not in found


def test_the_bill_names_versions_and_licences(tmp_path) -> None:
    bill = materials.bill({"numpy": distribution("numpy")})
    (component,) = json.loads(json.dumps(bill))["components"]
    assert component["version"] == distribution("numpy").version
    assert "BSD" in component["licenses"][0]["license"]["name"]


def test_other_versions_unmet_wants_and_binding_licences_are_told(monkeypatch) -> None:
    monkeypatch.setattr(materials, "pinned", lambda: {"a": "1", "b": "2"})
    sound = {"a": Package("1", ("b>=2",), License="MIT"), "b": Package("2", License="LGPL-3.0")}
    assert materials.faults(sound) == []
    wrong = {"a": Package("3", ("b>=2.5",), License="AGPL-3.0"), "b": Package("2", License="BSD")}
    said = " ".join(materials.faults(wrong))
    assert "a 3 is installed, constraints.txt pins 1" in said
    assert "under AGPL-3.0" in said
    assert "a wants b>=2.5, but 2 is installed" in said
