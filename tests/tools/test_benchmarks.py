"""That the benchmarks measure what they say; how fast anything is, is not tested here."""

import math
import os
from dataclasses import replace

import pytest
import torch

import highwaygraph as hg
from benchmarks import ours, plain, scale
from benchmarks.accuracy import ThroughPyG
from benchmarks.breakdown import stopwatches
from benchmarks.generate import generate
from benchmarks.growth import explicit, slope
from benchmarks.large import World, write
from benchmarks.speed import Training
from benchmarks.workers import Worker
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import degrees, homophily, hops_from
from highwaygraph.models import build
from highwaygraph.presets import PRESETS
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph


def test_generated_graphs_have_the_truth_they_promise() -> None:
    data = generate(3000, degree=10, features=16, classes=4, labels=50)
    assert data.edge_index.size(1) == pytest.approx(30_000, rel=0.01)
    assert homophily(data) == pytest.approx(0.8 + 0.2 / 4, abs=0.02)
    assert [int(data[f"{name}_mask"].sum()) for name in ("train", "val", "test")] == [200, 200, 2600]
    assert torch.equal(data.edge_index, generate(3000, degree=10, features=16, classes=4, labels=50).edge_index)


def test_large_graphs_are_the_same_however_often_they_are_made(tmp_path) -> None:
    world = World(3000, degree=10, features=8, classes=4, labels=10, community=50)
    data, again = (hg.load(write(tmp_path / name, world)) for name in "ab")
    assert data.digest == again.digest != hg.load(write(tmp_path / "c", replace(world, seed=1))).digest
    assert data.y.tolist() == world.truth.tolist()
    assert [int(data[f"{name}_mask"].sum()) for name in ("train", "val", "test")] == [40, 40, 2920]
    # Communities are of one class: what stays within, and by chance what does not.
    assert homophily(data) == pytest.approx(world.within + (1 - world.within) / 4, abs=0.06)
    degree = degrees(data).double()
    assert float(degree.mean()) == pytest.approx(world.degree, rel=0.1)
    assert float(degree.max()) > 3 * float(degree.mean())


def test_a_large_graph_is_further_across_than_one_of_chance(tmp_path) -> None:
    local, mixed = (
        hg.load(write(tmp_path / name, World(20_000, features=2, labels=2, astray=share)))
        for name, share in (("local", 0.0), ("mixed", 0.3))
    )
    near, far = (hops_from(data, data.train_mask.nonzero().flatten()[:1]).max() for data in (mixed, local))
    assert int(far) > 1.5 * int(near)


def test_phases_and_runs_are_measured(tmp_path) -> None:
    folder = write(tmp_path / "graph", World(2000, features=8, classes=4, labels=10, community=50))
    found = scale.phases(folder)
    assert {"open", "train", "logits", "proposals", "hops"} <= found.keys()
    assert found["nodes"] == 2000
    assert found["anchors"] == 40
    ran = scale.whole(folder, "typical", 1)
    assert ran["test"] > 0.5
    assert [h["hops"] for h in ran["hops"]][-1] == "all"
    assert scale.loader(folder)["labels"] == 40
    assert scale.full_batch(folder)["seconds"] > 0


def test_slope_of_a_power_law() -> None:
    points = [{"n": n, "s": 3 * n**1.5, "peak_mib": 1.0} for n in (10, 100, 1000)]
    assert slope(points, "n", "s") == pytest.approx(1.5)
    assert math.isnan(slope(points, "n", "peak_mib"))


def grow(data: Graph, mebibytes: int) -> int:
    return int(torch.ones(mebibytes * 2**18).sum()) + data.num_nodes


def variable(data: Graph, name: str) -> str | None:
    return os.environ.get(name)


def test_a_worker_answers_and_tells_its_peak() -> None:
    worker = Worker(block_graph)
    assert worker(grow, 64) == 64 * 2**18 + 180
    with pytest.raises(RuntimeError):
        worker(grow, -1)
    assert 60 < worker.peak() < 120


def test_both_sides_train_as_long_as_they_are_told() -> None:
    data = block_graph()
    assert len(plain.train(data, "gcn", seed=0, epochs=4, patience=9)) == 4
    assert len(ours.epochs(data, "gcn", "typical", 4)) == 3
    assert ours.run(data, "gcn", "full", 0) > 0
    assert explicit(data) > 0
    assert Training(data, "gat", "without-explicit").epoch() > 0


def test_through_pyg_takes_the_other_path_to_the_same_place() -> None:
    data = block_graph()
    network = build("gcn", data)
    prepared, through = (train(m, data, PRESETS["full"], seed=0) for m in (network, ThroughPyG(network)))
    assert not torch.equal(prepared.logits, through.logits)
    assert abs(prepared.test - through.test) < 0.1


def test_stopwatches_put_everything_back() -> None:
    before = math.sqrt
    with stopwatches(roots=(math, "sqrt")) as spent:
        assert math.sqrt(4) == 2
    assert spent["roots"] > 0
    assert math.sqrt is before


def test_a_worker_starts_with_its_variables_and_leaves_ours_alone() -> None:
    worker = Worker(block_graph, {"HIGHWAYGRAPH_PROBE": "yes"})
    assert worker(variable, "HIGHWAYGRAPH_PROBE") == "yes"
    assert "HIGHWAYGRAPH_PROBE" not in os.environ
    worker.peak()
