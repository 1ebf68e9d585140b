import json
import math

import pytest
import torch

from highwaygraph.data.load import load
from highwaygraph.graph.graph import Graph
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.report.summary import Comparison, advice, compare, inspect
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    data = block_graph()
    quick = {"fit.epochs": 30, "fit.device": "cpu"}
    ours, typical = (train(build("gcn", data), data, override(PRESETS[p], quick)) for p in ("full", "typical"))
    return compare(ours.with_baseline(typical))


def test_hop_buckets_partition_the_test_nodes(comparison: Comparison) -> None:
    *buckets, everything = comparison.hops
    assert everything.hops == "all"
    assert sum(b.nodes for b in buckets) == everything.nodes == 120
    right = sum(b.nodes * b.accuracy for b in buckets if b.nodes)
    assert right / 120 == pytest.approx(comparison.result.test)


def test_the_dict_is_json(comparison: Comparison) -> None:
    values = json.loads(json.dumps(comparison.as_dict(), allow_nan=False))
    assert values["rounds"][0]["epochs"] == comparison.result.rounds[0].epochs
    assert values["typical"]["test"] == comparison.result.baseline.round.test
    assert values["hops"][0]["hops"] == "1"
    assert values["best_round"] == values["kept"] == comparison.result.best_round


def test_a_run_without_test_nodes_has_null_accuracy() -> None:
    data = block_graph()
    del data.test_mask
    result = train(build("gcn", data), data, override(PRESETS["typical"], {"fit.epochs": 3}))
    assert math.isnan(result.test)
    values = json.loads(json.dumps(compare(result).as_dict(), allow_nan=False))
    assert values["test"] is None
    assert values["typical"] is None


def test_inspecting_cora() -> None:
    numbers = inspect(load("cora")).numbers
    assert (numbers["nodes"], numbers["edges"], numbers["features"]) == (2708, 5278, 1433)
    assert numbers["split"] == {"train": 140, "val": 500, "test": 1000}
    assert sum(numbers["hops"].values()) == 2708
    assert numbers["homophily"] == pytest.approx(0.81, abs=0.005)
    # The value in Table 1 of Platonov et al. (2023).
    assert numbers["adjusted_homophily"] == pytest.approx(0.77, abs=0.005)
    assert numbers["isolated"] == 0
    assert numbers["classes"]["Neural_Networks"] == 818


def test_inspecting_a_graph_without_split_names_or_edges() -> None:
    data = Graph(
        x=torch.eye(3), edge_index=torch.zeros(2, 0, dtype=torch.long), y=torch.tensor([0, 1, -1]), num_nodes=3
    )
    found = inspect(data)
    assert found.hops == {}
    assert (found.numbers["isolated"], found.numbers["unlabelled"]) == (3, 1)
    json.dumps(found.numbers, allow_nan=False)


def test_advice_follows_adjusted_homophily_and_distance() -> None:
    near, far = {"0": 5, "1": 80, "2": 10, "unreachable": 5}, {"0": 5, "1": 40, "3": 40, "unreachable": 15}
    some = {"classes": {"a": 5, "b": 0}, "homophily": 0.8, "adjusted_homophily": 0.7}
    assert "unlikely to help" in advice(some | {"homophily": 0.2, "adjusted_homophily": 0.0, "hops": far})
    assert "little for HighwayGraph to gain" in advice(some | {"hops": near})
    assert advice(some | {"hops": far}).startswith("55 % of the nodes are more than 2 hops")
    assert "not known" in advice(some | {"homophily": None, "adjusted_homophily": None, "hops": far})
    assert "within one class" in advice(some | {"homophily": 1.0, "adjusted_homophily": None, "hops": far})
    assert "with a split" in advice(some | {"hops": {}})
    assert "with --label" in advice(some | {"classes": {"a": 0}, "hops": {}})


def test_edges_at_random_between_unequal_classes_are_no_homophily() -> None:
    rng = torch.Generator().manual_seed(0)
    y = (torch.rand(2000, generator=rng) < 0.05).long()
    data = Graph(x=torch.ones(2000, 1), edge_index=torch.randint(2000, (2, 9000), generator=rng), y=y, num_nodes=2000)
    found = inspect(data)
    assert found.numbers["homophily"] > 0.88
    assert abs(found.numbers["adjusted_homophily"]) < 0.05
    assert "unlikely to help" in found.advice
    assert "adjusted for class sizes" in found.properties["homophily"]
