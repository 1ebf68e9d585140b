"""Transductive experimental design against the inverse matrix of every choice."""

import pytest
import torch

from highwaygraph.labelling.design import RIDGE, design


def mean_variance(points: torch.Tensor, chosen: list[int], weights: torch.Tensor) -> float:
    known = points[chosen]
    inverse = torch.linalg.inv(RIDGE * torch.eye(points.size(1), dtype=torch.double) + known.T @ known)
    return float((weights * ((points @ inverse) * points).sum(dim=1)).sum())


@pytest.mark.parametrize("labelled", [[], [4, 11]])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_step_decreases_the_variance_as_much_as_possible(labelled, weighted) -> None:
    generator = torch.Generator().manual_seed(2)
    points = torch.randn(40, 5, generator=generator)
    weights = torch.rand(40, generator=generator) if weighted else torch.ones(40)
    allowed = torch.arange(40) % 3 > 0
    allowed[labelled] = False
    found = design(points, 6, torch.tensor(labelled, dtype=torch.long), allowed, weights if weighted else None)
    unit, chosen = (points / points.square().sum(dim=1).mean().sqrt()).double(), list(labelled)
    for node in found.tolist():
        others = [other for other in range(40) if allowed[other] and other not in chosen]
        costs = {other: mean_variance(unit, [*chosen, other], weights.double()) for other in others}
        assert costs[node] == pytest.approx(min(costs.values()), rel=1e-5)
        chosen.append(node)


def test_points_without_columns_or_of_length_zero_are_chosen_too() -> None:
    everything, nothing = torch.ones(4, dtype=torch.bool), torch.empty(0, dtype=torch.long)
    assert sorted(design(torch.zeros(4, 0), 4, nothing, everything).tolist()) == [0, 1, 2, 3]
    assert sorted(design(torch.zeros(4, 2), 3, nothing, everything).tolist()) == [0, 1, 2]
