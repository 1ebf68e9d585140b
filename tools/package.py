"""`python -m tools.package [pip|uv]`: build wheel and sdist, install both in a fresh environment and run the demo.

The demo runs in an empty folder outside the clone, so that a file that only the clone has is noticed as missing.
"""

import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from tools.pages import ROOT

CONSTRAINTS = str(ROOT / "constraints.txt")
# Files without which the installed package would train or report less than the clone.
VIEWER = "report/assets/viewer.js"
NEEDED = (
    "data/cora.npz",
    "py.typed",
    "study/paper/table1.toml",
    "report/assets/page.css",
    VIEWER,
    "report/assets/viewer.css",
)
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


def missing(built: Path) -> list[str]:
    """Return the needed files that a wheel or an sdist does not hold."""
    if built.suffix == ".whl":
        with zipfile.ZipFile(built) as wheel:
            names = wheel.namelist()
    else:
        with tarfile.open(built) as sdist:
            names = sdist.getnames()
    return [name for name in NEEDED if not any(f"/{each}".endswith(f"/highwaygraph/{name}") for each in names)]


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
    page = (folder / "demo/report.html").read_text(encoding="utf-8")
    if "<html" not in page:
        raise SystemExit("The demo wrote no page.")
    if not has_viewer(page, Path(place).parent):
        raise SystemExit("The page of the demo has no graph viewer: install npm, which bundles it, and build again.")


def has_viewer(page: str, package: Path) -> bool:
    """Return whether a page holds the script of the viewer that is part of an installed package."""
    script = package / VIEWER
    # A page escapes the end of a script within a script.
    return script.is_file() and script.read_text(encoding="utf-8").replace("</script", "<\\/script") in page


def main(name: str = "pip") -> None:
    """Build, install and try both files."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        files = build(folder / "dist")
        for file in files:
            if absent := missing(file):
                raise SystemExit(f"{file.name} lacks {', '.join(absent)}: npm bundles the viewer when it is built.")
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
