"""The documentation builds without a warning, loads nothing, and agrees with the code."""

import csv
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

import highwaygraph as hg
from highwaygraph.options import dotted
from tests.docs.test_commands import run
from tests.helpers.commands import ROOT, commands
from tests.helpers.papers import write_papers
from tools import concept_figure

FIRST_RUN = ROOT / "docs/first-csv.md"


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed")
def test_the_site_builds_and_loads_nothing(tmp_path) -> None:
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    made = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) >= 23
    for page in pages:
        text = page.read_text()
        loaded = re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=[\"']?([^\"'\s>]+)", text)
        loaded += re.findall(
            r"<link[^>]*rel=[\"']?(?:stylesheet|icon|preload|preconnect)[\"']?[^>]*href=[\"']?([^\"'\s>]+)", text
        )
        assert not [place for place in loaded if re.match(r"(https?:)?//", place)], page.name


@pytest.mark.slow
def test_three_commands_turn_two_tables_into_predictions_and_a_page(tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    write_papers(tmp_path / "papers")
    three = commands(FIRST_RUN)[:3]
    assert [command.words[1] for command in three] == ["train", "predict", "report"]
    for command in three:
        run(command, tmp_path)
    rows = list(csv.DictReader((tmp_path / "predictions.csv").read_text().splitlines()))
    assert [row["id"] for row in rows] == [f"p{i:03d}" for i in range(180)]
    assert {row["class"] for row in rows} == {"topic 0", "topic 1", "topic 2"}
    right = [row["class"] == f"topic {i // 60}" for i, row in enumerate(rows)]
    assert sum(right) > 0.9 * len(right)
    assert "<html" in (tmp_path / "runs/papers/report.html").read_text()


def test_the_first_run_shows_the_files_of_the_tests(tmp_path) -> None:
    folder = Path(write_papers(tmp_path / "papers"))
    shown = re.findall(r"```text\n(.*?)```", FIRST_RUN.read_text(), re.DOTALL)
    for name, part in zip(("nodes", "edges"), shown, strict=True):
        assert set(part.splitlines()) <= set((folder / f"{name}.csv").read_text().splitlines())


def test_the_concept_figure_is_up_to_date() -> None:
    assert concept_figure.FIGURE.read_text() == concept_figure.draw()


def test_the_api_page_has_every_public_name() -> None:
    words = set(re.findall(r"\w+", (ROOT / "docs/api.md").read_text()))
    assert set(hg.__all__) <= words


def test_every_page_is_in_the_navigation() -> None:
    pages = {str(path.relative_to(ROOT / "docs")) for path in (ROOT / "docs").rglob("*.md")}
    assert set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text())) == pages


def test_the_options_of_plus_are_those_of_the_preset() -> None:
    text = (ROOT / "docs/concepts.md").read_text().split("### Options of `plus`")[1].split("\n## ")[0]
    shown = dict(re.findall(r"^\| `([\w.]+)` \| (\S+) \|$", text, re.MULTILINE))
    values = {name: str(value) for name, value in dotted(hg.PRESETS["plus"]).items()}
    assert len(shown) > 20
    assert shown == {name: values[name] for name in shown}
    default = {name: str(value) for name, value in dotted(hg.Config()).items()}
    assert {name for name in values if values[name] != default[name]} <= set(shown)


def test_decisions_have_a_reason() -> None:
    sections = re.split(r"^### ", (ROOT / "docs/decisions.md").read_text(), flags=re.MULTILINE)[1:]
    assert len(sections) > 40
    assert all("**Decision.**" in section and "**Reason.**" in section for section in sections)
