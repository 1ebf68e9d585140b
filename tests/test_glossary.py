"""The field's own words: terms of the first version fail here, with the term to use."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "tests", "tools", "benchmarks", "docs", "examples", "viewer/src", "viewer/test", ".github")
KINDS = {".py", ".md", ".toml", ".ts", ".html", ".js", ".css", ".ipynb", ".yml"}
# Generated from a bundle, or a table of old names.
EXEMPT = {"viewer.js", "viewer.css", "test_glossary.py", "test_renamed.py", "CHANGELOG.md"}
EXCUSE = "glossary:"
BANNED = {
    r"lots?": "mini-batch",
    r"surroundings": "sampled subgraph",
    r"hea(?:r|rs|rd)": "neighbour, source node",
    r"roads?": "highway, edge",
    r"waves?": "BFS frontier",
    r"desks?": "buffer pool",
    r"stretch(?:es)?": "chunk, range",
    r"lessons?": "training batch",
    r"exams?": "validation batch",
    r"standing": "training state",
    r"judg(?:e|es|ed|ing|ement)": "evaluate, select",
    r"admission": "preflight check",
    r"unfold(?:s|ed|ing)?": "decompress",
    r"spoil(?:s|ed|ing|t)?": "corrupt",
    r"le(?:nd|nds|nt|nding)": "pseudo-label",
    r"chances": "probabilities",
    r"anybody|everybody|everybodys": "any rank, all ranks",
    r"same bits": "bit-identical",
    r"goes on|go on|going on": "resume, continue",
    r"own_loss": "training_loss",
    r"Standing|Course|Fitting": "TrainingState, RoundState",
    r"tells|says|asks|knows|hears": "a verb for what the code does: returns, contains, requires",
}
PATTERNS = {
    re.compile(rf"(?<![A-Za-z])(?:{old})(?![A-Za-z])", re.IGNORECASE if old.islower() else 0): new
    for old, new in BANNED.items()
}


def files() -> Iterator[Path]:
    """Yield the text files that a contributor reads."""
    tops = [path for path in ROOT.iterdir() if path.is_file() and path.suffix in KINDS]
    below = (path for folder in FOLDERS for path in (ROOT / folder).rglob("*"))
    for path in sorted([*tops, *below]):
        if path.suffix in KINDS and path.name not in EXEMPT and "node_modules" not in path.parts:
            yield path


def findings(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, word and replacement of every banned term; snake_case and camelCase are split into words."""
    for number, line in enumerate(text.split("\n"), 1):
        if EXCUSE in line:
            continue
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", line)
        for pattern, new in PATTERNS.items():
            for found in pattern.finditer(words):
                yield number, found[0], new


@pytest.mark.parametrize("path", list(files()), ids=lambda path: str(path.relative_to(ROOT)))
def test_the_terms_are_those_of_the_field(path: Path) -> None:
    found = [f"line {n}: {word!r}, use {new!r}" for n, word, new in findings(path.read_text(encoding="utf-8"))]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=lambda path: str(path.relative_to(ROOT)))
def test_docstrings_name_their_subject(path: Path) -> None:
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    nodes = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, kinds)]
    texts = [ast.get_docstring(node) or "" for node in nodes]
    assert not [text.splitlines()[0] for text in texts if text.startswith(("What", "Whom", "Who "))]


def test_banned_terms_are_found_in_identifiers_and_prose() -> None:
    text = "lots_of_roads = 1\nclass DeskTop: ...\nA training that goes on.\nplots, allotted, broad: fine"
    assert [(number, word) for number, word, _ in findings(text)] == [
        (1, "lots"),
        (1, "roads"),
        (2, "Desk"),
        (3, "goes on"),
    ]
