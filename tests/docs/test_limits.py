"""The page of limits agrees with the code: unsupported inputs are refused, and the alternatives work."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch_geometric.data import Batch, Data

import highwaygraph as hg
from tests.helpers.graphs import block_graph

SHORT = {"fit.epochs": 2}


class Linear(nn.Module):
    """A module without messages, with a choice of what it returns."""

    def __init__(self, features: int, finish: Callable[[Tensor], Any] = lambda logits: logits) -> None:
        super().__init__()
        self.lin, self.finish = nn.Linear(features, 3), finish

    def forward(self, x: Tensor, edge_index: Tensor) -> Any:
        return self.finish(self.lin(x))


class ReadsLabels(nn.Module):
    """A module that reads the labels of a Data."""

    def __init__(self, features: int) -> None:
        super().__init__()
        self.lin = nn.Linear(features, 3)

    def forward(self, data: Data) -> Tensor:
        return self.lin(data.x + data.y[:, None])


def plain() -> Data:
    graph = block_graph()
    return Data(x=graph.x, edge_index=graph.edge_index, y=graph.y)


def divided(**changes: Any) -> Data:
    data = hg.split(plain(), train=5, val=5, seed=0)
    for name, value in changes.items():
        data[name] = value
    return data


def train(model: nn.Module, data: Data, preset: str = "typical", **options: Any) -> hg.Result:
    config = hg.override(hg.PRESETS[preset], SHORT | {n.replace("__", "."): v for n, v in options.items()})
    return hg.train(model, data, config, seed=0, progress=False)


def logits_model(data: Data, finish: Callable[[Tensor], Any] = lambda logits: logits) -> Linear:
    return Linear(data.num_features, finish)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"y": torch.zeros(180, 2)}, "the same labels"),
        ({"y": torch.full((180,), 0.5)}, "whole number"),
        ({"y": torch.zeros(180, dtype=torch.long)}, "two classes"),
    ],
    ids=["a single label set", "regression", "single class"],
)
def test_other_labels_are_refused(changes, message) -> None:
    data = divided()
    with pytest.raises(hg.DataError, match=message):
        train(logits_model(data), divided(**changes))


def test_a_graph_without_labels_is_refused() -> None:
    data = plain()
    data.y = torch.full((180,), -1)
    with pytest.raises(hg.DataError, match="train_mask is empty"):
        train(logits_model(data), hg.split(data))


def test_graphs_that_do_not_fit_together_are_refused(tmp_path) -> None:
    other = plain()
    other.x = other.x[:, 1:]
    with pytest.raises(hg.DataError, match="different numbers of features"):
        hg.load([plain(), other])
    with pytest.raises(hg.DataError, match="Several graphs are not supported on disk: join them with hg.load first"):
        hg.convert([plain(), plain()], tmp_path / "graph")


def test_a_batch_is_one_graph() -> None:
    data = hg.split(Batch.from_data_list([plain(), plain()]), train=5, val=5, seed=0)
    assert train(logits_model(data), data).logits.shape == (360, 3)


def test_a_module_that_reads_labels_is_refused() -> None:
    data = divided()
    with pytest.raises(
        hg.ModelError, match=r"cannot be called.*other attributes are not supported: add them to data\.x"
    ):
        train(ReadsLabels(data.num_features), data)


class Swapped(Linear):
    """A module whose arguments are in another order."""

    def forward(self, edge_index: Tensor, x: Tensor) -> Any:
        return super().forward(x, edge_index)


class Positions(Linear):
    """A module with a further required argument."""

    def forward(self, x: Tensor, edge_index: Tensor, pos: Tensor) -> Any:
        return super().forward(x + pos, edge_index)


@pytest.mark.parametrize(("model", "argument"), [(Swapped, "edge_index"), (Positions, "pos")])
def test_a_forward_that_no_call_fits_is_refused(model, argument) -> None:
    data = divided()
    with pytest.raises(
        hg.ModelError, match=rf"{model.__name__}\.forward .* '{argument}'.* is called as forward\(x, edge_"
    ):
        train(model(data.num_features), data)


def test_features_that_are_trained_are_refused() -> None:
    data = divided(x=plain().x.requires_grad_())
    with pytest.raises(hg.DataError, match=r"data\.x requires gradients, but it is not trained: use \.detach"):
        train(logits_model(data), data)


def test_probabilities_are_refused() -> None:
    data = divided()
    with pytest.raises(hg.ModelError, match="returns probabilities.*leave out softmax"):
        train(logits_model(data, lambda logits: logits.softmax(dim=1)), data)


@pytest.mark.parametrize("finish", [torch.softmax, torch.log_softmax])
def test_probabilities_over_nodes_are_refused(finish) -> None:
    data = divided()
    with pytest.raises(hg.ModelError, match="columns of the model's output sum to 1 .* dim=0: use dim=1 with log_soft"):
        train(logits_model(data, lambda logits: finish(logits, 0)), data)


@pytest.mark.parametrize("preset", ["plus", "consistent", "full", "without-explicit", "typical"])
def test_log_probabilities_are_accepted(preset) -> None:
    data = divided()
    result = train(logits_model(data, lambda logits: logits.log_softmax(dim=1)), data, preset, select__typical=False)
    assert result.logits.isfinite().all()


def test_several_outputs_are_refused() -> None:
    data = divided()
    with pytest.raises(hg.ModelError, match="one row of logits per node"):
        train(logits_model(data, lambda logits: (logits, logits)), data)


def test_graphmix_is_refused_in_mini_batches() -> None:
    data = divided()
    with pytest.raises(hg.ConfigError, match="whole graph"):
        train(hg.models.build("graphmix", data), data, fit__batch_size=8)


def test_hyper_is_refused_in_mini_batches_on_directed_graphs() -> None:
    data = divided()
    data.edge_index = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    with pytest.raises(hg.ConfigError, match="undirected"):
        train(hg.models.build("hyper", data), data, fit__batch_size=8)


@pytest.mark.filterwarnings("ignore:GCN takes no edge_attr")
def test_edge_features_are_kept_with_highways_and_highways_go_both_ways() -> None:
    data = divided()
    data.edge_attr, data.edge_time = torch.rand(data.num_edges, 2), torch.arange(data.num_edges)
    thresholds = {"highway__node_threshold": 0, "highway__pair_threshold": 0}
    result = train(hg.models.build("gcn", data), data, "full", highway__rounds=2, highway__keep="last", **thresholds)
    added = result.graph.edge_index[:, data.num_edges :]
    assert result.highways.size(1)
    assert len(result.graph.edge_attr) == result.graph.num_edges
    assert "edge_time" not in result.graph
    assert {tuple(e) for e in added.T.tolist()} == {tuple(e) for e in added.flip(0).T.tolist()}


def test_weights_are_refused_where_a_network_has_no_use_for_them() -> None:
    data = divided()
    data.edge_weight = torch.ones(data.num_edges)
    with pytest.raises(hg.ModelError, match="edge weights"):
        train(hg.models.build("gat", data), data)
