import torch

from highwaygraph.training.targets.multilabel import MULTILABEL
from highwaygraph.training.targets.single_label import SINGLE_LABEL
from highwaygraph.training.targets.target import Decision, Target


def test_both_targets_have_the_interface() -> None:
    assert isinstance(SINGLE_LABEL, Target)
    assert isinstance(MULTILABEL, Target)


def test_a_decision_shifts_two_classes_or_compares_labels_with_thresholds() -> None:
    logits = torch.tensor([[1.0, 0.5]])
    assert Decision().predict(logits).tolist() == [0]
    assert Decision(shift=1.0).predict(logits).tolist() == [1]
    assert Decision(thresholds=(0.9, 0.5)).predict(logits).tolist() == [[0, 1]]
    assert (Decision().is_tuned, Decision(shift=1.0).is_tuned, Decision(thresholds=(0.5,)).is_tuned) == (
        False,
        True,
        True,
    )
