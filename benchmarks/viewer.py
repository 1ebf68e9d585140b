"""The graph viewer in headless Chromium: time to the first picture, time between frames, work of the page per frame.

Chromium renders by SwiftShader, on the CPU. The work of the page is the same with a GPU: it is what the 16.7 ms of a
frame at 60 Hz have to hold beside the drawing.
"""

import shutil
import tempfile
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import highwaygraph as hg
from benchmarks.generate import generate
from highwaygraph.report import html
from highwaygraph.report.run_page import Report

# The most nodes that the viewer has.
NODES, DEGREE = 20_000, 5
CONFIG = {"fit.epochs": 40, "fit.min_epochs": 0, "highway.node_threshold": 0.5, "select.baselines": False}
CONFIG |= {"select.combine": False, "votes.views": ()}
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]
RECORD = """() => {
  window.frameTimes = [];
  const record = (now) => { window.frameTimes.push(now); window.nextFrame = requestAnimationFrame(record); };
  window.nextFrame = requestAnimationFrame(record);
}"""
STOP = "() => { cancelAnimationFrame(window.nextFrame); return window.frameTimes; }"
LINE = "{action}: median {median_ms:.0f} ms, 95 % below {p95_ms:.0f} ms, work of the page {work_ms:.1f} ms"


def write_page(path: Path) -> dict[str, int]:
    """Write the page of a run on a generated graph; return the size of the viewer's document."""
    data = generate(NODES, degree=DEGREE, labels=100)
    result = hg.train(hg.models.build("gcn", data), data, hg.override(hg.PRESETS["plus"], CONFIG), seed=0)
    report = Report(result, {})
    html.write(path, report.page())
    visible = report.visible
    return {"nodes": len(visible.nodes), "edges": visible.edges.size(1), "highways": len(visible.highways)}


class Window:
    """The page in Chromium.

    Args:
        browser: The browser.
        file: The page.
    """

    def __init__(self, browser: Any, file: Path) -> None:
        context = browser.new_context(viewport={"width": 1280, "height": 900})
        self.page = context.new_page()
        self.devtools = context.new_cdp_session(self.page)
        self.devtools.send("Performance.enable")
        start = time.perf_counter()
        self.page.goto(file.as_uri())
        # The policy of the page forbids wait_for_function, which evaluates strings.
        while not self.page.evaluate("Boolean(window.highwayViewer?.ready)"):
            self.page.wait_for_timeout(20)
        self.ready_s = time.perf_counter() - start
        self.page.locator("#graph-viewer").scroll_into_view_if_needed()
        box = self.page.locator(".hv-stage").bounding_box()
        self.centre = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def whole_graph(self) -> None:
        """Close the panel, and wait for the camera."""
        self.page.evaluate("window.highwayViewer.clear()")
        self.page.wait_for_timeout(2500)

    def frames(self, name: str, act: Callable[[], None]) -> dict[str, Any]:
        """Return the times between frames during an action, and the work of the page per frame."""
        before = self._work()
        self.page.evaluate(RECORD)
        act()
        times = self.page.evaluate(STOP)
        gaps = sorted(after - one for one, after in pairwise(times))
        work = 1000 * (self._work() - before) / len(gaps)
        middle, late = gaps[len(gaps) // 2], gaps[int(0.95 * len(gaps))]
        return {"action": name, "frames": len(gaps), "median_ms": middle, "p95_ms": late, "work_ms": work}

    def drag(self) -> None:
        """Drag the graph for about two seconds."""
        x, y = self.centre
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        for step in range(120):
            self.page.mouse.move(x + 3 * (step % 60) - 90, y + 3 * (step % 40) - 60)
            self.page.wait_for_timeout(16)
        self.page.mouse.up()
        self.page.wait_for_timeout(300)

    def zoom(self) -> None:
        """Turn the wheel to and fro."""
        self.page.mouse.move(*self.centre)
        for step in range(10):
            self.page.mouse.wheel(0, -120 if step < 5 else 120)
            self.page.wait_for_timeout(250)

    def select(self) -> None:
        """Select a node and move the camera to it."""
        self.page.evaluate("window.highwayViewer.focus(123)")
        self.page.wait_for_timeout(1200)

    def _work(self) -> float:
        found = self.devtools.send("Performance.getMetrics")["metrics"]
        return next(float(one["value"]) for one in found if one["name"] == "TaskDuration")


def measure(report: Any) -> dict[str, Any]:
    """Return the time to the first picture, and a row per action."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as place, sync_playwright() as started:
        file = Path(place) / "report.html"
        sizes = write_page(file)
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        window = Window(browser, file)
        report(f"{sizes}, {file.stat().st_size / 2**20:.1f} MiB: shown after {window.ready_s:.1f} s")
        window.whole_graph()
        actions = {"drag": window.drag, "zoom": window.zoom, "select": window.select}
        rows = []
        for name, act in actions.items():
            rows.append(window.frames(name, act))
            report(LINE.format(**rows[-1]))
        browser.close()
    return {**sizes, "ready_s": window.ready_s, "actions": rows}
