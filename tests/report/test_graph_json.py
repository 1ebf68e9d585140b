import json
from itertools import pairwise

import pytest
import torch

from highwaygraph.report import graph_json
from highwaygraph.report.first_node import first_node, first_paths
from highwaygraph.report.run_data import read
from tests.helpers.example import NASTY, rescued_run, run_data
from tests.helpers.refitted import few_labels


def test_columns_describe_the_whole_graph() -> None:
    found = run_data()
    columns = json.loads(json.dumps(graph_json.columns(found, graph_json.visible_graph(found)), allow_nan=False))
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
    found = run_data()
    visible = graph_json.visible_graph(found)
    assert len(visible.nodes) == 50
    # Labelled nodes are always included.
    assert torch.isin(found.result.data.train_mask.nonzero().flatten(), visible.nodes).all()
    assert len(visible.highways) <= 5
    assert int(visible.edges.max()) < 50
    columns = graph_json.columns(found, visible)
    assert columns["sampled_from"]["nodes"] == 180
    assert columns["sampled_from"]["highways"] == found.result.highways.size(1)
    nodes = visible.nodes.tolist()
    for highway, a, b in zip(visible.highways.tolist(), *visible.highway_edges.tolist(), strict=True):
        assert [nodes[a], nodes[b]] == found.result.highways[:, highway].tolist()


def test_highways_without_ground_truth_are_neither_correct_nor_wrong() -> None:
    found = run_data(ids=False)
    labels = found.result.data.y.clone()
    found.result.data.y[:] = -1
    try:
        every = torch.arange(found.result.highways.size(1))
        assert set(graph_json.highway_columns(found, every, found.result.highways)["correct"]) == {-1}
    finally:
        found.result.data.y[:] = labels


@pytest.mark.parametrize("baseline", [True, False])
def test_typical_predictions_need_a_baseline(baseline: bool) -> None:
    found = run_data(baseline=baseline)
    assert (graph_json.columns(found, graph_json.visible_graph(found))["typical_predicted"] is None) != baseline


def test_the_document_has_the_first_node_its_paths_and_the_answer() -> None:
    found = read(rescued_run())
    visible = graph_json.visible_graph(found)
    columns = json.loads(json.dumps(graph_json.columns(found, visible)))
    node = int(visible.nodes[columns["start"]])
    assert node == first_node(found)
    original, augmented = (tuple(visible.nodes[path].tolist()) for path in columns["start_paths"].values())
    assert (original, augmented) == first_paths(found, node)
    assert columns["answer"] == found.result.answer


def test_a_sample_has_the_listed_nodes_and_all_highways_of_the_first_one(monkeypatch) -> None:
    found = read(rescued_run())
    every = graph_json.visible_graph(found)
    of_start = (found.result.highways == int(every.nodes[every.start])).any(dim=0).nonzero().flatten()
    assert len(of_start)
    monkeypatch.setattr(graph_json, "MOST_HIGHWAYS", len(of_start) + 1)
    assert torch.isin(of_start, graph_json.visible_graph(found).highways).all()
    monkeypatch.setattr(graph_json, "MOST_NODES", 100)
    listed = (~found.result.data.train_mask).nonzero().flatten()[-5:]
    visible = graph_json.visible_graph(found, listed.tolist())
    assert torch.isin(listed, visible.nodes).all()
    # No path of the sample is longer than on the whole graph.
    assert [len(path) for path in visible.start_paths] == [len(path) for path in every.start_paths]
    assert min(min(path) for path in visible.start_paths) >= 0
    joined = {frozenset(pair) for edges in (visible.edges, visible.highway_edges) for pair in edges.T.tolist()}
    assert all(frozenset(pair) in joined for path in visible.start_paths for pair in pairwise(path))


def test_the_part_of_the_split_is_named() -> None:
    split = graph_json.split_columns(run_data(), torch.arange(180))
    named = [split["names"][place] for place in split["of"]]
    data = run_data().result.data
    for name, mask in (("train", data.train_mask), ("validation", data.val_mask), ("test", data.test_mask)):
        assert [place for place, one in enumerate(named) if one == name] == mask.nonzero().flatten().tolist()


def test_folds_have_both_predictions_of_a_label_and_hops_to_other_folds() -> None:
    found = read(few_labels())
    columns = graph_json.columns(found, graph_json.visible_graph(found))
    labelled = columns["labelled_nodes"]
    folds = few_labels().folds
    assert [columns["predicted"][node] for node in labelled] == folds.predict().tolist()
    assert columns["refit_predicted"] == few_labels().predict().tolist()
    assert not any(columns["hops"][node] == 0 for node in labelled)
    parts = {columns["split"]["names"][columns["split"]["of"][node]] for node in labelled}
    assert parts == {"train, held out by one fold"}
    assert [columns["folds"][node] for node in labelled] == folds.fold.tolist()
    assert sum(fold >= 0 for fold in columns["folds"]) == len(labelled)
    whole = graph_json.columns(run_data(), graph_json.visible_graph(run_data()))
    assert (whole["refit_predicted"], whole["folds"]) == (None, None)
