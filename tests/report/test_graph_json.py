import json

import pytest
import torch

from highwaygraph.report import graph_json
from tests.helpers.example import NASTY, facts


def test_columns_describe_the_whole_graph() -> None:
    found = facts()
    columns = json.loads(json.dumps(graph_json.columns(found, graph_json.draw(found)), allow_nan=False))
    data = found.result.data
    assert columns["ids"][0] == NASTY
    assert columns["sampled_from"] is None
    for name in ("x", "y", "predicted", "ground_truth", "typical_predicted", "confidence", "hops"):
        assert len(columns[name]) == data.num_nodes
    assert sorted(columns["labelled_nodes"]) == data.train_mask.nonzero().flatten().tolist()
    pairs = {tuple(sorted(p)) for p in zip(columns["edges"][::2], columns["edges"][1::2], strict=True)}
    assert pairs == {tuple(sorted(p)) for p in data.edge_index.T.tolist() if p[0] != p[1]}
    assert len(columns["edges"]) == 2 * len(pairs)
    added = columns["highways"]
    assert list(zip(added["from"], added["to"], strict=True)) == [tuple(p) for p in found.result.highways.T.tolist()]
    assert {len(column) for column in added.values()} == {found.result.highways.size(1)}
    labels = data.y
    assert added["correct"] == [int(labels[a] == labels[b]) for a, b in found.result.highways.T.tolist()]


def test_a_large_graph_is_sampled_and_gives_the_full_counts(monkeypatch) -> None:
    monkeypatch.setattr(graph_json, "MOST_NODES", 50)
    monkeypatch.setattr(graph_json, "MOST_HIGHWAYS", 5)
    monkeypatch.setattr(graph_json, "SEEDS", 3)
    found = facts()
    drawn = graph_json.draw(found)
    assert len(drawn.nodes) == 50
    # Labelled nodes are always included.
    assert torch.isin(found.result.data.train_mask.nonzero().flatten(), drawn.nodes).all()
    assert len(drawn.highways) <= 5
    assert int(drawn.edges.max()) < 50
    columns = graph_json.columns(found, drawn)
    assert columns["sampled_from"]["nodes"] == 180
    assert columns["sampled_from"]["highways"] == found.result.highways.size(1)
    place = drawn.nodes.tolist()
    for highway, a, b in zip(drawn.highways.tolist(), *drawn.ends.tolist(), strict=True):
        assert [place[a], place[b]] == found.result.highways[:, highway].tolist()


def test_highways_without_ground_truth_are_neither_correct_nor_wrong() -> None:
    found = facts(ids=False)
    labels = found.result.data.y.clone()
    found.result.data.y[:] = -1
    try:
        every = torch.arange(found.result.highways.size(1))
        assert set(graph_json.highways(found, every, found.result.highways)["correct"]) == {-1}
    finally:
        found.result.data.y[:] = labels


@pytest.mark.parametrize("beside", [True, False])
def test_typical_predictions_need_a_baseline(beside: bool) -> None:
    found = facts(beside=beside)
    assert (graph_json.columns(found, graph_json.draw(found))["typical_predicted"] is None) != beside
