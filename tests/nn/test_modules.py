import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch_geometric.nn import GCNConv

from highwaygraph.models import build
from highwaygraph.nn.modules import HasTrainingLoss, TrainingBatch, centre_log_probs, mark_log_probs
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.open import open_run
from highwaygraph.training.engine import train
from highwaygraph.training.highways import pair_scores
from tests.helpers.graphs import block_graph


def test_a_module_of_ones_own_may_train_itself_too() -> None:
    class Own(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear, self.epochs = nn.Linear(12, 3), []

        def forward(self, x, edge_index):
            return self.linear(x)

        def training_loss(self, batch: TrainingBatch, epoch: int):
            self.epochs.append(epoch)
            assert batch.logits(batch.unlabelled, 2).shape == (2, 150, 3)
            return F.cross_entropy(self.linear(batch.features(batch.train)), batch.labels) if epoch % 2 else None

    data = block_graph()
    result = train(Own(), data, override(PRESETS["typical"], {"fit.epochs": 5, "fit.patience": 5}))
    assert isinstance(result.model, HasTrainingLoss)
    assert result.model.epochs == [1, 2, 3, 4, 5]
    assert not isinstance(build("gcn", data), HasTrainingLoss)


class Ends(nn.Module):
    """A linear layer, with or without log_softmax at the end."""

    def __init__(self, *, logs: bool) -> None:
        super().__init__()
        self.linear, self.logs = nn.Linear(12, 3), logs

    def forward(self, x, edge_index):
        logits = self.linear(x)
        return logits.log_softmax(dim=1) if self.logs else logits


def test_centred_log_probabilities_are_centred_logits() -> None:
    logits = 4 * torch.randn(50, 3, generator=torch.Generator().manual_seed(0))
    model = Ends(logs=True)
    assert centre_log_probs(model, logits) is logits
    mark_log_probs(model)
    found = centre_log_probs(model, logits.log_softmax(dim=1))
    assert torch.allclose(found, logits - logits.mean(dim=1, keepdim=True), atol=1e-5)
    for temperature in (0.5, 1.0, 3.0):
        assert torch.allclose((found / temperature).softmax(dim=1), (logits / temperature).softmax(dim=1), atol=1e-6)
    # Of log-probabilities themselves, every pair would score above one half.
    pairs = torch.combinations(torch.arange(50)).T
    assert pair_scores(logits.log_softmax(dim=1), pairs).min() >= 0.5
    assert pair_scores(found, pairs).min() < 0.1


def test_typical_training_is_the_same_with_log_softmax_at_the_end() -> None:
    data, config = block_graph(), override(PRESETS["typical"], {"fit.epochs": 20, "fit.patience": 20})
    one, other = (train(Ends(logs=logs), data, config, seed=0) for logs in (False, True))
    assert torch.allclose(one.predict_proba(), other.predict_proba(), atol=1e-5)
    assert torch.allclose(other.logits.mean(dim=1), torch.zeros(data.num_nodes), atol=1e-5)
    assert torch.allclose(one.logits.softmax(dim=1), other.model(data.x, data.edge_index).exp(), atol=1e-5)


def test_an_opened_run_recalls_that_its_module_ends_in_log_softmax(tmp_path) -> None:
    data, config = block_graph(), override(PRESETS["full"], {"fit.epochs": 4, "highway.rounds": 2})
    result = train(Ends(logs=True), data, config, seed=0)
    again = open_run(result.save(tmp_path / "run"), model=Ends(logs=True))
    assert torch.allclose(again.predict_logits(data), result.predict_logits(data), atol=1e-6)
    assert torch.allclose(again.predict_logits(data).mean(dim=1), torch.zeros(data.num_nodes), atol=1e-5)


class Tutorial(nn.Module):
    """The network of PyG's introduction: it takes a Data and returns log-probabilities."""

    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = GCNConv(12, 16), GCNConv(16, 3)

    def forward(self, data):
        x, edge_index = data.x, data.edge_index
        x = F.dropout(F.relu(self.conv1(x, edge_index)), training=self.training)
        return F.log_softmax(self.conv2(x, edge_index), dim=1)


class Plain(Tutorial):
    """The same network as the documentation asked for before."""

    def forward(self, x, edge_index):
        x = F.dropout(F.relu(self.conv1(x, edge_index)), training=self.training)
        return self.conv2(x, edge_index)


@pytest.mark.parametrize("options", [{}, {"fit.batch_size": 10, "fit.num_neighbors": (5, 5)}], ids=["whole", "batches"])
def test_the_module_of_the_tutorial_trains_as_its_plain_form(options) -> None:
    data, config = block_graph(), override(PRESETS["typical"], {"fit.epochs": 10, "fit.patience": 10} | options)
    one, other = (train(model, data, config, seed=0) for model in (Tutorial(), Plain()))
    assert torch.allclose(one.predict_proba(), other.predict_proba(), atol=1e-4)


@pytest.mark.parametrize("preset", ["full", "plus"])
def test_the_module_of_the_tutorial_trains_with_highways(preset) -> None:
    data = block_graph()
    config = override(PRESETS[preset], {"fit.epochs": 30, "highway.rounds": 2, "select.typical": False})
    assert train(Tutorial(), data, config, seed=0).test > 0.8
