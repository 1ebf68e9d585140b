"""What the README says is run here, and its numbers are those of results/."""

import re
import runpy
from pathlib import Path

import pytest

from tools import start

ROOT = Path(__file__).resolve().parent.parent
TEXT = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
COMMANDS = [
    line.split("#")[0].strip()
    for block in re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)
    for line in block.splitlines()
    if line.startswith("highway")
]


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_python_blocks_run(block, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    script = tmp_path / "block.py"
    script.write_text("import highwaygraph as hg\n" + block)
    runpy.run_path(str(script))


def test_generated_parts_are_up_to_date(tmp_path, monkeypatch) -> None:
    copy, picture = tmp_path / "README.md", tmp_path / "hops.svg"
    copy.write_text(TEXT)
    monkeypatch.setattr(start, "README", copy)
    monkeypatch.setattr(start, "PICTURE", picture)
    start.draw()
    assert copy.read_text() == TEXT
    assert picture.read_text() == (ROOT / "docs/images/hops.svg").read_text()


def test_every_command_of_the_readme_parses() -> None:
    from highwaygraph.cli import app

    assert len(COMMANDS) >= 5
    for command in COMMANDS:
        words = command.split()[1:]
        if "--help" not in words:
            app.parse_args(words, exit_on_error=False, print_error=False)
