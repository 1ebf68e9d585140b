"""Screenshots of the report for the README: train on Cora, write the page, open it in Chromium."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.pages import IMAGES

FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
TRAIN = ["train", "cora", "--preset", "plus", "--split", "random", "--out"]


def main() -> None:
    """Write docs/images/report.png and docs/images/viewer.png."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "cora"
        highway = Path(sys.executable).with_name("highway")
        subprocess.run([highway, *TRAIN, run], check=True)
        subprocess.run([highway, "report", run], check=True)
        take_screenshots(run / "report.html")


def take_screenshots(page: Path) -> None:
    """Write a screenshot of the top of the page and one of its viewer."""
    from PIL import Image
    from playwright.sync_api import sync_playwright

    with sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        window = browser.new_page(viewport={"width": 1200, "height": 900}, device_scale_factor=1.5)
        window.goto(page.as_uri())
        # The page's policy forbids wait_for_function, which evaluates strings.
        while not window.evaluate("window.highwayViewer?.ready"):
            window.wait_for_timeout(100)
        window.screenshot(path=IMAGES / "report.png")
        _viewer(window)
        browser.close()
    for name in ("report.png", "viewer.png"):
        # 256 colours are enough for a page, in a third of the bytes.
        Image.open(IMAGES / name).convert("RGB").quantize(256).save(IMAGES / name, optimize=True)
    print(f"Written: {IMAGES / 'report.png'}, {IMAGES / 'viewer.png'}")


def _viewer(window: Any) -> None:
    """Show the story of the node that the viewer starts on."""
    window.locator("#graph-viewer").scroll_into_view_if_needed()
    window.wait_for_timeout(3000)
    window.locator("#graph-viewer").screenshot(path=IMAGES / "viewer.png")


if __name__ == "__main__":
    main()
