from dataclasses import replace

import torch

from highwaygraph.report import check_first as module
from highwaygraph.report.check_first import check_first, doubtful_labels
from highwaygraph.report.opinions import Opinions, read_opinions
from highwaygraph.report.run_data import read
from tests.helpers.compared import with_data
from tests.helpers.example import run, run_data


def test_unlabelled_nodes_are_in_the_order_of_their_confidence() -> None:
    found = check_first(run_data(), read_opinions(run_data()))
    rest = [one for one in found.nodes if one.reason != "given label"]
    assert rest
    confidence = [one.confidence for one in rest]
    assert confidence == sorted(confidence)
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
    monkeypatch.setattr(module, "MOST_LISTED", 10)
    monkeypatch.setattr(module, "MOST_LABELS", 0)
    result = run()
    nodes = result.data.test_mask.nonzero().flatten()
    answer = torch.full((len(result.data.y), 3), 0.25)
    answer[:, 0] = 0.5
    certain = int(nodes[-1])
    answer[certain] = torch.tensor([0.98, 0.01, 0.01])
    other = answer.clone()
    other[certain] = torch.tensor([0.0, 1.0, 0.0])
    found = check_first(read(replace(result, logits=answer.log())), Opinions(answer, {"a": other, "b": other}, answer))
    assert len(found.nodes) == 10
    last = found.nodes[-1]
    assert (last.node, last.reason, last.others) == (certain, "disagreement", {"a": 1, "b": 1})
    assert {one.reason for one in found.nodes[:-1]} == {"low confidence"}
