"""The documentation builds without a warning and loads nothing from elsewhere; its how-to keeps its promise."""

import csv
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.docs.test_commands import run
from tests.helpers.commands import ROOT, commands
from tests.helpers.papers import write_papers
from tools import concept_figure

HOWTO = ROOT / "docs/howto/csv.md"


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="mkdocs is not installed")
def test_the_site_builds_and_loads_nothing_from_elsewhere(tmp_path) -> None:
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")]
    made = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    pages = list((tmp_path / "site").rglob("*.html"))
    assert len(pages) >= 12
    for page in pages:
        text = page.read_text()
        loaded = re.findall(r"<(?:script|img|iframe|source)[^>]*\ssrc=[\"']?([^\"'\s>]+)", text)
        loaded += re.findall(
            r"<link[^>]*rel=[\"']?(?:stylesheet|icon|preload|preconnect)[\"']?[^>]*href=[\"']?([^\"'\s>]+)", text
        )
        assert not [place for place in loaded if re.match(r"(https?:)?//", place)], page.name


def test_two_tables_become_predictions_and_a_page_in_the_three_commands_of_the_howto(tmp_path) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    write_papers(tmp_path / "papers")
    three = commands(HOWTO)[:3]
    assert [command.words[1] for command in three] == ["train", "predict", "report"]
    for command in three:
        run(command, tmp_path)
    rows = list(csv.DictReader((tmp_path / "predictions.csv").read_text().splitlines()))
    assert [row["id"] for row in rows] == [f"p{i:03d}" for i in range(180)]
    assert {row["class"] for row in rows} == {"topic 0", "topic 1", "topic 2"}
    right = [row["class"] == f"topic {i // 60}" for i, row in enumerate(rows)]
    assert sum(right) > 0.9 * len(right)
    assert "<html" in (tmp_path / "runs/papers/report.html").read_text()


def test_the_howto_shows_files_as_they_are(tmp_path) -> None:
    folder = Path(write_papers(tmp_path / "papers"))
    shown = re.findall(r"```text\n(.*?)```", HOWTO.read_text(), re.DOTALL)
    for name, part in zip(("nodes", "edges"), shown, strict=True):
        assert set(part.splitlines()) <= set((folder / f"{name}.csv").read_text().splitlines())


def test_the_concept_figure_is_up_to_date() -> None:
    assert concept_figure.FIGURE.read_text() == concept_figure.draw()
