"""The labelling page in Chromium: by keyboard, at two widths, light and dark, and after the server was killed."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import uvicorn

import highwaygraph as hg
from highwaygraph.annotation.app import build_app
from highwaygraph.annotation.session import Given
from highwaygraph.annotation.workspace import Workspace
from highwaygraph.data.label_file import read_answers
from highwaygraph.report import html
from highwaygraph.service.server import listen, url_of
from tests.helpers.annotation import TOKEN, cold_graph, labelling, named_graph, new_workspace
from tests.helpers.browser import AXE, CHROMIUM, OpenPage, chromium

pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")
needs_axe = pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as found:
        yield found


@contextmanager
def served(workspace: Workspace, port: int = 0, token: str = TOKEN) -> Iterator[str]:
    """Serve the page in a thread and yield its address."""
    place = listen("127.0.0.1", port)
    server = uvicorn.Server(uvicorn.Config(build_app(workspace, token), log_level="warning", lifespan="on", ws="none"))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
    thread.start()
    try:
        yield f"{url_of(place)}/?token={token}"
    finally:
        server.should_exit = True
        thread.join()
        place.close()


class LabelPage(OpenPage):
    """The page with the steps of its user."""

    def node(self, answers: int) -> str:
        """Wait for the node after so many labels and return its id."""
        self.until(
            f"document.getElementById('counts').textContent.startsWith('{answers} label')"
            " && document.getElementById('node-title').textContent.startsWith('Node ')"
        )
        return self.page.inner_text("#node-title").removeprefix("Node ")

    def label(self, name: str) -> None:
        """Press the key of a class."""
        button = self.page.locator(f'#answers button[data-class="{name}"]')
        self.page.keyboard.press(button.get_attribute("aria-keyshortcuts"))

    def label_all(self, truth: Callable[[str], str], start: int, end: int) -> None:
        """Label the suggested nodes by keyboard until there are so many labels."""
        for count in range(start, end):
            self.label(truth(self.node(count)))

    def text(self, name: str) -> str:
        return self.page.inner_text(f"#{name}")

    def until_alert(self, start: str) -> None:
        """Wait for an alert that begins with a sentence."""
        self.until(f"document.getElementById('alert').textContent.startsWith('{start}')")


def truth_of(graph: Any) -> Callable[[str], str]:
    classes = {str(node): graph.classes[label] for node, label in zip(graph.ids, graph.y.tolist(), strict=True)}
    return classes.__getitem__


@pytest.fixture
def address(tmp_path) -> Iterator[str]:
    with served(new_workspace(tmp_path)) as found:
        yield found


def saved(folder: Path) -> dict[str, str]:
    graph = cold_graph()
    found = read_answers(folder / "labels.csv", graph)
    return {graph.ids[answer.node]: answer.label or answer.kind for answer in found}


def test_every_key_of_the_page(browser, address, tmp_path) -> None:
    opened = LabelPage(browser, address)
    first = opened.node(0)
    opened.label("green")
    second = opened.node(1)
    assert second != first
    opened.page.keyboard.press("0")
    opened.until("document.getElementById('counts').textContent.includes('1 not sure')")
    opened.page.keyboard.press("s")
    opened.until("document.getElementById('counts').textContent.includes('1 skipped')")
    opened.page.keyboard.press("u")
    opened.until("!document.getElementById('counts').textContent.includes('skipped')")
    fourth = opened.node(1)
    opened.page.keyboard.press("n")
    opened.page.keyboard.type("s u 1 pink")
    opened.page.keyboard.press("Enter")
    opened.node(2)
    # The new class has the next key.
    third = opened.node(2)
    opened.label("s u 1 pink")
    opened.node(3)
    assert saved(tmp_path) == {
        first: "green", second: "not sure", fourth: "s u 1 pink", third: "s u 1 pink",
    }  # fmt: skip
    assert opened.errors == []
    origin = address.split("/?")[0]
    assert all(url.startswith((origin, "data:", "blob:")) for url in opened.requests)


def test_two_windows_label_different_nodes(browser, address, tmp_path) -> None:
    left, right = LabelPage(browser, address), LabelPage(browser, address)
    one, other = left.node(0), right.node(0)
    assert one != other
    left.label("red")
    right.node(1)
    right.label("blue")
    left.node(2)
    assert saved(tmp_path) == {one: "red", other: "blue"}


@pytest.mark.skipif(not html.has_viewer(), reason="the viewer is not built: npm was not found")
def test_the_map_selects_the_node_and_a_selected_node_is_labelled_next(browser, address, tmp_path) -> None:
    opened = LabelPage(browser, address)
    first = opened.node(0)
    opened.until("window.highwayViewer?.ready")
    opened.until(f"window.highwayViewer.state().selected === '{first}'")
    other = next(node for node in cold_graph().ids if node != first)
    opened.page.evaluate(f"window.highwayViewer.select('{other}')")
    opened.until(f"document.getElementById('node-title').textContent === 'Node {other}'")
    assert opened.text("reason") == "Chosen by you."
    opened.label("red")
    assert opened.node(1) == first
    assert saved(tmp_path) == {other: "red"}


@pytest.fixture(scope="module")
def trained_address(tmp_path_factory) -> Iterator[str]:
    """Serve a session with nine labels, which suffice for folds."""
    folder, names = tmp_path_factory.mktemp("labels"), named_graph().classes
    rows = (f"n{20 * label + node},{name}\n" for label, name in enumerate(names) for node in range(3))
    (folder / "labels.csv").write_text("id,class\n" + "".join(rows))
    with served(new_workspace(folder)) as found:
        yield found


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_page_is_accessible_and_fits(browser, trained_address, width, scheme) -> None:
    opened = LabelPage(browser, trained_address, width, scheme, reduced_motion="reduce", bypass_csp=True)
    opened.node(9)
    opened.until("document.querySelector('#curve svg') !== null")
    opened.page.keyboard.press("n")
    assert opened.violations() == []
    assert opened.page.evaluate("document.documentElement.scrollWidth") <= width
    targets = opened.page.evaluate("[...document.querySelectorAll('#answers button')].map(b => b.offsetHeight)")
    assert min(targets) >= 44


def test_a_server_that_is_gone_is_one_sentence_and_the_page_recovers(browser, tmp_path) -> None:
    with served(new_workspace(tmp_path)) as address:
        opened = LabelPage(browser, address)
        opened.node(0)
    opened.until_alert("The server does not answer: start highway label again. Saved answers are kept.")


@contextmanager
def interrupted(browser: Any, folder: Path) -> Iterator[tuple[LabelPage, str, str]]:
    """Label two nodes, end the server, label one more, and yield the page, the port and the last node."""
    with served(new_workspace(folder)) as address:
        opened = LabelPage(browser, address)
        for count in range(2):
            opened.node(count)
            opened.label("red")
        last = opened.node(2)
    opened.until_alert("The server does not answer")
    opened.label("blue")
    opened.until_alert(f"The server does not answer: start highway label again. The answer to node {last} is kept")
    assert last not in saved(folder)
    yield opened, last, address.split("/?")[0].rsplit(":", 1)[1]


def test_a_page_goes_on_after_a_restart_and_its_answer_is_saved(browser, tmp_path) -> None:
    with interrupted(browser, tmp_path) as (opened, last, port), served(new_workspace(tmp_path), int(port)):
        assert opened.node(3) != last
        assert saved(tmp_path)[last] == "blue"
        assert opened.page.locator("#alert").is_hidden()
        # Answers of the first server can be undone.
        for count in (2, 1, 0):
            opened.page.keyboard.press("u")
            opened.node(count)
        assert saved(tmp_path) == {}


def test_a_page_with_the_token_of_before_names_the_new_address_where_its_answer_is_saved(browser, tmp_path) -> None:
    workspace, token = new_workspace(tmp_path), "another-token-of-the-tests"
    with interrupted(browser, tmp_path) as (opened, last, port), served(workspace, int(port), token) as address:
        opened.until_alert("highway label was started again with another token: open the address that it printed last.")
        assert last not in saved(tmp_path)
        # An answer of the same page to the node that it shows replaces the one before.
        opened.label("green")
        opened.until("Object.values(localStorage).some((text) => text.includes('green'))")
        other = LabelPage(browser, address, beside=opened)
        other.node(3)
        assert saved(tmp_path)[last] == "green"
        other.page.keyboard.press("u")
        assert other.node(2) == last
        opened.until_alert(
            "highway label was started again with another token: open the address that it printed last. Saved answers"
        )


def test_an_answer_that_is_not_saved_yet_is_undone(browser, tmp_path) -> None:
    with interrupted(browser, tmp_path) as (opened, last, port):
        opened.page.keyboard.press("u")
        opened.until(f"document.getElementById('saved').textContent.startsWith('Undone: the answer to node {last}')")
        with served(new_workspace(tmp_path), int(port)):
            opened.until("document.getElementById('alert').hidden")
            opened.node(2)
            assert last not in saved(tmp_path)


def test_an_answer_that_differs_from_one_in_the_meantime_is_not_saved(browser, tmp_path) -> None:
    with interrupted(browser, tmp_path) as (opened, last, port):
        workspace = new_workspace(tmp_path)
        workspace.session.give("w", int(last.removeprefix("n")), Given("label", "green"), None)
        with served(workspace, int(port)):
            opened.until_alert("This node was answered elsewhere in the meantime (green): look at it again.")
            opened.until(f"document.getElementById('node-title').textContent === 'Node {last}'")
            assert saved(tmp_path)[last] == "green"
            opened.label("blue")
            opened.until(f"document.getElementById('saved').textContent.endsWith('{last} is blue.')")
            assert saved(tmp_path)[last] == "blue"


def test_a_page_of_another_graph_is_loaded_again_and_its_answer_stays(browser, tmp_path) -> None:
    graph = cold_graph()
    graph.ids = [f"other{node}" for node in range(graph.num_nodes)]
    (tmp_path / "other").mkdir()
    with (
        interrupted(browser, tmp_path) as (opened, last, port),
        served(new_workspace(tmp_path / "other", graph), int(port)),
    ):
        # The page is loaded again meanwhile, so that no script can be evaluated.
        opened.page.locator("#node-title", has_text="Node other").wait_for(timeout=60_000)
        assert not (tmp_path / "other" / "labels.csv").exists()
        assert opened.page.evaluate(f"Object.values(localStorage).some((text) => text.includes('{last}'))")


@pytest.mark.slow
def test_twenty_nodes_of_cora_from_a_cold_start_and_on_after_a_kill(browser, tmp_path) -> None:
    file = tmp_path / "labels.csv"
    truth = truth_of(hg.load("cora"))
    options = ("cora", "--known", "none", "--labels", str(file))
    with labelling(*options) as (process, start):
        opened = LabelPage(browser, start["url"])
        opened.label_all(truth, 0, 20)
        opened.node(20)
        opened.until("document.querySelector('#curve svg') !== null", 240)
        assert "accuracy by folds" in opened.text("curve-text")
        process.send_signal(signal.SIGKILL)
        process.wait()
        opened.until("document.getElementById('alert').textContent.startsWith('The server does not answer')")
    points = (tmp_path / "labels.curve.jsonl").read_text().count("\n")
    with labelling(*options) as (process, start):
        assert start["answers"] == 20
        opened = LabelPage(browser, start["url"])
        assert opened.node(20)
        assert opened.page.locator("#curve circle").count() >= 1
        opened.label_all(truth, 20, 30)
        opened.node(30)
        opened.until("document.querySelectorAll('#curve circle').length > 1", 240)
        assert opened.errors == []
    assert (tmp_path / "labels.curve.jsonl").read_text().count("\n") > points
    graph = hg.with_labels(hg.load("cora"), file, known="none")
    assert int((graph.y >= 0).sum()) == 30
    # The suggestions find most classes soon.
    assert len(graph.classes) >= 6
