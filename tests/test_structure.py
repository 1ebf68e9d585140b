"""The house rules that a machine can check: sizes, mirrored tests, and few modules at the top."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SRC = ROOT / "src" / "highwaygraph"
MODULES = sorted(SRC.rglob("*.py"))
LONGEST_FILE, LONGEST_FUNCTION, MOST_AT_THE_TOP = 250, 40, 12


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SRC)))
def test_files_and_functions_are_short(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.count("\n") <= LONGEST_FILE
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    lengths = {node.name: (node.end_lineno or 0) - node.lineno + 1 for node in functions}
    assert not {name: length for name, length in lengths.items() if length > LONGEST_FUNCTION}


def test_few_modules_are_at_the_top() -> None:
    assert len(list(SRC.glob("*.py"))) <= MOST_AT_THE_TOP


@pytest.mark.parametrize(
    "path", [p for p in MODULES if not p.name.startswith("__")], ids=lambda path: str(path.relative_to(SRC))
)
def test_every_module_has_a_test_of_its_name(path: Path) -> None:
    place = path.relative_to(SRC)
    assert (ROOT / "tests" / place.parent / f"test_{place.name}").is_file()
