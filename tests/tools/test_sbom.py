"""Tests of the software bill of materials."""

import json
from importlib.metadata import distribution

import pytest

pytest.importorskip("packaging", reason="packaging is not installed")
from packaging.requirements import Requirement

from tools import sbom


class Package:
    """A package with the metadata given."""

    def __init__(self, version: str, requires: tuple[str, ...] = (), **fields: str) -> None:
        self.version, self.requires, self.fields = version, requires, fields

    @property
    def metadata(self) -> "Package":
        return self

    def get(self, name: str) -> str | None:
        return self.fields.get(name.replace("-", "_"))

    def get_all(self, _: str, default: list[str]) -> list[str]:
        return default


def test_all_dependencies_are_found() -> None:
    found = sbom.installed(Requirement("highwaygraph[report]"))
    assert {"highwaygraph", "torch", "numpy", "jinja2", "markupsafe"} <= found.keys()
    assert "pytest" not in found
    assert "optuna" not in found


def test_the_bill_has_versions_and_licences(tmp_path) -> None:
    bill = sbom.sbom({"numpy": distribution("numpy")})
    (component,) = json.loads(json.dumps(bill))["components"]
    assert component["version"] == distribution("numpy").version
    assert "BSD" in component["licenses"][0]["license"]["name"]


def test_version_mismatches_unmet_requirements_and_copyleft_are_reported(monkeypatch) -> None:
    monkeypatch.setattr(sbom, "pinned", lambda: {"a": "1", "b": "2"})
    valid = {"a": Package("1", ("b>=2",), License="MIT"), "b": Package("2", License="LGPL-3.0")}
    assert sbom.problems(valid) == []
    wrong = {"a": Package("3", ("b>=2.5",), License="AGPL-3.0"), "b": Package("2", License="BSD")}
    found = " ".join(sbom.problems(wrong))
    assert "a 3 is installed, constraints.txt pins 1" in found
    assert "under AGPL-3.0" in found
    assert "a requires b>=2.5, but 2 is installed" in found
