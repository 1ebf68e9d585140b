"""Pictures of every kind of page to look at before a release, wide and narrow, light and dark."""

import io
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tests.helpers.browser import OpenPage, chromium
from tests.helpers.papers import write_papers
from tools.pages import ROOT

WIDTHS, SCHEMES = (1280, 390), ("light", "dark")
TARGET = ROOT / "build/pages"


def main() -> None:
    """Train, write the pages of a run, of folds, of a comparison and of a study, and take the pictures."""
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else TARGET
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, chromium() as browser:
        for name, page in write_pages(Path(place)).items():
            for path in take(browser, page, target / name):
                print(path)


def write_pages(place: Path) -> dict[str, Path]:
    """Train on Cora and on a folder of tables, and write one page of each kind.

    Args:
        place: A folder for runs and pages.

    Returns:
        The pages by name.
    """
    papers = write_papers(place / "papers")
    cora, plain, folds = (str(place / name) for name in ("cora", "plain", "folds"))
    _highway("train", "cora", "--split", "random", "--out", cora)
    _highway("train", "cora", "--split", "random", "--preset", "typical", "--out", plain)
    _highway("train", papers, "--label", "topic", "--out", folds)
    pages = {name: place / f"{name}.html" for name in ("run", "folds", "comparison", "study")}
    _highway("report", cora, "--out", str(pages["run"]))
    _highway("report", folds, "--out", str(pages["folds"]))
    _highway("compare", cora, plain, "--out", str(pages["comparison"]))
    _highway("report", "table3", "--out", str(pages["study"]))
    return pages


def take(browser: Any, page: Path, target: Path) -> list[Path]:
    """Take a picture of a whole page for every width and colour scheme.

    Args:
        browser: Chromium.
        page: The page.
        target: The start of the names of the pictures.

    Returns:
        The pictures; an error of the page or a request ends in an error.
    """
    written = []
    for width in WIDTHS:
        for scheme in SCHEMES:
            opened = OpenPage(browser, page, width, scheme)
            if opened.page.locator("#graph-viewer").count():
                opened.state()
            # The camera of the viewer moves to its first node.
            opened.page.wait_for_timeout(1500)
            path = target.with_name(f"{target.name}-{width}-{scheme}.png")
            _save_whole(opened.page, path)
            refused = [url for url in opened.requests[1:] if not url.startswith(("data:", "blob:"))]
            if opened.errors or refused:
                raise RuntimeError(f"{page.name}: {opened.errors or refused}")
            opened.page.context.close()
            written.append(path)
    return written


def _save_whole(page: Any, path: Path) -> None:
    """Save a picture of a page, joined from screens: Chromium repeats the first 8,192 pixels in place of later ones."""
    from PIL import Image

    size = page.viewport_size
    length = page.evaluate("document.documentElement.scrollHeight")
    whole = Image.new("RGB", (size["width"], length))
    for top in range(0, length, size["height"]):
        page.evaluate("top => window.scrollTo({top, behavior: 'instant'})", top)
        # The last screen begins earlier, where the page ends.
        whole.paste(Image.open(io.BytesIO(page.screenshot())), (0, page.evaluate("window.scrollY")))
    whole.save(path)


def _highway(*arguments: str) -> None:
    command = [sys.executable, "-m", "highwaygraph", *arguments]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
