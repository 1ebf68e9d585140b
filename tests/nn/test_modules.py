from torch import nn
from torch.nn import functional as F

from highwaygraph.models import build
from highwaygraph.nn.modules import HasTrainingLoss, TrainingBatch
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training.engine import train
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
