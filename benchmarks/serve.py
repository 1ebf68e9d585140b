"""Load test of `highway serve` in a process of its own: requests per second, latency, memory, malformed requests."""

import http.client
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import urlsplit

import highwaygraph as hg

# Ten thousand valid requests; those for new nodes predict the whole graph each time.
COUNTS = {"new node": 2_000, "10 ids": 8_000, "malformed": 1_000}
CLIENTS = 4
NODES, WARM_UP = 2_000, 100
TOKEN = "a-token-of-the-benchmark"
HEADERS = {"Authorization": f"Bearer {TOKEN}"}


def write_tables(folder: Path, nodes: int, seed: int = 0) -> None:
    """Write a graph of three classes: numbers, a category and a text per node, and edges mostly within a class."""
    rng = random.Random(seed)
    folder.mkdir()
    rows = [
        f"v{i},{i % 3},{rng.gauss(i % 3, 1):.3f},{'abc'[i % 3]},words on {i % 3} and {i % 50}" for i in range(nodes)
    ]
    (folder / "nodes.csv").write_text("\n".join(["id,label,score,kind,text", *rows]) + "\n")
    ends = [(i, (i + 3 * rng.randrange(nodes // 3) + (rng.random() < 0.1)) % nodes) for i in range(nodes) for _ in "ab"]
    (folder / "edges.csv").write_text("\n".join(["source,target", *(f"v{a},v{b}" for a, b in ends)]) + "\n")


def save_run(folder: Path) -> Path:
    """Train the default preset for a few epochs and write the run."""
    write_tables(folder / "tables", NODES)
    data = hg.split(hg.load(folder / "tables"), train=20, val=30, seed=0)
    config = hg.override(hg.PRESETS["plus"], {"fit.epochs": 20, "highway.rounds": 2})
    return hg.train(hg.models.build("gcn", data), data, config, seed=0).save(folder / "run")


@contextmanager
def served(run: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the service with one thread of torch; yield its process and its address, and end it by SIGTERM."""
    words = [sys.executable, "-m", "highwaygraph", "serve", str(run), "--port", "0", "--json"]
    variables = os.environ | {"HIGHWAYGRAPH_TOKEN": TOKEN, "OMP_NUM_THREADS": "1"}
    with subprocess.Popen(words, env=variables, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        start = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
        yield process, urlsplit(start["url"]).netloc
        process.send_signal(signal.SIGTERM)
        if process.wait(60):
            raise RuntimeError(f"The service ended with {process.returncode}.")


def rss_mib(process: subprocess.Popen[str]) -> float:
    """Return the resident memory of a process."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS"))


def cpu_seconds(process: subprocess.Popen[str]) -> float:
    """Return the processor time that a process has used; unlike latency, other processes hardly change it."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def new_nodes(number: int) -> bytes:
    """Return a request for one new node with three edges."""
    node = {"id": f"n{number}", "score": number % 3, "kind": "abc"[number % 3], "text": f"words on {number % 3}"}
    edges = [{"source": node["id"], "target": f"v{(number + 3 * i) % NODES}"} for i in range(3)]
    return json.dumps({"nodes": [node], "edges": edges}).encode()


def known_nodes(number: int) -> bytes:
    """Return a request for ten nodes of the run."""
    return json.dumps({"ids": [f"v{(number + i) % NODES}" for i in range(10)]}).encode()


def malformed(number: int) -> bytes:
    """Return a request for new nodes that is cut, or has some bytes changed."""
    rng, body = random.Random(number), bytearray(new_nodes(number))
    for _ in range(3):
        # Printable characters leave more of the JSON valid.
        body[rng.randrange(len(body))] = rng.randrange(256) if number % 4 else rng.randrange(32, 127)
    return bytes(body[: rng.randrange(len(body))] if number % 2 else body)


def send(netloc: str, bodies: list[bytes]) -> list[tuple[int, float]]:
    """Send requests over one connection and return the status and the seconds of each."""
    found = []
    with closing(http.client.HTTPConnection(netloc, timeout=120)) as connection:
        for body in bodies:
            start = time.perf_counter()
            connection.request("POST", "/predict", body, HEADERS)
            answer = connection.getresponse()
            answer.read()
            found.append((answer.status, time.perf_counter() - start))
    return found


def load(netloc: str, bodies: list[bytes]) -> dict[str, Any]:
    """Send requests by several clients at once and return the rate, the latencies and the statuses."""
    start = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        parts = pool.map(send, [netloc] * CLIENTS, [bodies[i::CLIENTS] for i in range(CLIENTS)])
        found = [one for part in parts for one in part]
    seconds = sorted(one for _, one in found)
    return {
        "requests": len(found),
        "clients": CLIENTS,
        "per_s": len(found) / (time.perf_counter() - start),
        "p50_ms": 1000 * median(seconds),
        "p99_ms": 1000 * seconds[int(0.99 * (len(seconds) - 1))],
        "statuses": {str(status): count for status, count in sorted(Counter(status for status, _ in found).items())},
    }


def measure(report: Any, counts: Mapping[str, int] = COUNTS) -> list[dict[str, Any]]:
    """Return one row per kind of request, with the memory of the service before and after."""
    bodies = {"new node": new_nodes, "10 ids": known_nodes, "malformed": malformed}
    rows = []
    with tempfile.TemporaryDirectory() as folder, served(save_run(Path(folder))) as (process, netloc):
        # The first requests fit the baselines and fill the memory that later ones use again.
        load(netloc, [new_nodes(i) for i in range(WARM_UP)])
        for name, count in counts.items():
            before, start = rss_mib(process), cpu_seconds(process)
            row = {"kind": name, "nodes": NODES} | load(netloc, [bodies[name](i) for i in range(count)])
            row |= {"cpu_ms": 1000 * (cpu_seconds(process) - start) / count}
            row |= {"before_mib": before, "after_mib": rss_mib(process)}
            if any(int(status) >= 500 for status in row["statuses"]):
                raise RuntimeError(f"The service failed on requests: {row['statuses']}.")
            rows.append(row)
            report(
                f"{name}: {row['per_s']:.0f} requests/s, p50 {row['p50_ms']:.0f} ms, p99 {row['p99_ms']:.0f} ms, "
                f"{row['cpu_ms']:.1f} ms of processor time, "
                f"{before:.0f} MiB before and {row['after_mib']:.0f} MiB after {count:,} requests, {row['statuses']}"
            )
    return rows
