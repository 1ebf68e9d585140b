"""A run on tables behind its service, and requests that are malformed."""

import json
import random
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

import highwaygraph as hg
from highwaygraph.service.app import build_app
from highwaygraph.service.body import Limits
from tests.helpers.papers import write_papers

TOKEN = "a-token-of-the-tests"
AUTHORISED = {"Authorization": f"Bearer {TOKEN}"}
LIMITS = Limits(max_nodes=20, max_mib=0.05, timeout=30.0)
SHORT = {"fit.epochs": 4, "fit.min_epochs": 0, "highway.rounds": 1, "consistency.ramp": 2, "fit.device": "cpu"}
NODES = [
    {"id": "n0", "kind": "a", "text": "some words on 0 and 1", "score": 1},
    {"id": "n1", "kind": "b", "text": 'other words, in quotes: "2"', "score": 1.50},
    {"id": "n2", "kind": "unknown", "text": None},
    {"id": "n3", "kind": "c", "text": "some words on 1", "score": 2e0},
]
EDGES = [("n0", "p000"), ("n0", "p070"), ("n1", "p010"), ("n1", "p130"), ("n1", "n0"), ("n3", "p100"), ("n3", "ghost")]
NEW = {"nodes": NODES, "edges": [{"source": one, "target": other} for one, other in EDGES]}


def write_run(folder: Path, preset: str = "plus", text_encoder: Any = None, **changes: Any) -> Path:
    """Train a few epochs on two tables and write the run."""
    papers = hg.load(write_papers(folder / "papers"), label="topic", text_encoder=text_encoder)
    data = hg.split(papers, train=10, val=10, seed=0)
    config = hg.override(hg.PRESETS[preset], SHORT | changes)
    return hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False).save(folder / "run")


@cache
def opened_run() -> hg.Result:
    """Return the run as the service opens it."""
    with tempfile.TemporaryDirectory() as folder:
        return hg.open_run(write_run(Path(folder)))


def client(limits: Limits = LIMITS, result: hg.Result | None = None) -> TestClient:
    """Return a client that sends the token; an error of the service becomes a response with status 500."""
    app = build_app(result or opened_run(), TOKEN, limits)
    return TestClient(app, headers=AUTHORISED, raise_server_exceptions=False)


def write_new(folder: Path) -> str:
    """Write the new nodes and their edges as the two tables that `highway predict --attach` reads."""
    folder.mkdir(parents=True)
    rows = ["paper,kind,text,score"]
    for node in NODES:
        text = (node["text"] or "").replace('"', '""')
        rows.append(f'{node["id"]},{node["kind"]},"{text}",{json.dumps(node["score"]) if "score" in node else ""}')
    (folder / "nodes.csv").write_text("\n".join(rows) + "\n")
    (folder / "edges.csv").write_text("\n".join(["from,to", *(",".join(edge) for edge in EDGES)]) + "\n")
    return str(folder)


VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1e308, 10**40,
    "", " ", "x" * 300, "\ud800", "\x00", "\u202e", "=1+1", [], [1, "a"], [[1]], {}, {"a": 1},
)  # fmt: skip
DOCUMENTS: tuple[bytes, ...] = (
    b"", b" ", b"{", b"[", b"nul", b"\xff\xfe", b"\x00", b'{"ids": [NaN]}', b'{"ids": [Infinity]}', b"[" * 5000,
    b'{"ids": ["p000"], "ids": ["p001"]}', b"{'ids': []}", b'{"ids": ["p000"]} x', b"1e999", b"\x1f\x8b\x08\x00",
    b'{"nodes": [{"id": 1e999}]}', b'{"ids": ["\\ud800"]}', '{"ids": ["p000"]}'.encode("utf-16"), b'{"a":' * 3000,
)  # fmt: skip


def malformed(count: int, seed: int = 0) -> Iterator[bytes]:
    """Yield bodies that are no valid request: fixed ones, then valid ones that are cut, changed or given odd values."""
    yield from DOCUMENTS
    rng = random.Random(seed)
    for number in range(count - len(DOCUMENTS)):
        yield (_cut, _odd_document, _odd_cell)[number % 3](rng)


def _cut(rng: random.Random) -> bytes:
    body = bytearray(json.dumps(NEW).encode())
    for _ in range(rng.randint(1, 4)):
        body[rng.randrange(len(body))] = rng.randrange(256)
    return bytes(body[: rng.randrange(len(body) - 1)])


def _odd_document(rng: random.Random) -> bytes:
    """Return a document whose lists are something else, or hold something else, or that has other keys."""
    odd = rng.choice(VALUES)
    return json.dumps(
        rng.choice(
            [
                odd,
                {"ids": odd},
                {"ids": [odd]},
                {"nodes": odd},
                {"nodes": [odd]},
                {"nodes": NODES, "edges": [odd]},
                {"nodes": [{"id": odd}]},
                {"nodes": NODES, "edges": [{"source": "n0", "target": odd}]},
                {"ids": ["p000"], "more": odd},
                {**NEW, "ids": odd},
            ]
        )
    ).encode()


def _odd_cell(rng: random.Random) -> bytes:
    """Return new nodes with odd values in one column; some of these requests are valid."""
    column = rng.choice(["id", "kind", "text", "score", "paper", "label", "__index_level_0__", "\ud800", ""])
    nodes = [node | {column: rng.choice(VALUES)} for node in NODES]
    edges = [edge | {rng.choice(["weight", "w", "from", "x"]): rng.choice(VALUES)} for edge in NEW["edges"]]
    return json.dumps({"nodes": nodes, "edges": edges}).encode()
