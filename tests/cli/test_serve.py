"""`highway serve` as a process: start, requests, and its end at SIGTERM."""

import http.client
import json
import signal
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

pytest.importorskip("starlette", reason="starlette is not installed")
pytest.importorskip("uvicorn", reason="uvicorn is not installed")
from highwaygraph.data.tables import text_models
from highwaygraph.service.server import listen
from tests.helpers.cli import run
from tests.helpers.service import NEW, TOKEN, write_run
from tests.helpers.serving import served
from tests.helpers.text_models import model2vec_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return write_run(tmp_path_factory.mktemp("service"))


@contextmanager
def connected(start: dict[str, str]) -> Iterator[http.client.HTTPConnection]:
    """Yield a connection to the service."""
    connection = http.client.HTTPConnection(urlsplit(start["url"]).netloc, timeout=60)
    with closing(connection):
        yield connection


def test_a_process_answers_drains_and_exits_with_0(folder) -> None:
    with served(folder) as (process, start), connected(start) as connection, connected(start) as other:
        assert start["nodes"] == 180
        connection.request("GET", "/health")
        assert json.loads(connection.getresponse().read()) == {"status": "ok", "nodes": 180}
        token, body = f"Bearer {start['token']}", json.dumps(NEW).encode()
        connection.putrequest("POST", "/predict")
        connection.putheader("Authorization", token)
        connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body[:10])
        # An answer to another connection shows that the first request has begun before the signal comes.
        other.request("GET", "/metrics", headers={"Authorization": token})
        assert other.getresponse().read().startswith(b"# HELP")
        process.send_signal(signal.SIGTERM)
        connection.send(body[10:])
        answer = connection.getresponse()
        assert (answer.status, len(json.loads(answer.read())["predictions"])) == (200, 4)
        assert process.wait(30) == 0
        assert process.stderr.read() == ""


def test_a_token_of_the_environment_is_not_printed(folder) -> None:
    with served(folder, HIGHWAYGRAPH_TOKEN=TOKEN) as (process, start), connected(start) as connection:
        assert start.keys() == {"url", "nodes"}
        connection.request("GET", "/nodes/p000", headers={"Authorization": f"Bearer {TOKEN}"})
        answer = connection.getresponse()
        assert (answer.status, json.loads(answer.read())["id"]) == (200, "p000")
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0


def test_the_sender_of_a_body_above_the_limit_sees_the_answer(folder) -> None:
    with served(folder, "--max-mib", "0.01") as (_, start), connected(start) as connection:
        connection.request("POST", "/predict", b" " * 2**22, {"Authorization": f"Bearer {start['token']}"})
        answer = connection.getresponse()
        assert (answer.status, "send fewer nodes at once" in json.loads(answer.read())["error"]) == (413, True)


def test_a_moved_text_model_is_refused_at_the_start_and_named_with_text(capsys, tmp_path) -> None:
    source = model2vec_folder(tmp_path / "model")
    folder = write_run(tmp_path, text_encoder=source)
    text_models._open_named.cache_clear()
    (tmp_path / "model").rename(tmp_path / "moved")
    code, out, err = run(capsys, "serve", str(folder), "--port", "0")
    assert (code, out) == (2, "")
    assert "name the place of the model with --text model2vec:PATH" in err
    other = model2vec_folder(tmp_path / "other", seed=1)
    assert "has other weights" in run(capsys, "serve", str(folder), "--port", "0", "--text", other)[2]
    with served(folder, "--text", f"model2vec:{tmp_path / 'moved'}") as (_, start), connected(start) as connection:
        connection.request("POST", "/predict", json.dumps(NEW), {"Authorization": f"Bearer {start['token']}"})
        answer = connection.getresponse()
        assert (answer.status, len(json.loads(answer.read())["predictions"])) == (200, 4)


def test_a_run_whose_text_was_encoded_by_a_function_serves_its_own_nodes(tmp_path) -> None:
    folder = write_run(tmp_path, text_encoder=lambda texts: [[len(text), 1.0] for text in texts])
    with served(folder) as (process, start), connected(start) as connection:
        connection.request("GET", "/nodes/p000", headers={"Authorization": f"Bearer {start['token']}"})
        assert connection.getresponse().status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
        assert "New nodes are not supported: the text of this run was encoded by function:" in process.stderr.read()


def test_text_without_a_column_that_it_encodes_is_refused(capsys, folder) -> None:
    code, _, err = run(capsys, "serve", str(folder), "--text", "model2vec:x")
    assert (code, "no column that a text encoder reads: leave out --text" in err) == (2, True)


def test_a_port_in_use_ends_with_a_sentence(capsys, folder) -> None:
    with listen("127.0.0.1", 0) as place:
        code, out, err = run(capsys, "serve", str(folder), "--port", str(place.getsockname()[1]))
    assert (code, out, err.startswith("Cannot listen on port"), err.count("\n")) == (1, "", True, 1)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--token", "short"), "A token has at least 16"),
        (("--port", "70000"), "--port is at most 65535"),
        (("--max-nodes", "0"), "max-nodes"),
        (("--timeout", "inf"), "are finite numbers"),
        (("--max-mib", "nan"), "max-mib"),
    ],
)
def test_wrong_options_are_refused(capsys, folder, options, sentence) -> None:
    code, _, err = run(capsys, "serve", str(folder), *options)
    assert (code, sentence in err) == (2, True)


def test_a_folder_without_a_run_is_refused(capsys, tmp_path) -> None:
    assert run(capsys, "serve", str(tmp_path))[0] == 2
