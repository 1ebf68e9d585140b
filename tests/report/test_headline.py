from dataclasses import replace

import pytest
import torch

from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.report.headline import headline
from highwaygraph.report.run_data import read
from highwaygraph.runs.history import TYPICAL
from highwaygraph.training.gain import Gain
from tests.helpers.compared import with_predictions
from tests.helpers.example import run, run_data, without_test
from tests.helpers.refitted import few_labels


def test_one_number_and_one_sentence_with_the_count_and_the_interval() -> None:
    found = run_data()
    first = headline(found)
    low, high = found.gain.interval
    assert first.number == f"{found.gain.points:+.1f}"
    assert first.unit == "points"
    assert "of 120 test nodes correctly" in first.sentence
    assert f"{low:+.1f} to {high:+.1f} points" in first.certainty


def test_the_verdict_is_that_of_the_interval() -> None:
    result = run()
    labels, wrong = result.data.y, (result.data.y + 1) % 3
    better = read(replace(with_predictions(result, labels), baseline=replace(result.baseline, logits=_one_hot(wrong))))
    assert headline(better).sentence.startswith("It helped:")
    assert headline(better).kind == "up"
    worse = read(replace(with_predictions(result, wrong), baseline=replace(result.baseline, logits=_one_hot(labels))))
    assert headline(worse).sentence.startswith("It did harm:")
    assert headline(worse).kind == "down"
    corrected = labels.clone()
    corrected[result.data.test_mask.nonzero()[0]] = wrong[result.data.test_mask.nonzero()[0]]
    one = read(replace(with_predictions(result, labels), baseline=replace(result.baseline, logits=_one_hot(corrected))))
    assert "1 node was corrected, 0 are newly wrong" in headline(one).certainty


@pytest.mark.parametrize(
    ("gain", "start"),
    [
        (Gain(3.0, 1.0, 40, 10, 1000), "It helped"),
        (Gain(-3.0, 1.0, 10, 40, 1000), "It did harm"),
        (Gain(0.1, 0.5, 13, 12, 1000), "It made no clear difference"),
        (Gain(3.0, 3.0, 5, 2, 100), "There are too few nodes to decide"),
    ],
)
def test_the_conclusion_follows_from_the_interval(gain, start) -> None:
    found = replace(run_data())
    found.__dict__["gain"] = gain
    assert headline(found).sentence.startswith(start)


def test_a_simpler_answer_and_the_largest_class_are_named() -> None:
    found = read(replace(run(), answer="features alone"))
    assert "the answer (features alone) classifies" in headline(found).sentence
    count = found.ours.confusion.sum(dim=1)
    share = 100 * float(count.max() / count.sum())
    assert (
        f"Predicting {found.classes[int(count.argmax())]} for all nodes gives {share:.1f} %." in headline(found).limits
    )


def test_without_a_comparison_the_number_is_the_accuracy() -> None:
    alone = headline(run_data(baseline=False))
    assert alone.number == f"{100 * run().test:.1f}"
    assert "Typical training was not run" in alone.certainty
    typical = override(PRESETS["typical"], {"fit.epochs": 1})
    itself = headline(read(replace(run(baseline=False), config=typical)))
    assert "This run is typical training" in itself.certainty
    assert "was not run" not in itself.certainty
    same = headline(read(replace(run(), answer=TYPICAL)))
    assert "The answer is typical training itself" in same.certainty


def test_an_evaluation_on_validation_is_named() -> None:
    found = headline(read(without_test(run())))
    assert "validation nodes correctly" in found.sentence
    assert "There are no test nodes" in found.limits


def _one_hot(classes: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.one_hot(classes, 3).float()


def test_typical_training_as_the_answer_names_what_decided() -> None:
    assert "is better on the folds" in headline(read(replace(few_labels(), answer=TYPICAL))).certainty
    assert "is better on validation" in headline(read(replace(run(), answer=TYPICAL))).certainty
