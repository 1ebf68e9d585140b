"""One training for the page."""

import torch

from highwaygraph.annotation.scores import is_trainable
from highwaygraph.data.label_file import Answer, apply_answers
from tests.helpers.annotation import NAMES, TRAIN, cold_graph, named_graph


def labelled(*nodes: int):
    truth = named_graph().y.tolist()
    return apply_answers(cold_graph(), [Answer(node, "label", NAMES[truth[node]]) for node in nodes])


def test_two_labels_in_each_of_two_classes_suffice() -> None:
    assert not is_trainable(cold_graph())
    assert not is_trainable(labelled(0, 1, 2, 20, 40))
    assert is_trainable(labelled(0, 1, 20, 21))


def test_all_nodes_are_predicted() -> None:
    parts: list[tuple[str, float]] = []
    found = TRAIN(labelled(0, 1, 2, 3, 20, 21, 22, 40), lambda *part: parts.append(part))
    assert found.result.predict_proba().shape == (60, 3)
    shares = [share for _, share in parts]
    assert shares
    assert 0 <= min(shares) <= max(shares) <= 1
    assert torch.isfinite(found.result.logits).all()
