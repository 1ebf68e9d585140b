"""Commands in the shell blocks of the README and the docs."""

import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


class Command(NamedTuple):
    """One line of a shell block: the environment variables that it sets, and its words."""

    variables: dict[str, str]
    words: list[str]


def blocks(page: Path, language: str) -> list[str]:
    """Return the fenced blocks of that language."""
    return re.findall(rf"```{language}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)


def commands(page: Path) -> list[Command]:
    """Return the commands of the page's shell blocks, in order."""
    lines = [line for block in blocks(page, "sh") for line in block.splitlines()]
    return [_command(shlex.split(line, comments=True)) for line in lines if line.split("#")[0].strip()]


def _command(words: list[str]) -> Command:
    variables = {}
    while "=" in words[0]:
        name, value = words.pop(0).split("=", 1)
        variables[name] = value
    return Command(variables, words)
