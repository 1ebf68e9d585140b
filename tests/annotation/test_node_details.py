"""The details of a node."""

import torch

from highwaygraph.annotation.node_details import MOST_NEIGHBOURS, NodeDetails
from highwaygraph.annotation.session import Given
from highwaygraph.annotation.trainer import Predictions
from highwaygraph.data.label_file import hide_labels
from highwaygraph.labelling.embedding import undirected_matrix
from tests.helpers.annotation import named_graph, new_session

NOTHING = Predictions(0, [], None)


def test_a_node_has_its_text_its_neighbours_and_its_prediction(tmp_path) -> None:
    graph = hide_labels(named_graph(), "train")
    session = new_session(tmp_path, graph)
    details = NodeDetails(graph, undirected_matrix(graph), session)
    node = int((graph.y < 0).nonzero()[0])
    found = details.describe(node, NOTHING)
    assert (found["id"], found["attributes"]) == (f"n{node}", [["text", "a text on red"]])
    assert (found["predicted"], found["answer"], found["known"]) == ([], None, None)
    neighbours = {int(b) for a, b in graph.edge_index.T.tolist() if a == node}
    assert found["degree"] == len(neighbours)
    assert {row["node"] for row in found["neighbours"]} <= neighbours
    assert len(found["neighbours"]) == min(MOST_NEIGHBOURS, len(neighbours))
    labels = [row["label"] for row in found["neighbours"]]
    # Neighbours with a label come first.
    assert labels == sorted(labels, key=lambda label: label is None)
    probs = torch.full((60, 3), 0.2)
    probs[:, 1] = 0.6
    found = details.describe(node, Predictions(1, ["red", "green", "blue"], probs))
    assert found["predicted"][0] == ("green", 60)
    other = found["neighbours"][0]["node"]
    session.give("w", other, Given("label", "pink"), None)
    session.give("w", node, Given("not sure"), None)
    found = details.describe(node, NOTHING)
    assert found["answer"] == {"answer": "not sure", "class": ""}
    assert {row["node"]: row["label"] for row in found["neighbours"]}[other] == "pink"


def test_a_graph_without_attributes_shows_its_features(tmp_path) -> None:
    graph = named_graph()
    graph.attributes = graph.ids = None
    found = NodeDetails(graph, undirected_matrix(graph), new_session(tmp_path, graph)).describe(0, NOTHING)
    assert (found["id"], found["attributes"]) == ("0", [])
    assert found["features"] == "12 of 12 features are not zero"
    assert found["known"] == "red"
