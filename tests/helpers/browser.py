"""Pages in Chromium, for tests of the report and of the labelling page."""

import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
AXE = Path(__file__).parents[2] / "viewer/node_modules/axe-core/axe.min.js"
# Software WebGL; no sandbox, because containers run as root.
FLAGS = ["--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-sandbox"]


@contextmanager
def chromium() -> Iterator[Any]:
    """Start Chromium and close it at the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as api:
        browser = api.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


class OpenPage:
    """A page in its own browser context, or in that of another page, with its requests, console errors and warnings."""

    def __init__(
        self,
        browser: Any,
        file: Path | str,
        width: int = 1280,
        scheme: str = "light",
        *,
        beside: "OpenPage | None" = None,
        **options: Any,
    ) -> None:
        if beside is None:
            context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, **options)
        else:
            context = beside.page.context
        self.page = context.new_page()
        self.requests: list[str] = []
        self.errors: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self._on_console(message))
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.goto(file.as_uri() if isinstance(file, Path) else file)

    def _on_console(self, message: Any) -> None:
        # Messages of the software WebGL driver do not come from the page.
        if message.type in ("error", "warning") and "GL Driver Message" not in message.text:
            self.errors.append(message.text)

    def until(self, expression: str, seconds: float = 60) -> None:
        """Wait for an expression to be true; the page's policy forbids wait_for_function, which evaluates strings."""
        end = time.monotonic() + seconds
        while not self.page.evaluate(expression):
            assert time.monotonic() < end, expression
            self.page.wait_for_timeout(100)

    def violations(self) -> list[tuple[str, list[str]]]:
        """Return the rules of WCAG 2.1 AA that the page breaks, with the first elements."""
        self.page.add_script_tag(path=str(AXE))
        found = self.page.evaluate(
            "axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']}).then(r => r.violations)"
        )
        return [(v["id"], [n["html"][:90] for n in v["nodes"]][:3]) for v in found]

    def state(self) -> dict[str, Any]:
        """Wait for the first render of the viewer and return its state."""
        self.until("window.highwayViewer?.ready")
        return self.page.evaluate("window.highwayViewer.state()")
