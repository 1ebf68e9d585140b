import json

import pytest
import torch

from highwaygraph.data.load import load
from highwaygraph.graph.graph import Graph
from highwaygraph.report.inspection import advice, inspect


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
