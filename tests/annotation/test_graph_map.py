"""The document of the viewer while labelling."""

import json

import torch

from highwaygraph.annotation.graph_map import GraphMap
from highwaygraph.annotation.session import Given
from highwaygraph.annotation.trainer import Predictions
from highwaygraph.labelling.embedding import undirected_matrix
from highwaygraph.report import graph_json
from tests.helpers.annotation import cold_graph, new_session

NOTHING = Predictions(0, [], None)


def test_the_document_follows_answers_and_predictions(tmp_path) -> None:
    graph = cold_graph()
    session, graph_map = new_session(tmp_path), GraphMap(graph, undirected_matrix(graph))
    found = json.loads(json.dumps(graph_map.document(session, NOTHING)))
    assert (found["ids"], found["classes"]) == (graph.ids, ["red", "green", "blue"])
    assert set(found["predicted"]) == {-1} == set(found["ground_truth"])
    pairs = {tuple(sorted(p)) for p in zip(found["edges"][::2], found["edges"][1::2], strict=True)}
    assert pairs == {tuple(sorted(p)) for p in graph.edge_index.T.tolist()}
    assert found["sampled_from"] is None
    session.give("w", 7, Given("label", "pink"), None)
    session.give("w", 8, Given("skipped"), None)
    # The model was trained on two of the four classes.
    probs = torch.tensor([[0.25, 0.75]]).repeat(60, 1)
    changed = graph_map.columns(session, Predictions(1, ["blue", "pink"], probs))
    assert changed["classes"][3] == "pink"
    assert len(changed["colours"]) == 4
    assert changed["labelled_nodes"] == [7]
    assert (changed["ground_truth"][7], changed["hops"][7]) == (3, 0)
    assert (set(changed["predicted"]), set(changed["confidence"])) == ({3}, {75})


def test_a_large_graph_is_sampled(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(graph_json, "MOST_NODES", 30)
    monkeypatch.setattr(graph_json, "SEEDS", 2)
    graph = cold_graph()
    found = GraphMap(graph, undirected_matrix(graph)).document(new_session(tmp_path), NOTHING)
    assert (len(found["nodes"]), found["sampled_from"]["nodes"]) == (30, 60)
    assert found["ids"] == [graph.ids[node] for node in found["nodes"]]
