from dataclasses import replace

import torch

from highwaygraph.report.opinions import Opinions, read_opinions
from highwaygraph.report.run_data import read
from highwaygraph.runs.history import Candidate
from tests.helpers.example import run, run_data
from tests.helpers.refitted import few_labels


def probs(*classes: int) -> torch.Tensor:
    return torch.nn.functional.one_hot(torch.tensor(classes), 3).float()


def test_probabilities_are_calibrated_and_sum_to_one() -> None:
    found = read_opinions(run_data())
    assert set(found.others) == {"typical training"}
    for part in (found.answer, *found.others.values()):
        assert torch.allclose(part.sum(dim=1), torch.ones(len(part)))
    assert torch.equal(found.answer.argmax(dim=1), run().predict())


def test_simple_baselines_that_competed_are_fitted_again() -> None:
    names = ("label propagation", "smoothed features")
    candidates = tuple(Candidate(name, 0.0, 0.0, 0.0, 0.5, 0.5) for name in names)
    found = read_opinions(read(replace(run(), candidates=candidates)))
    assert set(found.others) == {"typical training", *names}


def test_given_labels_have_predictions_that_they_did_not_train() -> None:
    found, data = read_opinions(run_data()), run().data
    known = ~found.held_out.isnan().any(dim=1)
    assert torch.equal(known, data.train_mask | data.val_mask)
    assert torch.equal(found.held_out[data.val_mask], found.answer[data.val_mask])


def test_a_contradiction_needs_two_others_that_agree() -> None:
    answer = probs(0, 0, 0, 0)
    others = {"a": probs(0, 1, 1, 1), "b": probs(0, 1, 2, 0)}
    assert Opinions(answer, others, answer).contradicted.tolist() == [False, True, False, False]
    assert not Opinions(answer, {"a": others["a"]}, answer).contradicted.any()
    assert not Opinions(answer, {}, answer).contradicted.any()


def test_folds_are_the_predictions_of_given_labels() -> None:
    folds = few_labels().folds
    found = read_opinions(read(few_labels()))
    assert torch.equal(found.held_out[folds.nodes].argmax(dim=1), folds.predict())
    known = ~found.held_out.isnan().any(dim=1)
    assert known.nonzero().flatten().tolist() == folds.nodes.tolist()


def test_disagreement_is_the_number_of_others() -> None:
    others = {"a": probs(0, 1, 1), "b": probs(0, 1, 0)}
    assert Opinions(probs(0, 0, 0), others, probs(0, 0, 0)).disagreement.tolist() == [0, 2, 1]
    assert Opinions(probs(0, 0, 0), {}, probs(0, 0, 0)).disagreement.tolist() == [0, 0, 0]
