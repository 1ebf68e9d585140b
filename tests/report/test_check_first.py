from dataclasses import replace

import torch

from highwaygraph.report import check_first as module
from highwaygraph.report.check_first import check_first, doubtful_labels
from highwaygraph.report.opinions import Opinions, read_opinions
from highwaygraph.report.run_data import read
from tests.helpers.compared import with_data
from tests.helpers.example import run, run_data
from tests.helpers.refitted import MISLABELLED, few_labels


def test_unlabelled_nodes_are_in_the_order_of_their_confidence() -> None:
    found = check_first(run_data(), read_opinions(run_data()))
    rest = [one for one in found.nodes if one.reason != "given label"]
    assert rest
    percent = [round(100 * one.confidence) for one in rest]
    assert percent == sorted(percent)
    labelled = run().data.train_mask | run().data.val_mask
    assert not any(bool(labelled[one.node]) for one in rest)
    assert found.nodes[: len(found.nodes) - len(rest)] == [one for one in found.nodes if one.reason == "given label"]
    assert len({one.node for one in found.nodes}) == len(found.nodes)


def test_test_labels_do_not_change_the_list() -> None:
    data = run().data
    other = data.y.clone()
    other[data.test_mask] = (other[data.test_mask] + 1) % 3
    changed = read(with_data(run(), y=other))
    before = check_first(run_data(), read_opinions(run_data()))
    after = check_first(changed, read_opinions(changed))
    assert before.nodes == after.nodes
    assert before.listed_errors != after.listed_errors


def test_planted_label_errors_are_found() -> None:
    data = run().data
    labelled = (data.train_mask | data.val_mask).nonzero().flatten()
    planted = labelled[:: len(labelled) // 6][:6]
    labels = data.y.clone()
    labels[planted] = (labels[planted] + 1) % 3
    noisy = read(with_data(run(), y=labels))
    found = doubtful_labels(noisy, read_opinions(noisy).held_out)
    assert len(set(planted.tolist()) & set(found)) >= 4
    assert len(found) <= 3 * len(planted)


def test_nodes_that_all_others_contradict_are_listed_whatever_their_confidence(monkeypatch) -> None:
    monkeypatch.setattr(module, "FEWEST_LISTED", 10)
    monkeypatch.setattr(module, "LISTED_SHARE", 0.01)
    result = run()
    nodes = result.data.test_mask.nonzero().flatten()
    answer = torch.full((len(result.data.y), 3), 0.25)
    answer[:, 0] = 0.5
    certain = int(nodes[-1])
    answer[certain] = torch.tensor([0.98, 0.01, 0.01])
    other = answer.clone()
    other[certain] = torch.tensor([0.0, 1.0, 0.0])
    opinions = Opinions(answer, {"a": other, "b": other}, torch.full_like(answer, float("nan")))
    found = check_first(read(replace(result, logits=answer.log())), opinions)
    assert len(found.nodes) == 10
    last = found.nodes[-1]
    assert (last.node, last.reason, last.others) == (certain, "disagreement", {"a": 1, "b": 1})
    assert {one.reason for one in found.nodes[:-1]} == {"low confidence"}


def test_planted_label_errors_are_first_where_folds_held_them_out() -> None:
    found = read(few_labels())
    opinions = read_opinions(found)
    labels = doubtful_labels(found, opinions.held_out)
    assert set(labels[:2]) == set(MISLABELLED)
    # Every label that its fold contradicts is listed, not only those beyond the threshold.
    folds = few_labels().folds
    assert set(labels) == set(folds.nodes[folds.predict() != folds.labels].tolist())
    listed = check_first(found, opinions).nodes
    assert [one.node for one in listed[: len(labels)]] == labels
    assert {one.reason for one in listed[: len(labels)]} == {"given label"}


def test_a_small_graph_is_listed_in_part() -> None:
    listed = check_first(read(few_labels()), read_opinions(read(few_labels()))).nodes
    assert 0 < len(listed) <= 20
    assert all(one.confidence < module.CERTAIN for one in listed if one.reason == "low confidence")


def opinions_of(*confidence: float, other: int = 0) -> Opinions:
    """Return an answer of class 0 for all nodes, and two others of which one predicts another class for some."""
    answer = torch.tensor([[one, (1 - one) * 0.7, (1 - one) * 0.3] for one in confidence])
    same, apart = torch.tensor([[1.0, 0, 0]]).expand_as(answer), torch.tensor([0.0, 0, 1.0])
    one = same.clone()
    one[len(answer) - other :] = apart
    return Opinions(answer, {"a": one, "b": same}, torch.full_like(answer, float("nan")))


def test_equal_confidences_are_in_the_order_of_disagreement_and_margin() -> None:
    answer = opinions_of(0.5, 0.503, 0.497, 0.4, other=1)
    assert module._by_confidence(answer).tolist() == [3, 2, 0, 1]
    disputed = opinions_of(0.5, 0.497, 0.503, other=1)
    assert module._by_confidence(disputed).tolist() == [2, 1, 0]


def test_a_certain_node_is_listed_only_where_half_of_the_others_disagree() -> None:
    count = run().data.num_nodes
    certain = opinions_of(*[0.99] * count, other=60)
    found = check_first(run_data(), certain).nodes
    assert found
    assert {one.reason for one in found} == {"disagreement"}
    assert check_first(run_data(), opinions_of(*[0.99] * count)).nodes == []
