"""Screenshots of the report and of the labelling page: train or label on Cora, and open the page in Chromium."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tools.pages import IMAGES

FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
TRAIN = ["train", "cora", "--preset", "plus", "--split", "random", "--out"]


LABEL = ["label", "cora", "--known", "none", "--port", "0", "--json", "--labels"]
NUM_LABELS = 40
# The key of a class, and the number of points of the curve.
KEY = "name => document.querySelector(`#answers [data-class='${name}']`).getAttribute('aria-keyshortcuts')"
POINTS = "document.querySelectorAll('#curve circle').length"


def main() -> None:
    """Write docs/images/report.png, docs/images/viewer.png and docs/images/label.png; `label` for the last alone."""
    if sys.argv[1:] != ["label"]:
        report()
    label()


def report() -> None:
    """Train on Cora and write the screenshots of its report."""
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
        _wait(window, "window.highwayViewer?.ready")
        window.screenshot(path=IMAGES / "report.png")
        _viewer(window)
        browser.close()
    for name in ("report.png", "viewer.png"):
        # 256 colours are enough for a page, in a third of the bytes.
        Image.open(IMAGES / name).convert("RGB").quantize(256).save(IMAGES / name, optimize=True)
    print(f"Written: {IMAGES / 'report.png'}, {IMAGES / 'viewer.png'}")


def label() -> None:
    """Label nodes of Cora by their true classes and write a screenshot of the page."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        command = [sys.executable, "-m", "highwaygraph", *LABEL, str(Path(folder) / "labels.csv")]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            start = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
            browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
            window = browser.new_page(viewport={"width": 1280, "height": 1080}, device_scale_factor=1.5)
            window.goto(start["url"])
            _answer(window)
            window.screenshot(path=IMAGES / "label.png")
            browser.close()
            process.terminate()
    print(f"Written: {IMAGES / 'label.png'}")


def _answer(window: Any) -> None:
    """Label the suggested nodes, and let the model be trained after every tenth."""
    import highwaygraph as hg

    data = hg.load("cora")
    truth = {str(node): data.classes[label] for node, label in zip(data.ids, data.y.tolist(), strict=True)}
    for count in range(NUM_LABELS):
        _wait(window, f"document.getElementById('counts').textContent.startsWith('{count} label')")
        _wait(window, "document.getElementById('node-title').textContent.startsWith('Node ')")
        if count and count % 10 == 0:
            window.keyboard.press("r")
            _wait(window, f"{POINTS} >= {count // 10 - 1}")
        window.keyboard.press(window.evaluate(KEY, truth[window.inner_text("#node-title").removeprefix("Node ")]))
    window.keyboard.press("r")
    _wait(window, f"document.getElementById('training-text').textContent === 'Trained on {NUM_LABELS} labels.'")
    window.wait_for_timeout(2500)


def _wait(window: Any, expression: str) -> None:
    # The page's policy forbids wait_for_function, which evaluates strings.
    while not window.evaluate(expression):
        window.wait_for_timeout(100)


def _viewer(window: Any) -> None:
    """Show the story of the node that the viewer starts on."""
    window.locator("#graph-viewer").scroll_into_view_if_needed()
    window.wait_for_timeout(3000)
    window.locator("#graph-viewer").screenshot(path=IMAGES / "viewer.png")


if __name__ == "__main__":
    main()
