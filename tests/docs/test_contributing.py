"""The contributor's documents name files that exist, and the project's metadata agree with each other."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from highwaygraph.study.spec import cells, read_study
from tests.helpers.commands import ROOT, blocks

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")

GUIDE, ARCHITECTURE = ROOT / "CONTRIBUTING.md", ROOT / "docs/architecture.md"
PACKAGE = ROOT / "src/highwaygraph"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
MAKEFILE = (ROOT / "Makefile").read_text()
FORMS = sorted((ROOT / ".github").rglob("*.yml"))


def read_yaml(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def named_paths(page: Path) -> set[str]:
    """Return the paths in backticks, without patterns, placeholders and files that appear when a command runs."""
    found = re.findall(r"`([\w./]+(?:/|\.(?:py|md|toml|json|svg|txt)))`", page.read_text(encoding="utf-8"))
    return {path for path in found if "NAME" not in path and path != "meta.json"}


@pytest.mark.parametrize("page", [GUIDE, ARCHITECTURE], ids=lambda page: page.name)
def test_every_path_exists(page) -> None:
    places = (ROOT, PACKAGE, PACKAGE / "data/tables")
    paths = named_paths(page)
    assert len(paths) > 20
    assert [path for path in paths if not any((place / path).exists() for place in places)] == []


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("src/highwaygraph/config.py", ("Strategy", "Pairs")),
        ("src/highwaygraph/network_options.py", ("Network",)),
        ("src/highwaygraph/training/pairs.py", ("sample_pairs", "BY_DISTANCE")),
        ("src/highwaygraph/errors.py", ("HighwayError", "DataError")),
        ("tests/helpers/fuzzing.py", ("KINDS",)),
    ],
)
def test_every_identifier_of_the_guide_exists(module, names) -> None:
    code, guide = (ROOT / module).read_text(), GUIDE.read_text()
    for name in names:
        assert f"`{name}" in guide
        assert re.search(rf"^(class |def )?{name}\b", code, re.MULTILINE)


def test_every_make_target_exists() -> None:
    named = set(re.findall(r"`?make ([a-z-]+)", GUIDE.read_text())) - {"the"}
    assert {"lint", "test", "docs", "hooks"} <= named
    assert named <= set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE))


def test_the_table_of_packages_is_complete() -> None:
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert set(re.findall(r"^\| `(\w+)/`", GUIDE.read_text(), re.MULTILINE)) == packages


def test_the_example_of_a_study_is_a_study(tmp_path) -> None:
    (example,) = blocks(GUIDE, "toml")
    (tmp_path / "example.toml").write_text(example)
    assert len(cells(read_study(str(tmp_path / "example.toml")))) == 45


def test_versions_agree() -> None:
    changelog = (ROOT / "CHANGELOG.md").read_text()
    version, day = re.search(r"^## (\d+\.\d+\.\d+) - (\S+)$", changelog, re.MULTILINE).groups()
    citation = read_yaml(ROOT / "CITATION.cff")
    assert version == PROJECT["version"] == citation["version"]
    assert day == str(citation["date-released"])


def test_ci_covers_the_python_versions_of_the_classifiers() -> None:
    matrix = read_yaml(ROOT / ".github/workflows/ci.yml")["jobs"]["test"]["strategy"]["matrix"]["python"]
    stated = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))
    assert matrix == stated
    assert PROJECT["requires-python"] == f">={matrix[0]}"


def test_the_hooks_are_those_of_make_lint() -> None:
    (repo,) = read_yaml(ROOT / ".pre-commit-config.yaml")["repos"]
    assert repo["repo"] == "local"
    entries = [hook["entry"] for hook in repo["hooks"] if hook["language"] == "system"]
    lint = re.search(r"^lint:.*\n((?:\t.*\n)+)", MAKEFILE, re.MULTILINE)[1]
    commands = re.findall(r"\$\(BIN\)/(.*?)(?: --check)?(?: \.)?$", lint, re.MULTILINE)
    assert entries == [f".venv/bin/{command}" for command in commands]


@pytest.mark.parametrize(("length", "refused"), [(72, False), (73, True)])
def test_long_commit_subjects_are_refused(length, refused) -> None:
    hooks = read_yaml(ROOT / ".pre-commit-config.yaml")["repos"][0]["hooks"]
    (pattern,) = [hook["entry"] for hook in hooks if hook["id"] == "commit-subject"]
    message = "x" * length + "\n\n" + "y" * 100
    assert bool(re.search(pattern, message, re.MULTILINE | re.DOTALL)) == refused


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.name)
def test_forms_are_valid(path) -> None:
    form = read_yaml(path)
    if "body" in form:
        assert {"name", "description"} <= form.keys()
        names = [field["id"] for field in form["body"]]
        assert len(names) == len(set(names))


def test_the_package_is_typed() -> None:
    assert (PACKAGE / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["classifiers"]
