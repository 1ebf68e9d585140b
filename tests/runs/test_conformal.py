"""Prediction sets: their coverage on exchangeable nodes is the wanted one, within binomial noise."""

import math

import pytest
import torch

from highwaygraph.errors import ConfigError
from highwaygraph.runs.calibrated import HeldOutPredictions, fit_calibration
from highwaygraph.runs.conformal import coverage_by_distance, least_nodes, least_probability, prediction_sets, run_sets
from tests.helpers.refitted import refitted


@pytest.mark.parametrize("coverage", [0.8, 0.9, 0.95])
def test_coverage_by_simulation(coverage: float) -> None:
    draw = torch.Generator().manual_seed(7)
    repeats, held_out, fresh, covered = 200, 200, 200, []
    for _ in range(repeats):
        true = 2 * torch.randn(held_out + fresh, 5, generator=draw)
        labels = torch.multinomial(true.softmax(dim=1), 1, generator=draw)[:, 0]
        # Far too confident, and fitted on the same nodes that set the least probability.
        logits, group = 3 * true, torch.zeros(len(true), dtype=torch.long)
        found = fit_calibration(HeldOutPredictions(logits[:held_out], labels[:held_out], group[:held_out]))
        probs = found.probs(logits, group)
        least = least_probability(probs[:held_out], labels[:held_out], coverage)
        sets = prediction_sets(probs[held_out:], least)
        covered.append(float(sets.gather(1, labels[held_out:, None]).double().mean()))
    mean = sum(covered) / repeats
    # Each repeat draws a least probability: both samples vary.
    error = math.sqrt(coverage * (1 - coverage) * (1 / held_out + 1 / fresh) / repeats)
    assert coverage - 3 * error <= mean <= coverage + 1 / held_out + 3 * error


def test_the_least_probability_of_an_example() -> None:
    probs = torch.tensor([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3]], dtype=torch.double)
    labels = torch.zeros(3, dtype=torch.long)
    assert least_probability(probs, labels, 0.5) == pytest.approx(0.8)
    # The 4th smallest of three scores: every class is needed.
    assert least_probability(probs, labels, 0.9) == 0.0
    assert prediction_sets(probs, 0.0).all()


def test_no_set_is_empty() -> None:
    sets = prediction_sets(torch.tensor([[0.4, 0.35, 0.25]]), 0.9)
    assert sets.tolist() == [[True, False, False]]


@pytest.mark.parametrize("coverage", [0.0, 1.0, 90.0])
def test_an_impossible_coverage_is_refused(coverage: float) -> None:
    with pytest.raises(ConfigError, match="between 0 and 1"):
        least_probability(torch.ones(2, 1), torch.zeros(2, dtype=torch.long), coverage)


def test_folds_are_covered_by_sets_from_the_others() -> None:
    result = refitted()
    rows = coverage_by_distance(result, 0.9)
    assert rows[-1].hops == "all"
    assert rows[-1].nodes == result.data.num_nodes == sum(row.nodes for row in rows[:-1])
    assert rows[-1].coverage == pytest.approx(0.9, abs=0.1)
    assert 1 <= rows[-1].size <= 3
    assert run_sets(result, 0.9).shape == (180, 3)


@pytest.mark.parametrize("coverage", [0.01, 0.3, 0.5, 0.8, 0.9, 0.95, 0.99])
def test_the_least_number_of_nodes_is_the_first_that_excludes_a_class(coverage: float) -> None:
    probs = torch.tensor([[0.9, 0.1]], dtype=torch.double)

    def least(count: int) -> float:
        return least_probability(probs.expand(count, -1), torch.zeros(count, dtype=torch.long), coverage)

    count = least_nodes(coverage)
    assert least(count) == 0.9
    assert count == 0 or least(count - 1) == 0
