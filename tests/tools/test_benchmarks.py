"""Tests of the benchmarks: generated graphs and measurements, not speeds."""

import math
import os
from dataclasses import replace

import pytest
import torch

import highwaygraph as hg
from benchmarks import modules, ours, plain, scale
from benchmarks.accuracy import ThroughPyG
from benchmarks.breakdown import accumulate_time
from benchmarks.generate import generate
from benchmarks.growth import explicit, slope
from benchmarks.large import GraphSpec, write
from benchmarks.speed import Training
from benchmarks.workers import Worker
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import degrees, homophily, hops_from
from highwaygraph.models import build
from highwaygraph.presets import PRESETS
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph


def test_generated_graphs_have_the_homophily_and_split_given() -> None:
    data = generate(3000, degree=10, features=16, classes=4, labels=50)
    assert data.edge_index.size(1) == pytest.approx(30_000, rel=0.01)
    assert homophily(data) == pytest.approx(0.8 + 0.2 / 4, abs=0.02)
    assert [int(data[f"{name}_mask"].sum()) for name in ("train", "val", "test")] == [200, 200, 2600]
    assert torch.equal(data.edge_index, generate(3000, degree=10, features=16, classes=4, labels=50).edge_index)


def test_large_graphs_are_reproducible(tmp_path) -> None:
    spec = GraphSpec(3000, degree=10, features=8, classes=4, labels=10, community=50)
    data, again = (hg.load(write(tmp_path / name, spec)) for name in "ab")
    assert data.digest == again.digest != hg.load(write(tmp_path / "c", replace(spec, seed=1))).digest
    assert data.y.tolist() == spec.classes_of_nodes.tolist()
    assert [int(data[f"{name}_mask"].sum()) for name in ("train", "val", "test")] == [40, 40, 2920]
    # Communities are of one class: edges within, and by chance some between them.
    assert homophily(data) == pytest.approx(spec.within + (1 - spec.within) / 4, abs=0.06)
    degree = degrees(data).double()
    assert float(degree.mean()) == pytest.approx(spec.degree, rel=0.1)
    assert float(degree.max()) > 3 * float(degree.mean())


def test_local_edges_give_a_larger_diameter_than_random_ones(tmp_path) -> None:
    local, mixed = (
        hg.load(write(tmp_path / name, GraphSpec(20_000, features=2, labels=2, random=share)))
        for name, share in (("local", 0.0), ("mixed", 0.3))
    )
    near, far = (hops_from(data, data.train_mask.nonzero().flatten()[:1]).max() for data in (mixed, local))
    assert int(far) > 1.5 * int(near)


def test_phases_and_runs_are_measured(tmp_path) -> None:
    folder = write(tmp_path / "graph", GraphSpec(2000, features=8, classes=4, labels=10, community=50))
    found = scale.phases(folder)
    assert {"open", "train", "logits", "proposals", "hops"} <= found.keys()
    assert found["nodes"] == 2000
    assert found["anchors"] == 40
    ran = scale.whole_run(folder, "typical", 1)
    assert ran["test"] > 0.5
    assert [h["hops"] for h in ran["hops"]][-1] == "all"
    assert scale.sampling(folder)["labels"] == 40
    assert scale.full_batch(folder)["seconds"] > 0


def test_slope_of_a_power_law() -> None:
    points = [{"n": n, "s": 3 * n**1.5, "peak_mib": 1.0} for n in (10, 100, 1000)]
    assert slope(points, "n", "s") == pytest.approx(1.5)
    assert math.isnan(slope(points, "n", "peak_mib"))


def grow(data: Graph, mebibytes: int) -> int:
    return int(torch.ones(mebibytes * 2**18).sum()) + data.num_nodes


def variable(data: Graph, name: str) -> str | None:
    return os.environ.get(name)


def test_a_worker_returns_results_and_its_peak_memory() -> None:
    worker = Worker(block_graph)
    assert worker(grow, 64) == 64 * 2**18 + 180
    with pytest.raises(RuntimeError):
        worker(grow, -1)
    assert 60 < worker.peak() < 120


def test_both_sides_train_the_number_of_epochs_given() -> None:
    data = block_graph()
    assert len(plain.train(data, "gcn", seed=0, epochs=4, patience=9)) == 4
    assert len(ours.epochs(data, "gcn", "typical", 4)) == 3
    assert ours.run(data, "gcn", "full", 0) > 0
    assert explicit(data) > 0
    assert Training(data, "gat", "without-explicit").epoch() > 0


def test_pygs_layers_reach_a_similar_accuracy() -> None:
    data = block_graph()
    network = build("gcn", data)
    prepared, through = (train(m, data, PRESETS["full"], seed=0) for m in (network, ThroughPyG(network)))
    assert not torch.equal(prepared.logits, through.logits)
    assert abs(prepared.test - through.test) < 0.1


def test_timed_functions_are_restored() -> None:
    before = math.sqrt
    with accumulate_time(roots=(math, "sqrt")) as spent:
        assert math.sqrt(4) == 2
    assert spent["roots"] > 0
    assert math.sqrt is before


def test_a_worker_has_its_own_environment_variables() -> None:
    worker = Worker(block_graph, {"HIGHWAYGRAPH_PROBE": "yes"})
    assert worker(variable, "HIGHWAYGRAPH_PROBE") == "yes"
    assert "HIGHWAYGRAPH_PROBE" not in os.environ
    worker.peak()


# After three epochs, some predict one class.
@pytest.mark.filterwarnings("ignore:All nodes are predicted")
@pytest.mark.parametrize("conv", modules.CONVS)
def test_epochs_of_a_module_are_measured(conv, monkeypatch) -> None:
    monkeypatch.setattr(modules, "EPOCHS", 3)
    data = block_graph()
    times = [modules.plain_epoch(data, conv), *(modules.our_epoch(data, conv, name) for name in ("typical", "plus"))]
    assert all(time > 0 for time in times)
