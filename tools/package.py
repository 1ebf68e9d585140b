"""`python -m tools.package [pip|uv]`: build wheel and sdist, install both in a fresh environment and run the demo.

The demo runs in an empty folder outside the clone, so that a file that only the clone has is noticed as missing.
"""

import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tools.pages import ROOT

CONSTRAINTS = str(ROOT / "constraints.txt")
# Files without which the installed package would train or report less than the clone.
NEEDED = ("data/cora.npz", "py.typed", "study/paper/table1.toml", "report/assets/")
DEMO = (
    ("train", "cora", "--split", "random", "--out", "demo", "--fit.epochs", "20", "--highway.rounds", "2"),
    ("report", "demo"),
)


def run(*words: str, cwd: Path = ROOT) -> str:
    """Run a command without the clone on its path, and return its output; an error shows both streams."""
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    made = subprocess.run(words, cwd=cwd, env=variables, capture_output=True, text=True, check=False)
    if made.returncode:
        raise SystemExit(f"{' '.join(words)} failed:\n{made.stdout}\n{made.stderr}")
    return made.stdout


def build(folder: Path) -> list[Path]:
    """Return the wheel and the sdist, built into a folder."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-t", "sdist", "-d", str(folder))
    return [next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))]


def missing(wheel: Path) -> list[str]:
    """Return the needed files that a wheel does not hold."""
    with zipfile.ZipFile(wheel) as file:
        names = file.namelist()
    return [name for name in NEEDED if not any(each.startswith(f"highwaygraph/{name}") for each in names)]


def installer(name: str, python: Path) -> list[str]:
    """Return the words of a command that installs into an environment by its Python."""
    if name == "uv":
        return [sys.executable, "-m", "uv", "pip", "install", "--python", str(python), "-c", CONSTRAINTS]
    return [str(python), "-m", "pip", "install", "--quiet", "-c", CONSTRAINTS]


def try_demo(python: Path, folder: Path) -> None:
    """Train and report with the installed package in an empty folder; the clone must have no part in it."""
    folder.mkdir()
    place = run(str(python), "-c", "import highwaygraph; print(highwaygraph.__file__)", cwd=folder).strip()
    if not Path(place).is_relative_to(python.parent.parent):
        raise SystemExit(f"{place} is imported, which is not in the fresh environment.")
    for words in DEMO:
        run(str(python.with_name("highway")), *words, cwd=folder)
    if "<html" not in (folder / "demo/report.html").read_text(encoding="utf-8"):
        raise SystemExit("The demo wrote no page.")


def main(name: str = "pip") -> None:
    """Build, install and try both files."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        files = build(folder / "dist")
        if absent := missing(files[0]):
            raise SystemExit(f"The wheel lacks {', '.join(absent)}.")
        run(sys.executable, "-m", "venv", str(folder / "venv"))
        python = folder / "venv/bin/python"
        # The sdist replaces the wheel of the same environment: its dependencies are the same.
        for number, file in enumerate(files):
            again = ["--no-deps", "--force-reinstall"] if number else []
            run(*installer(name, python), *again, f"{file}[report]")
            try_demo(python, folder / f"demo{number}")
            print(f"{file.name}: installed by {name}; the demo ran outside the clone.")


if __name__ == "__main__":
    main(*sys.argv[1:])
