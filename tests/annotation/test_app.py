"""The page over HTTP: the token, answers, conflicts and malformed requests."""

import time

import pytest

from highwaygraph.data.label_file import read_answers
from tests.helpers.annotation import TOKEN, client, cold_graph, new_workspace


@pytest.fixture
def http(tmp_path):
    with client(new_workspace(tmp_path)) as http:
        yield http


def suggested(http, window: str = "w") -> dict:
    for _ in range(600):
        state = http.get("/api/state", params={"window": window}).json()
        if state["current"]:
            return state["current"]
        time.sleep(0.05)
    raise AssertionError(state)


def answer(http, node: int, name: str, window: str = "w", seen=None):
    body = {"window": window, "node": node, "answer": "label", "class": name, "seen": seen}
    return http.post("/api/answer", json=body)


@pytest.mark.parametrize(
    "address", ["/", "/?token=", f"/?token={TOKEN}x", "/?token=%ff", "/?other=1", "/api/state?token=" + TOKEN]
)
def test_a_wrong_token_is_one_sentence(http, address) -> None:
    http.headers.clear()
    found = http.get(address)
    assert found.status_code == 401
    assert found.json()["error"].startswith("The token in the address is missing or wrong: open the whole address")
    assert http.post(f"/?token={TOKEN}").status_code == 401
    assert http.get("/health").status_code == 200


def test_the_address_with_the_token_opens_the_page(http) -> None:
    http.headers.clear()
    found = http.get(f"/?token={TOKEN}")
    assert (found.status_code, found.headers["cache-control"]) == (200, "no-store")
    assert "graph-viewer" in found.text
    # The page sends it as a header.
    assert TOKEN not in found.text


def test_answers_are_saved_and_the_next_node_comes(http, tmp_path) -> None:
    first = suggested(http)
    assert first["reason"]
    state = answer(http, first["node"], "red").json()
    assert (state["labels"], state["current"] and state["current"]["node"] != first["node"]) == (1, True)
    assert read_answers(tmp_path / "labels.csv", cold_graph())[0][:3] == (first["node"], "label", "red")
    back = http.post("/api/undo", json={"window": "w"}).json()
    assert (back["labels"], back["current"]["node"], back["current"]["answer"]) == (0, first["node"], None)
    assert http.post("/api/undo", json={"window": "w"}).status_code == 409


def test_two_windows_get_different_nodes_and_do_not_overwrite_each_other(http) -> None:
    one, other = suggested(http, "left"), suggested(http, "right")
    assert one["node"] != other["node"]
    assert answer(http, one["node"], "red", "left").status_code == 200
    refused = answer(http, one["node"], "blue", "right")
    assert (refused.status_code, "(red)" in refused.json()["error"]) == (409, True)
    shown = http.get("/api/state", params={"window": "right", "node": one["node"]}).json()["current"]["answer"]
    assert answer(http, one["node"], "blue", "right", seen=shown).status_code == 200


def test_the_map_follows(http) -> None:
    answer(http, 7, "pink")
    columns = http.get("/api/map").json()
    assert (columns["labelled_nodes"], columns["classes"][-1]) == ([7], "pink")
    assert http.post("/api/retrain", json={"window": "w"}).status_code == 200


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 400), (b"{", 400), (b"[]", 422), (b"null", 422), (b'{"window": "w"}', 422), (b"\xff", 400),
        (b'{"window": "w", "node": 1e99, "answer": "label", "class": "red"}', 422),
        (b'{"window": "w", "node": 60, "answer": "label", "class": "red"}', 422),
        (b'{"window": "w", "node": 1, "answer": "label", "class": "\\ud800"}', 422),
        (b" " * 200_000, 413),
    ],
)  # fmt: skip
def test_malformed_answers_are_refused_with_a_sentence(http, tmp_path, body, status) -> None:
    found = http.post("/api/answer", content=body)
    assert (found.status_code, found.json()["error"][-1]) == (status, ".")
    assert not (tmp_path / "labels.csv").exists()


def test_a_page_of_another_label_file_changes_nothing(http, tmp_path) -> None:
    answer(http, 7, "pink")
    before = (tmp_path / "labels.csv").read_bytes()
    for path, more in (("answer", {"node": 7, "answer": "skipped", "seen": None}), ("undo", {}), ("retrain", {})):
        found = http.post(f"/api/{path}", json={"window": "w", "answers": "of-another-file", **more})
        sentence = "This page is about another graph or label file: reload it."
        assert (found.status_code, found.json()["error"]) == (410, sentence)
    assert (tmp_path / "labels.csv").read_bytes() == before
    own = http.get("/api/state", params={"window": "w"}).json()["answers"]
    assert http.post("/api/undo", json={"window": "w", "answers": own}).status_code == 200


def test_other_requests_are_refused(http) -> None:
    assert http.get("/api/state").status_code == 422
    assert http.get("/api/state", params={"window": "w", "node": "x"}).status_code == 422
    assert http.get("/else").status_code == 404
    assert http.get("/api/answer").status_code == 405
