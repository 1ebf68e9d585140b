import torch

from highwaygraph.nn.decision import decide_labels, probabilities


def test_labels_are_decided_by_thresholds_and_classes_by_the_largest_logit() -> None:
    logits = torch.randn(50, 3, generator=torch.Generator().manual_seed(0))
    assert torch.equal(decide_labels(logits), logits.argmax(dim=1))
    by_hand = [[int(p >= t) for p, t in zip(row, (0.2, 0.5, 0.9), strict=True)] for row in logits.sigmoid().tolist()]
    assert decide_labels(logits, (0.2, 0.5, 0.9)).tolist() == by_hand


def test_probabilities_of_classes_sum_to_one_and_those_of_labels_do_not() -> None:
    logits = torch.tensor([[3.0, 3.0]])
    assert probabilities(logits).sum().item() == 1
    assert probabilities(logits, several=True).sum().item() > 1.8
