import json
from pathlib import Path

import pytest
import torch
from torch_geometric.data import Data

from highwaygraph.config import Fit
from highwaygraph.errors import DataError
from highwaygraph.graph.csr import from_edge_index
from highwaygraph.graph.graph import Graph
from highwaygraph.models import build
from highwaygraph.nn.batches import predict_logits
from highwaygraph.nn.features import prepare_features
from highwaygraph.runs.probabilities import prediction_table
from highwaygraph.runs.result import Result
from tests.helpers.graphs import block_graph
from tests.helpers.trained import named_run


@pytest.fixture(scope="module")
def result() -> Result:
    return named_run()


def test_the_stored_logits_are_those_of_the_model_on_the_graph(result: Result) -> None:
    assert torch.equal(result.predict_proba(result.graph), result.predict_proba())
    assert result.highways.size(1) > 0
    assert not torch.equal(result.predict_proba(result.data), result.predict_proba())


def test_predictions_have_the_users_ids_and_class_names(result: Result) -> None:
    table = prediction_table(result)
    assert list(table) == ["id", "class", "confidence", "hops", "highways"]
    assert {len(column) for column in table.values()} == {180}
    assert table["id"][0] == "node <0>, text"
    assert list(prediction_table(result, block_graph(seed=9))) == ["id", "class", "confidence"]


def test_another_graph_needs_features_but_no_labels(result: Result) -> None:
    other = block_graph(seed=9)
    unlabelled = Data(x=other.x, edge_index=other.edge_index)
    assert torch.equal(result.predict(unlabelled), result.predict(other))
    assert (result.predict(unlabelled) == other.y).double().mean() > 0.6
    with pytest.raises(DataError, match="no edge_index"):
        result.predict(Data(x=other.x))
    with pytest.raises(DataError, match="no x"):
        result.predict(Data(edge_index=other.edge_index))
    with pytest.raises(DataError, match="12 features"):
        result.predict(Data(x=other.x[:, :5], edge_index=other.edge_index))


def test_meta_has_the_facts_to_repeat_the_run(result: Result, tmp_path: Path) -> None:
    run = result.save(tmp_path / "run", command="highway train toy", best_round=77)
    meta = json.loads((run / "meta.json").read_text())
    assert meta["command"] == "highway train toy"
    assert (meta["seed"], meta["best_round"]) == (5, result.best_round)
    assert meta["versions"]["torch"] == torch.__version__
    assert {"data_hash", "split_hash", "created", "seconds"} <= meta.keys()


def test_predictions_reuse_buffers_and_do_not_depend_on_their_content() -> None:
    data = block_graph()
    graph = Graph(x=data.x, y=data.y, csr=from_edge_index(data.edge_index, 180), num_nodes=180)
    model = build("gcn", data, hidden=16)
    features = prepare_features(model, graph, Fit())
    first = predict_logits(model, features, graph)
    messages = features.buffers.buffer("messages 0", 180, 16)
    messages.fill_(torch.nan)
    # The second prediction overwrites the buffer.
    assert torch.equal(predict_logits(model, features, graph), first)
    assert not messages.isnan().any()
