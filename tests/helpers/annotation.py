"""A labelling session on a small graph, with a page behind a test client, or as a process."""

import http.client
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.testclient import TestClient

import highwaygraph as hg
from highwaygraph.annotation.app import build_app
from highwaygraph.annotation.label_store import LabelStore
from highwaygraph.annotation.scores import train_and_score
from highwaygraph.annotation.session import Session
from highwaygraph.annotation.workspace import Choices, Workspace
from highwaygraph.data.label_file import hide_labels
from highwaygraph.graph.graph import Graph
from tests.helpers.graphs import block_graph

TOKEN = "a-token-of-the-tests"
NAMES = ["red", "green", "blue"]
QUICK = hg.override(hg.PRESETS["typical"], {"fit.epochs": 5, "fit.min_epochs": 0, "fit.device": "cpu"})
TRAIN = partial(train_and_score, hg.Network(hidden=4), QUICK)


def named_graph() -> Graph:
    """Return a small graph with ids of text, names of classes and a text per node."""
    graph = block_graph(size=20)
    graph.ids = [f"n{node}" for node in range(graph.num_nodes)]
    graph.classes, graph.name = list(NAMES), "blocks"
    graph.attributes = {"text": [f"a text on {NAMES[label]}" for label in graph.y.tolist()]}
    return graph


def cold_graph() -> Graph:
    """Return the same graph without labels; the names of the classes stay."""
    return hide_labels(named_graph(), "none")


def new_session(folder: Path, graph: Graph | None = None) -> Session:
    """Return a session that writes labels.csv."""
    return Session(LabelStore(folder / "labels.csv", graph or cold_graph()), NAMES)


def new_workspace(folder: Path, graph: Graph | None = None, **choices: Any) -> Workspace:
    """Return a workspace that writes labels.csv and trains for a few epochs."""
    graph = graph or cold_graph()
    return Workspace(graph, LabelStore(folder / "labels.csv", graph), Choices(**({"train": TRAIN} | choices)))


@contextmanager
def client(workspace: Workspace) -> Iterator[TestClient]:
    """Start the page and yield a client that sends the token."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with TestClient(build_app(workspace, TOKEN), headers=headers, raise_server_exceptions=False) as http:
        yield http


@contextmanager
def labelling(*arguments: str, folder: Path | None = None) -> Iterator[tuple["subprocess.Popen[str]", dict[str, Any]]]:
    """Start `highway label` on a free port and yield its process and its first output; kill it at the end."""
    words = [sys.executable, "-m", "highwaygraph", "label", *arguments, "--port", "0", "--json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": folder}
    with subprocess.Popen(words, env=os.environ | {"HIGHWAYGRAPH_TOKEN": TOKEN}, text=True, **pipes) as process:
        try:
            lines = iter(process.stdout.readline, "}\n")
            yield process, json.loads("".join(lines) + "}")
        finally:
            process.kill()


def label_and_stop(folder: Path, *arguments: str) -> None:
    """Start the command of a page, label eight unlabelled nodes in order, and end it by SIGTERM."""
    with labelling(*arguments, folder=folder) as (process, start):
        url, state = urlsplit(start["url"]), None
        with closing(http.client.HTTPConnection(url.hostname, url.port, timeout=120)) as connection:
            for number in range(8):
                while state is None or not state["current"]:
                    state = _request(connection, "GET", "/api/state?window=w")
                name = state["classes"][number % 2]["name"]
                answer = {"window": "w", "node": state["current"]["node"], "answer": "label", "class": name}
                state = _request(connection, "POST", "/api/answer", answer)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        assert "8 answers are in" in process.stderr.read()


def _request(connection: http.client.HTTPConnection, method: str, path: str, body: Any = None) -> dict[str, Any]:
    connection.request(method, path, json.dumps(body) if body else None, {"Authorization": f"Bearer {TOKEN}"})
    response = connection.getresponse()
    found = json.loads(response.read())
    assert response.status == 200, found
    return found
