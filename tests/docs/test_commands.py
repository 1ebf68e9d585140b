"""Runs every command and Python block of the README and the docs, page by page and in order."""

import os
import re
import runpy
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.helpers.annotation import label_and_stop
from tests.helpers.commands import PAGES, ROOT, Command, blocks, commands
from tests.helpers.label_graphs import write_label_tables
from tests.helpers.library import write_library, write_sites
from tests.helpers.papers import write_new_papers, write_papers
from tests.helpers.serving import start_and_stop

pd = pytest.importorskip("pandas", reason="pandas is not installed")
pytest.importorskip("matplotlib", reason="matplotlib is not installed")

# These take minutes, or need a download of 60 MB.
SLOW = re.compile(r"highway (study table1|study figure4|data get)")
# CI runs `make demo` and `make test`, other targets take long, and pip would change the environment that the tests
# run in: of these commands, only targets and extras are checked.
NAMED_ONLY = ("make", "pip")


def shown(page: Path) -> str:
    return str(page.relative_to(ROOT))


STARTS = {
    "highway": [sys.executable, "-m", "highwaygraph"],
    "torchrun": [sys.executable, "-m", "torch.distributed.run"],
}


def run(command: Command, folder: Path) -> None:
    words = [*STARTS[command.words[0]], *command.words[1:]]
    made = subprocess.run(
        words, cwd=folder, env=os.environ | command.variables, capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, f"{' '.join(command.words)}\n{made.stdout}\n{made.stderr}"
    assert "Traceback" not in made.stderr


def prepare(page: Path, folder: Path) -> None:
    """Write the files that the reader of a page has: two folders of tables, and records."""
    write_papers(folder / "papers", "label" if shown(page) == "README.md" else "topic")
    write_new_papers(folder / "new-papers")
    write_label_tables(folder / "topics")
    write_library(folder / "library")
    write_sites(folder / "sites")
    with closing(sqlite3.connect(folder / "papers.db")) as connection:
        for name, table in (("papers", "nodes"), ("cites", "edges")):
            rows = pd.read_csv(folder / "papers" / f"{table}.csv").rename(columns={"from": "source", "to": "target"})
            rows.to_sql(name, connection, index=False)
    shutil.copytree(ROOT / "results", folder / "results")


def is_slow(command: Command) -> bool:
    return bool(SLOW.match(" ".join(command.words)))


# Other tests run most of these commands too.
SLOW_PAGES = (
    # .ci/run runs the commands of the README after the other tests.
    "README.md",
    "docs/first-csv.md",
    "docs/index.md",
    "docs/labelling.md",
    "docs/howto/all-labels.md",
    "docs/howto/csv.md",
    "docs/howto/explain.md",
    "docs/howto/databases.md",
    "docs/howto/hetero.md",
    "docs/howto/label.md",
    "docs/howto/large.md",
    "docs/howto/multilabel.md",
    "docs/howto/pyg.md",
    "docs/howto/report.md",
    "docs/howto/resume.md",
    "docs/howto/serve.md",
    "docs/howto/thresholds.md",
    "docs/howto/trackers.md",
)


def test_slow_pages_exist() -> None:
    assert {shown(page) for page in PAGES} >= set(SLOW_PAGES)


def marks(page: Path) -> tuple[pytest.MarkDecorator, ...]:
    return (pytest.mark.slow,) if shown(page) in SLOW_PAGES else ()


@pytest.mark.parametrize("page", [pytest.param(p, marks=marks(p)) for p in PAGES if commands(p)], ids=shown)
def test_the_commands_of_a_page_run(page, tmp_path) -> None:
    prepare(page, tmp_path)
    for command in commands(page):
        if command.words[:2] == ["highway", "serve"]:
            # It runs until it is stopped.
            start_and_stop(tmp_path / command.words[2], *command.words[3:])
        elif command.words[:2] == ["highway", "label"]:
            label_and_stop(tmp_path, *command.words[2:])
        elif command.words[0] in STARTS and not is_slow(command):
            run(command, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "command", [c for p in PAGES for c in commands(p) if is_slow(c)], ids=lambda c: " ".join(c.words)
)
def test_slow_commands_run(command, tmp_path) -> None:
    write_papers(tmp_path / "papers", "label")
    run(command._replace(variables={"HIGHWAYGRAPH_CACHE": str(tmp_path / "cache")}), tmp_path)


@pytest.mark.parametrize("page", [p for p in PAGES if commands(p)], ids=shown)
def test_other_commands_name_existing_targets(page) -> None:
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for command in commands(page):
        first = command.words[0]
        assert first in (*STARTS, *NAMED_ONLY), f"{shown(page)} shows {first}, which no test runs"
        if first == "make":
            assert command.words[1] in targets
        if first == "pip":
            wanted = re.findall(r"\w+", re.search(r"\[(.*)\]", command.words[-1])[1])
            extras = (ROOT / "pyproject.toml").read_text().split("[project.optional-dependencies]")[1]
            assert all(re.search(rf"^{extra} = ", extras, re.MULTILINE) for extra in wanted)


@pytest.mark.parametrize(
    ("page", "block"),
    [pytest.param(p, b, marks=marks(p)) for p in PAGES for b in blocks(p, "python")],
    ids=[f"{shown(p)}-{i}" for p in PAGES for i, _ in enumerate(blocks(p, "python"))],
)
def test_python_blocks_run(page, block, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_papers(tmp_path / "papers", "topic")
    write_library(tmp_path / "library")
    script = tmp_path / "block.py"
    script.write_text("import highwaygraph as hg\n" + block)
    runpy.run_path(str(script))
