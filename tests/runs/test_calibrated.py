"""Temperatures: those of simulated nodes are found, and distance is used only where it helps."""

import pytest
import torch

from highwaygraph.runs.calibrated import (
    HeldOutPredictions,
    calibrated_probs,
    distance_groups,
    fit_calibration,
    held_out_predictions,
)
from tests.helpers.graphs import block_graph
from tests.helpers.refitted import refitted


def simulated(temperatures: tuple[float, ...], count: int = 900, seed: int = 0) -> HeldOutPredictions:
    """Return logits that are too sharp by a factor per group, with labels drawn from the true probabilities."""
    draw = torch.Generator().manual_seed(seed)
    group = torch.arange(count) % 3
    true = 2 * torch.randn(count, 4, generator=draw)
    labels = torch.multinomial(true.softmax(dim=1), 1, generator=draw)[:, 0]
    return HeldOutPredictions(true * torch.tensor(temperatures)[group][:, None], labels, group)


@pytest.mark.parametrize("temperature", [0.5, 1.0, 3.0])
def test_one_temperature_is_found(temperature: float) -> None:
    found = fit_calibration(simulated((temperature,) * 3)).temperatures
    assert all(one == pytest.approx(temperature, rel=0.35) for one in found)


def test_far_nodes_have_a_temperature_of_their_own() -> None:
    found = fit_calibration(simulated((1.0, 1.0, 5.0)))
    assert found.is_by_distance
    assert found.temperatures[2] == pytest.approx(5.0, rel=0.35)
    assert found.temperatures[0] == pytest.approx(1.0, rel=0.35)


def test_groups_of_few_nodes_share_a_temperature() -> None:
    assert not fit_calibration(simulated((1.0, 1.0, 5.0), count=45)).is_by_distance


def test_calibration_improves_held_out_likelihood() -> None:
    found, fresh = fit_calibration(simulated((4.0,) * 3)), simulated((4.0,) * 3, seed=1)
    before = fresh.logits.log_softmax(dim=1).gather(1, fresh.labels[:, None]).mean()
    after = found.probs(fresh.logits, fresh.group).log().gather(1, fresh.labels[:, None]).mean()
    assert float(after) > float(before) + 0.1


def test_groups_are_hops_to_the_nearest_training_node() -> None:
    data = block_graph()
    group = distance_groups(data, data.train_mask)
    neighbours = data.edge_index[1][data.train_mask[data.edge_index[0]]]
    assert bool((group[neighbours] == 0).all())
    assert set(group.tolist()) <= {0, 1, 2}


def test_a_refitted_run_is_calibrated_out_of_fold() -> None:
    result = refitted()
    found = held_out_predictions(result)
    assert result.folds is not None
    assert torch.equal(found.logits.argmax(dim=1), result.folds.predict())
    # Every fold has the scale of the model of all labels.
    for number in range(len(result.folds.folds)):
        rows = found.logits[result.folds.fold == number]
        torch.testing.assert_close(rows.std(dim=1, correction=0).mean(), result.logits.std(dim=1, correction=0).mean())
    probs = calibrated_probs(result)
    assert torch.equal(probs.argmax(dim=1), result.predict())
    assert probs.sum(dim=1).tolist() == pytest.approx([1.0] * len(probs))


def test_without_held_out_nodes_nothing_is_calibrated() -> None:
    none = HeldOutPredictions(torch.empty(0, 4), torch.empty(0).long(), torch.empty(0).long())
    assert fit_calibration(none).temperatures == (1.0, 1.0, 1.0)
