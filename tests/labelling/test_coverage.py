"""Influence and greedy coverage against dense and brute-force computations."""

import networkx as nx
import numpy as np
import torch
from scipy.sparse import csr_array

from highwaygraph.labelling import coverage
from highwaygraph.labelling.coverage import Points, greedy_coverage, influence

NODES = 30


def adjacency() -> csr_array:
    return csr_array(nx.to_scipy_sparse_array(nx.gnp_random_graph(NODES, 0.12, seed=4), dtype=float))


def dense_influence(threshold: float) -> np.ndarray:
    loops = adjacency().toarray() + np.eye(NODES)
    walk = loops / loops.sum(axis=1, keepdims=True)
    return walk @ walk >= threshold


def brute_force(covers: np.ndarray, points: Points, labelled: list[int], count: int) -> list[int]:
    """Return the greedy choice by evaluating the whole objective for every candidate in every step."""
    distances = torch.cdist(points.references.double(), points.candidates.double()).numpy()
    largest = distances.max()

    def value(chosen: list[int]) -> float:
        share = covers[:, chosen].any(axis=1).mean() if chosen else 0.0
        nearest = distances[:, chosen].min(axis=1) if chosen else np.full(len(distances), largest)
        return share + float((largest - nearest).mean() / largest)

    chosen = list(labelled)
    for _ in range(count):
        chosen.append(max((k for k in range(NODES) if k not in chosen), key=lambda k: value([*chosen, k])))
    return chosen[len(labelled) :]


def test_influence_is_the_two_step_walk_above_the_threshold(monkeypatch) -> None:
    monkeypatch.setattr(coverage, "CHUNK_COLUMNS", 7)
    nodes = torch.arange(0, NODES, 2)
    found = influence(adjacency(), nodes, threshold=0.1).toarray()
    assert np.array_equal(found, dense_influence(0.1)[:, nodes.numpy()])


def test_greedy_coverage_is_that_of_brute_force() -> None:
    points = torch.randn(NODES, 3, generator=torch.Generator().manual_seed(0))
    covers, labelled = influence(adjacency(), torch.arange(NODES), 0.1), [5, 9]
    own = Points(points, points, points[labelled])
    # Labelled nodes are no candidates: their gain is 0 anyway, and no other candidate's gain is.
    found, gains = greedy_coverage(covers, influence(adjacency(), torch.tensor(labelled), 0.1), own, 5)
    assert found.tolist() == brute_force(dense_influence(0.1), own, labelled, 5)
    assert (gains.diff() <= 1e-6).all()


def test_coverage_alone_chooses_the_hub_first() -> None:
    star = csr_array(nx.to_scipy_sparse_array(nx.star_graph(9), dtype=float))
    points = Points(torch.zeros(10, 2), torch.zeros(10, 2), torch.zeros(0, 2))
    nobody = influence(star, torch.arange(10))[:, :0]
    found, gains = greedy_coverage(influence(star, torch.arange(10), 0.2), nobody, points, 2, diversity=0.0)
    assert int(found[0]) == 0
    assert float(gains[0]) == 1.0
