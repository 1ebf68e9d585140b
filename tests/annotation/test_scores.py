"""One training for the page."""

import torch

import highwaygraph as hg
from highwaygraph.annotation.scores import is_trainable, train_and_score
from highwaygraph.data.label_file import Answer, apply_answers
from tests.helpers.annotation import NAMES, QUICK, TRAIN, cold_graph, named_graph


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
    assert found.point is not None
    assert (found.point.labels, found.point.classes, found.point.folds) == (8, 3, 4)
    assert 0 <= found.point.low <= found.point.accuracy <= found.point.high <= 1


def test_there_is_no_accuracy_with_too_few_labels_for_folds() -> None:
    found = TRAIN(labelled(0, 1, 20, 21), lambda *_: None)
    assert found.point is None
    assert found.result.predict_proba().shape == (60, 2)


def test_chance_does_not_select_the_first_epochs() -> None:
    network, config = hg.Network(hidden=8), hg.override(QUICK, {"fit.epochs": 60})
    found = train_and_score(network, config, labelled(0, 1, 2, 20, 21, 22), lambda *_: None)
    assert max(round.epochs for round in found.result.rounds) >= 50
