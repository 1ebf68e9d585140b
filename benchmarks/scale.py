"""Graphs from a hundred thousand to ten million nodes: time and peak memory of each phase, and two processes."""

import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import torch

import highwaygraph as hg
from benchmarks import plain
from benchmarks.large import GraphSpec, write
from highwaygraph.graph.queries import adjacencies, hops_to_own_class, with_csr, with_edge_index
from highwaygraph.nn.batches import predict_logits
from highwaygraph.nn.features import prepare_features
from highwaygraph.runs.result import Result
from highwaygraph.runtime import distributed, environment
from highwaygraph.training.highways import choose_anchors, decide, propose
from highwaygraph.training.metrics import accuracy_by_distance
from highwaygraph.training.minibatches import minibatch_data

SIZES = (10**5, 10**6, 10**7)
ANCHORS = 50
MINI_BATCHES = {"fit.batch_size": 64, "fit.num_neighbors": (10, 10)}
RUN = MINI_BATCHES | {"highway.patience": 3, "fit.monitor": "loss", "fit.epochs": 60, "fit.patience": 20}
# Labelled nodes and batch size of the throughput measurement of several processes.
MANY, LARGE = 20_000, 512
# Repetitions of every size, and of one process and two: the speed of the machine varies within minutes.
REPETITIONS, PAIRS = 3, 5
# Passes over all nodes, of which the median is taken.
PASSES = 3


def phases(folder: Path) -> dict[str, Any]:
    """Return seconds and peak memory of every phase of a run on the graph in the folder."""
    found: dict[str, Any] = {}

    def phase(name: str, work: Any, times: int = 1) -> Any:
        before, times_taken, value = environment.reset_peak(), [], None
        for _ in range(times):
            value, start = None, time.perf_counter()
            value = work()
            times_taken.append(time.perf_counter() - start)
        peak = environment.peak_mib()
        found[name] = {"seconds": median(times_taken), "each": times_taken, "peak_mib": peak, "more_mib": peak - before}
        return value

    data = phase("open", lambda: hg.load(folder))
    marks: list[float] = []
    config = hg.override(hg.PRESETS["without-explicit"], MINI_BATCHES | {"fit.epochs": 6})
    result = phase("train", lambda: _train(data, config, marks))
    found["epoch"] = {"seconds": median(b - a for a, b in pairwise(marks))}
    model, features = result.model, prepare_features(result.model, data, config.fit)
    logits = phase("logits", lambda: predict_logits(model, features, data), PASSES)
    anchors = choose_anchors(data.y, data.train_mask, ANCHORS // (int(data.y.max()) + 1), torch.Generator())
    phase("proposals", lambda: _propose(logits, data, anchors), PASSES)
    phase("hops", lambda: hops_to_own_class(data), PASSES)
    return found | {"nodes": data.num_nodes, "edges": len(adjacencies(data)[0].col) // 2, "anchors": len(anchors)}


def median_of(repetitions: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the repetition of median time of every phase, with the times of all and the highest peak."""
    found = dict(repetitions[0])
    for name in (name for name, value in found.items() if isinstance(value, dict)):
        ranked = sorted((each[name] for each in repetitions), key=lambda phase: phase["seconds"])
        found[name] = ranked[len(ranked) // 2] | {"turns": [each[name]["seconds"] for each in repetitions]}
        for peak in ("peak_mib", "more_mib"):
            if peak in found[name]:
                found[name][peak] = max(each[name][peak] for each in repetitions)
    return found


def _write_seconds(folder: Path, nodes: int) -> float:
    start = time.perf_counter()
    write(folder, GraphSpec(nodes))
    return time.perf_counter() - start


def _train(data: Any, config: hg.Config, marks: list[float]) -> Result:
    model = hg.models.build("gcn", data)
    return hg.train(model, data, config, on_epoch=lambda _: marks.append(time.perf_counter()))


def _propose(logits: torch.Tensor, data: Any, anchors: torch.Tensor) -> int:
    predicted, confidence = decide(logits, data.y, data.train_mask)
    found = propose(logits, predicted, confidence, anchors, node_threshold=0.5, pair_threshold=0.9, joint=True)
    return found.edges.size(1)


def whole_run(folder: Path, preset: str, rounds: int) -> dict[str, Any]:
    """Return time, memory and accuracy by hops of a run of several rounds."""
    data, start = hg.load(folder), time.perf_counter()
    result = _train(data, hg.override(hg.PRESETS[preset], RUN | {"highway.rounds": rounds}), [])
    return {
        "preset": preset,
        "seconds": time.perf_counter() - start,
        "peak_mib": environment.peak_mib(),
        "test": result.test,
        "best_round": result.best_round,
        "rounds": [{"epochs": r.epochs, "edges": r.edges_added, "seconds": r.seconds} for r in result.rounds],
        "hops": [h._asdict() for h in accuracy_by_distance(data, result.logits)],
    }


def parallel_epoch(folder: Path) -> dict[str, Any]:
    """Return the median seconds of an epoch over many labelled nodes, in a process of torchrun."""
    marks: list[float] = []
    with distributed.process_group():
        data = hg.load(folder)
        fit = {"fit.batch_size": LARGE, "fit.num_neighbors": (10, 10), "fit.epochs": 5}
        _train(data, hg.override(hg.PRESETS["typical"], fit), marks)
        seconds = median(b - a for a, b in pairwise(marks))
        return {"world": distributed.world_size(), "rank": distributed.rank(), "seconds": seconds}


def sampling(folder: Path) -> dict[str, Any]:
    """Return the seconds of sampling the subgraphs of all labelled nodes, without training."""
    data = hg.load(folder)
    model = hg.models.build("gcn", data)
    config = hg.override(hg.PRESETS["typical"], {"fit.batch_size": LARGE, "fit.num_neighbors": (10, 10)})
    round_data = minibatch_data(model, prepare_features(model, data, config.fit), with_csr(data), config, 1)  # type: ignore[arg-type]
    # Warm-up: afterwards the pages of the graph are cached.
    for _ in round_data.batches(1):
        pass
    start = time.perf_counter()
    count = sum(len(batch.labels) for batch in round_data.batches(2))
    return {"nodes": data.num_nodes, "labels": count, "seconds": time.perf_counter() - start}


def full_batch(folder: Path) -> dict[str, Any]:
    """Return the seconds of a full-batch epoch of the plain PyG loop."""
    data = with_edge_index(hg.load(folder))
    seconds = plain.train(data, "gcn", 0, epochs=3, patience=3)
    return {"nodes": data.num_nodes, "seconds": median(seconds[1:]), "peak_mib": environment.peak_mib()}


def isolated(arguments: list[str], processes: int = 1) -> dict[str, Any]:
    """Return the result of one measurement in separate processes of one thread each."""
    start = [sys.executable, "-m"]
    if processes > 1:
        start += ["torch.distributed.run", "--standalone", f"--nproc-per-node={processes}", "-m"]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "result.json"
        env = os.environ | {"OMP_NUM_THREADS": "1"}
        subprocess.run(
            [*start, "benchmarks.scale", str(out), *arguments], env=env, check=True, stderr=subprocess.DEVNULL
        )
        result: dict[str, Any] = json.loads(out.read_text())
        return result


def measure(report: Any) -> dict[str, Any]:
    """Return all measurements; the graphs are written once, to the folder of HIGHWAYGRAPH_SCRATCH if it is set."""
    scratch = Path(os.environ.get("HIGHWAYGRAPH_SCRATCH", tempfile.gettempdir())) / "highwaygraph-scale"
    found: dict[str, Any] = {"phases": [], "runs": [], "together": []}
    written = {nodes: _write_seconds(scratch / str(nodes), nodes) for nodes in SIZES}
    # The sizes alternate.
    repetitions = [
        {nodes: isolated(["phases", str(scratch / str(nodes))]) for nodes in SIZES} for _ in range(REPETITIONS)
    ]
    for nodes in SIZES:
        row = median_of([each[nodes] for each in repetitions]) | {"made": written[nodes]}
        found["phases"].append(row)
        report(f"{nodes:,} nodes: epoch {row['epoch']['seconds']:.2f} s, logits {row['logits']['seconds']:.1f} s")
    for nodes, preset, rounds in ((10**6, "typical", 1), (10**6, "full", 3), (10**7, "full", 2)):
        row = isolated(["whole", str(scratch / str(nodes)), preset, str(rounds)]) | {"nodes": nodes}
        found["runs"].append(row)
        report(f"{nodes:,} nodes, {preset}: {row['seconds']:.0f} s, {row['peak_mib']:.0f} MiB, test {row['test']:.4f}")
    many = write(scratch / "many", GraphSpec(10**6, labels=MANY // 10))
    for processes in (1, 2) * PAIRS:
        found["together"].append(isolated(["together", str(many)], processes))
        report(f"{processes} processes: an epoch in {found['together'][-1]['seconds']:.2f} s")
    found["loader"], found["plain"] = (
        isolated(["loader", str(many)]),
        isolated(["plain", str(scratch / str(10**5))]),
    )
    report(f"loader {found['loader']['seconds']:.2f} s, a plain epoch {found['plain']['seconds']:.2f} s")
    return found


def main() -> None:
    """Run the measurement named on the command line and write its result."""
    torch.set_num_threads(1)
    environment.keep_freed_memory()
    out, name, folder, *more = sys.argv[1:]
    parts = {"phases": phases, "whole": whole_run, "together": parallel_epoch, "loader": sampling, "plain": full_batch}
    found = parts[name](Path(folder), *(int(word) if word.isdigit() else word for word in more))  # type: ignore[operator]
    if found.get("rank", 0) == 0:
        Path(out).write_text(json.dumps(found))


if __name__ == "__main__":
    main()
