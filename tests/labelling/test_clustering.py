"""Medoids and k-means with fixed centres, against brute force."""

from itertools import combinations

import pytest
import torch

from highwaygraph.labelling import clustering
from highwaygraph.labelling.clustering import fit_centres, medoids, nearest, squared_distances


def blobs(centres: list[list[float]], size: int = 12, spread: float = 0.3) -> torch.Tensor:
    """Return points around each centre."""
    generator = torch.Generator().manual_seed(1)
    noise = spread * torch.randn(len(centres), size, 2, generator=generator)
    return (torch.tensor(centres)[:, None] + noise).reshape(-1, 2)


def cost(points: torch.Tensor, chosen: list[int]) -> float:
    return float(torch.cdist(points, points[chosen]).square().min(dim=1).values.sum())


def choose(points: torch.Tensor, count: int, fixed: list[int] | None = None, **options) -> torch.Tensor:
    labelled = torch.tensor(fixed or [], dtype=torch.long)
    allowed = torch.ones(len(points), dtype=torch.bool)
    allowed[labelled] = False
    return medoids(points, count, labelled, allowed, torch.Generator().manual_seed(0), **options)


def test_distances_and_the_nearest_centre_are_those_of_cdist(monkeypatch) -> None:
    points, centres = torch.randn(50, 3), torch.randn(7, 3)
    expected = torch.cdist(points, centres).square()
    assert torch.allclose(squared_distances(points, centres), expected, atol=1e-4)
    monkeypatch.setattr(clustering, "CHUNK_ENTRIES", 30)
    distance, owner = nearest(points, centres)
    assert torch.allclose(distance, expected.min(dim=1).values, atol=1e-4)
    assert torch.equal(owner, expected.argmin(dim=1))


def test_without_centres_everything_is_infinitely_far() -> None:
    distance, owner = nearest(torch.zeros(3, 2), torch.zeros(0, 2))
    assert distance.isinf().all()
    assert (owner == -1).all()


@pytest.mark.parametrize("count", [2, 3])
def test_medoids_cost_hardly_more_than_the_best_subset(count) -> None:
    points = blobs([[0, 0], [4, 0], [0, 5]], size=8)
    best = min(cost(points, list(some)) for some in combinations(range(len(points)), count))
    found = cost(points, choose(points, count).tolist())
    assert best <= found <= 1.1 * best


def test_medoids_beside_a_fixed_point_cost_hardly_more_than_the_best_subset() -> None:
    points = blobs([[0, 0], [4, 0], [0, 5]], size=8)
    others = [node for node in range(len(points)) if node != 3]
    best = min(cost(points, [3, *some]) for some in combinations(others, 2))
    chosen = choose(points, 2, fixed=[3])
    assert cost(points, [3, *chosen.tolist()]) <= 1.1 * best
    assert sorted(node // 8 for node in chosen.tolist()) == [1, 2]


def test_clusters_are_ordered_by_weight() -> None:
    points = torch.cat([blobs([[0, 0]], size=20), blobs([[9, 9]], size=5)])
    assert [node < 20 for node in choose(points, 2).tolist()] == [True, False]
    heavy = torch.ones(25)
    heavy[20:] = 100
    assert [node < 20 for node in choose(points, 2, weights=heavy).tolist()] == [False, True]


def test_only_allowed_points_are_chosen_each_once_even_if_all_are_the_same() -> None:
    points, allowed = torch.zeros(10, 2), torch.arange(10) % 2 == 0
    generator = torch.Generator().manual_seed(0)
    found = medoids(points, 5, torch.tensor([1]), allowed, generator)
    assert sorted(found.tolist()) == [0, 2, 4, 6, 8]


def test_many_centres_are_fitted_in_batches_and_samples_represent_all_points(monkeypatch) -> None:
    points = blobs([[0, 0], [6, 0], [0, 6], [6, 6]], size=50)
    monkeypatch.setattr(clustering, "BATCH_CENTRES", 2)
    monkeypatch.setattr(clustering, "SAMPLED_POINTS", 100)
    found = choose(points, 4)
    assert sorted(node // 50 for node in found.tolist()) == [0, 1, 2, 3]


def test_the_same_generator_gives_the_same_medoids() -> None:
    points = torch.randn(200, 4, generator=torch.Generator().manual_seed(3))
    assert torch.equal(choose(points, 7), choose(points, 7))


def test_centres_are_near_the_means_of_separate_groups() -> None:
    points = blobs([[0, 0], [8, 0]], size=30)
    centres = fit_centres(points, 2, torch.Generator().manual_seed(0))
    means = points.view(2, 30, 2).mean(dim=1)
    assert torch.allclose(centres[centres[:, 0].argsort()], means, atol=1e-5)
