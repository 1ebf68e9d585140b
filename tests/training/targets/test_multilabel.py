import pytest
import torch
from torch import nn

import highwaygraph as hg
from highwaygraph.errors import HighwayWarning, ModelError
from highwaygraph.training.label_metrics import micro_f1
from highwaygraph.training.selection import warn_collapse
from tests.helpers.label_graphs import NAMES, label_config, label_graph, split_label_graph, trained_labels


def frequency_f1(data) -> float:
    """Return the micro-F1 of the best constant prediction."""
    test = data.y[data.test_mask]
    order = test.sum(dim=0).argsort(descending=True)
    constant = torch.zeros(len(NAMES), len(NAMES), dtype=torch.long)
    for count in range(len(NAMES)):
        constant[count, order[: count + 1]] = 1
    return max(micro_f1(row.expand_as(test), test) for row in constant)


@pytest.mark.parametrize("preset", ["typical", "without-explicit", "consistent"])
def test_presets_train_end_to_end_and_beat_the_label_frequency(preset) -> None:
    result = trained_labels(preset)
    assert result.test > frequency_f1(result.data) + 0.1
    assert result.predict().shape == result.predict_proba().shape == (240, len(NAMES))
    assert set(result.predict().unique().tolist()) == {0, 1}
    by_hand = result.logits.double().sigmoid() >= torch.tensor(result.label_thresholds).double()
    assert torch.equal(result.predict(), by_hand.long())
    assert len(result.rounds) == 1
    assert not result.highways.size(1)


@pytest.mark.parametrize("changes", [{"fit__monitor": "f1"}, {"fit__monitor": "accuracy"}, {"fit__batch_size": 16}])
def test_monitors_and_mini_batches(changes) -> None:
    result = trained_labels("plus", select__baselines=False, select__typical=False, **changes)
    assert result.test > frequency_f1(result.data)


def test_class_weights_raise_the_recall_of_rare_labels() -> None:
    data = split_label_graph()
    plain, weighted = (trained_labels("typical", fit__class_weights=name) for name in ("none", "balanced"))
    recall = [one.predict_proba()[data.test_mask].mean().item() for one in (plain, weighted)]
    assert recall[1] > recall[0]


def test_a_module_has_to_return_one_logit_per_label() -> None:
    data = split_label_graph()

    class Outputs(nn.Module):
        def __init__(self, columns: int, last: nn.Module) -> None:
            super().__init__()
            self.linear, self.last = nn.Linear(data.x.size(1), columns), last

        def forward(self, x, edge_index):
            return self.last(self.linear(x))

    with pytest.raises(ModelError, match="outputs 5 columns for 4 labels"):
        hg.train(Outputs(5, nn.Identity()), data, "typical", progress=False)
    for last in (nn.Sigmoid(), nn.LogSoftmax(dim=1)):
        with pytest.raises(ModelError, match="leave out sigmoid, softmax or log_softmax"):
            hg.train(Outputs(4, last), data, "typical", progress=False)
    result = hg.train(Outputs(4, nn.Identity()), data, label_config("typical"), progress=False)
    assert result.predict().shape == (240, 4)


def test_a_network_with_a_loss_of_its_own_is_refused() -> None:
    data = split_label_graph()

    class Own(nn.Linear):
        def forward(self, x, edge_index):
            return super().forward(x)

        def training_loss(self, batch, epoch):
            return None

    with pytest.raises(ModelError, match="training loss of Own is not supported for several labels per node"):
        hg.train(Own(data.x.size(1), 4), data, "typical", progress=False)


def test_predictions_of_one_label_set_cause_a_warning() -> None:
    data = split_label_graph()
    with pytest.warns(HighwayWarning, match="All nodes are predicted to have the same labels"):
        warn_collapse(torch.tensor([1, 0, 0, 1]).expand(240, -1), data)


def test_a_resumed_training_is_bit_identical(tmp_path) -> None:
    data = split_label_graph()

    def run(epochs: int | None):
        def stop(epoch) -> None:
            if epoch.epoch == epochs:
                raise KeyboardInterrupt

        model = hg.models.build("gcn", data, hidden=8)
        config = label_config("plus", select__baselines=False, select__typical=False, pairs__scale="node")
        folder = None if epochs == 0 else tmp_path
        return hg.train(
            model, data, config, seed=0, on_epoch=stop if epochs else None, checkpoint=folder, progress=False
        )

    whole = run(0)
    with pytest.raises(KeyboardInterrupt):
        run(25)
    assert torch.equal(run(None).logits, whole.logits)


def test_a_graph_of_one_hot_rows_trains_too() -> None:
    data = label_graph()
    data.y = torch.nn.functional.one_hot(data.y.argmax(dim=1), 4)
    data = hg.split(data, train=8, val=8)
    assert hg.train(hg.models.build("gcn", data, hidden=8), data, label_config("typical"), progress=False).test > 0.4
