import copy

import torch

from highwaygraph.training import leave_one_out as module
from highwaygraph.training.leave_one_out import leave_one_out
from tests.helpers.graphs import block_graph


def test_scores_equal_those_of_a_fit_without_the_node() -> None:
    generator = torch.Generator().manual_seed(0)
    rows, labels = torch.randn(12, 5, generator=generator).double(), torch.arange(12) % 3
    targets = torch.nn.functional.one_hot(labels, 3).double()
    prior = targets.mean(dim=0)
    scale = (rows @ rows.T).diagonal().mean()
    for penalty, found in zip(module.PENALTIES, module._scores(rows, labels, 3), strict=True):
        for node in range(12):
            rest = torch.arange(12) != node
            gram = rows[rest].T @ rows[rest] + penalty * scale * torch.eye(5)
            weights = torch.linalg.solve(gram, rows[rest].T @ (targets - prior)[rest])
            assert torch.allclose(found[node], prior + rows[node] @ weights)


def test_only_labelled_nodes_have_probabilities() -> None:
    data = block_graph()
    probs = leave_one_out(data, 3)
    labelled = data.train_mask | data.val_mask
    assert torch.equal(~probs.isnan().any(dim=1), labelled)
    assert torch.allclose(probs[labelled].sum(dim=1), torch.ones(int(labelled.sum())))
    assert float((probs[labelled].argmax(dim=1) == data.y[labelled]).float().mean()) > 0.6


def test_a_label_has_little_part_in_its_own_prediction() -> None:
    data = block_graph()
    before = leave_one_out(data, 3)
    node = int(data.train_mask.nonzero()[0])
    changed = copy.copy(data)
    changed.y = data.y.clone()
    changed.y[node] = (data.y[node] + 1) % 3
    # The prior and the settings are those of all labels.
    assert torch.allclose(before[node], leave_one_out(changed, 3)[node], atol=0.05)


def test_too_many_or_too_few_labels_are_left_out(monkeypatch) -> None:
    data = block_graph()
    monkeypatch.setattr(module, "MOST_LABELLED", 5)
    assert leave_one_out(data, 3) is None
    monkeypatch.undo()
    few = copy.copy(data)
    few.train_mask = torch.zeros_like(data.train_mask)
    few.val_mask = few.train_mask.clone()
    few.train_mask[0] = True
    assert leave_one_out(few, 3) is None
