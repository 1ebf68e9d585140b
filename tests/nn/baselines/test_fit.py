"""The baselines of a run."""

import pytest
import torch

import highwaygraph as hg
from highwaygraph.errors import DataError
from highwaygraph.graph.splits import validate_split
from highwaygraph.graph.validate import validate
from highwaygraph.nn.baselines import fit
from highwaygraph.nn.baselines.fit import BASELINES, fit_baselines, is_feasible
from tests.helpers.graphs import block_graph


def test_every_baseline_predicts_every_node_from_what_its_name_contains() -> None:
    graph = validate_split(validate(block_graph()))
    fitted = {one.name: one for one in fit_baselines(graph, 3)}
    assert list(fitted) == list(BASELINES)
    scores = {
        name: float((one.predict(graph).argmax(dim=1) == graph.y)[graph.test_mask].double().mean())
        for name, one in fitted.items()
    }
    assert scores["smoothed features"] > 0.6
    assert scores["label propagation"] > 0.6
    assert scores["largest class"] < 0.5
    shuffled = hg.load(graph)
    shuffled.x = shuffled.x[torch.randperm(len(graph.x), generator=torch.Generator().manual_seed(0))]
    (alone,) = fit_baselines(shuffled, 3, only="features alone")
    assert float((alone.predict(shuffled).argmax(dim=1) == graph.y)[graph.test_mask].double().mean()) < 0.5


def test_the_labels_of_test_nodes_are_not_used() -> None:
    graph = validate_split(validate(block_graph()))
    other = hg.load(graph)
    other.y = torch.where(graph.test_mask, (graph.y + 1) % 3, graph.y)
    for one, two in zip(fit_baselines(graph, 3), fit_baselines(other, 3), strict=True):
        assert torch.equal(one.predict(graph), two.predict(other))


def test_label_propagation_refuses_a_graph_without_the_labels() -> None:
    graph = validate_split(validate(block_graph()))
    (fitted,) = fit_baselines(graph, 3, only="label propagation")
    with pytest.raises(DataError, match="needs the labels of the graph"):
        fitted.predict(validate(block_graph(seed=1)))


def test_graphs_whose_tables_are_too_large_are_not_feasible(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = validate_split(validate(block_graph()))
    assert is_feasible(graph)
    monkeypatch.setattr(fit, "MOST_ENTRIES", 10)
    assert not is_feasible(graph)
