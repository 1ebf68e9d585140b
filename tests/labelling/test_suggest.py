"""`suggest`: labelled nodes are never suggested, reasons hold true counts, and bad input is a sentence."""

import subprocess
import sys

import networkx as nx
import pytest
import torch
from torch_geometric.data import Data

import highwaygraph as hg
from highwaygraph.errors import ConfigError, DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.labelling.strategies import STRATEGIES
from highwaygraph.runs.probabilities import probability_table
from tests.helpers.graphs import block_graph
from tests.helpers.refitted import few_labels


def partly_labelled(labels: int = 6) -> Graph:
    graph = block_graph()
    for name in ("train_mask", "val_mask", "test_mask"):
        del graph[name]
    known = torch.arange(0, graph.num_nodes, graph.num_nodes // labels)[:labels]
    y = torch.full_like(graph.y, -1)
    y[known] = graph.y[known]
    graph.y, graph.classes = y, ["red", "green", "blue"]
    return graph


@pytest.fixture(scope="module")
def trained() -> hg.Result:
    config = hg.override(hg.PRESETS["full"], {"fit.epochs": 10, "highway.rounds": 1})
    graph = block_graph()
    graph.classes = ["red", "green", "blue"]
    model = hg.models.build("gcn", graph, hidden=8)
    typical = hg.train(model, graph, hg.override(hg.PRESETS["typical"], {"fit.epochs": 2}), progress=False)
    return hg.train(model, graph, config, progress=False).with_baseline(typical)


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "entropy"])
def test_labelled_and_skipped_nodes_are_never_suggested(strategy) -> None:
    graph = partly_labelled()
    found = hg.suggest(graph, 20, strategy=strategy, skip=[5, 6, 7])
    assert len(set(found.nodes)) == 20
    assert not set(found.nodes) & {5, 6, 7, *(graph.y >= 0).nonzero().flatten().tolist()}
    assert [row.id for row in found] == found.nodes
    assert all(row.reason for row in found)


def test_hops_and_covered_nodes_are_those_of_networkx() -> None:
    graph = partly_labelled(labels=2)
    found = hg.suggest(graph, 8)
    net = nx.Graph(graph.edge_index.T.tolist())
    net.add_nodes_from(range(graph.num_nodes))
    hops = nx.multi_source_dijkstra_path_length(net, (graph.y >= 0).nonzero().flatten().tolist())
    seen = {node for node, hop in hops.items() if hop <= 2}
    for row in found:
        around = set(nx.single_source_shortest_path_length(net, row.node, cutoff=2))
        assert row.hops == hops.get(row.node)
        assert row.covered == len(around - seen)
        if row.covered > 1:
            assert f"covers {row.covered} nodes that are more than 2 hops from every label" in row.reason
        seen |= around
    assert any(row.covered > 1 for row in found)


def test_a_graph_without_any_label_and_without_y_is_a_cold_start() -> None:
    whole = block_graph()
    graph = Data(x=whole.x, edge_index=whole.edge_index)
    found = hg.suggest(graph, 3)
    assert set(whole.y[found.nodes].tolist()) == {0, 1, 2}
    assert all(row.hops is None and row.predicted is None for row in found)
    assert "y" not in graph


def test_labels_of_a_labelled_graph_can_be_left_out() -> None:
    graph = block_graph()
    with pytest.raises(DataError, match=r"All 180 nodes are labelled .* labels='train'"):
        hg.suggest(graph, 5)
    used = graph.train_mask | graph.val_mask
    assert not used[hg.suggest(graph, 100, labels="train").nodes].any()
    assert len(hg.suggest(graph, 180, labels="none")) == 180
    del graph.train_mask
    with pytest.raises(DataError, match="no single train_mask"):
        hg.suggest(graph, 5, labels="train")


def test_a_result_adds_its_prediction_and_the_disagreement_with_typical_training(trained) -> None:
    found = hg.suggest(trained.data, 40, trained, labels="train")
    names, probs = ["red", "green", "blue"], trained.predict_proba()
    typical = trained.baseline.logits.argmax(dim=1)
    different = 0
    for row in found:
        assert row.predicted == names[int(probs[row.node].argmax())]
        assert row.confidence == pytest.approx(float(probs[row.node].max()), abs=1e-5)
        other = names[int(typical[row.node])]
        phrase = f"typical training predicts {other}, the selected model {row.predicted}"
        assert (phrase in row.reason) == (other != row.predicted)
        different += other != row.predicted
    assert different


def test_confidences_are_those_that_predict_writes() -> None:
    result = few_labels()
    found, table, raw = hg.suggest(result.data, 20, result), probability_table(result), result.predict_proba()
    assert [row.confidence for row in found] == [table["confidence"][node] for node in found.nodes]
    assert [row.predicted for row in found] == [table["class"][node] for node in found.nodes]
    assert any(abs(row.confidence - float(raw[row.node].max())) > 0.01 for row in found)


def test_the_users_own_ids_are_returned_and_skipped_by() -> None:
    graph = partly_labelled()
    graph.ids = [f"n{node}" for node in range(graph.num_nodes)]
    first = hg.suggest(graph, 1)[0]
    assert first.id == f"n{first.node}"
    assert hg.suggest(graph, 1, skip=[first.id])[0].id != first.id


def test_the_same_seed_gives_the_same_table_and_the_graph_does_not_change() -> None:
    graph = partly_labelled()
    before = graph.y.clone()
    assert hg.suggest(graph, 7, seed=4) == hg.suggest(graph, 7, seed=4)
    assert torch.equal(graph.y, before)
    assert hg.suggest(graph, 7, strategy="random", seed=4) != hg.suggest(graph, 7, strategy="random", seed=5)


def test_wrong_arguments_are_one_sentence_each(trained) -> None:
    graph = partly_labelled()
    with pytest.raises(ConfigError, match="There is no strategy 'pagerrank'. Did you mean 'pagerank'"):
        hg.suggest(graph, 5, strategy="pagerrank")
    with pytest.raises(ConfigError, match="at least 1, not 0"):
        hg.suggest(graph, 0)
    with pytest.raises(DataError, match=r"175 suggestions are more than the 174 nodes without a label: lower n"):
        hg.suggest(graph, 175)
    with pytest.raises(DataError, match="skip names 1 node that the graph does not have"):
        hg.suggest(graph, 5, skip=[999])
    small = Graph(x=torch.ones(4, 2), edge_index=torch.tensor([[0], [1]]), y=torch.full((4,), -1))
    with pytest.raises(DataError, match="The run predicts 180 nodes, and the graph has 4"):
        hg.suggest(small, 1, trained)


def test_an_unknown_choice_of_labels_is_refused() -> None:
    # In a process of its own: in this one, jaxtyping checks the types first.
    code = "import highwaygraph as hg; hg.suggest(hg.load('cora'), 5, labels='some')"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "ConfigError: labels is one of all, train, none, not 'some'." in ended.stderr


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "entropy"])
def test_nodes_without_edges_and_without_features_are_suggested_too(strategy) -> None:
    graph = Graph(x=torch.zeros(6, 2), edge_index=torch.empty(2, 0, dtype=torch.long), y=torch.full((6,), -1))
    assert sorted(hg.suggest(graph, 6, strategy=strategy).nodes) == list(range(6))
