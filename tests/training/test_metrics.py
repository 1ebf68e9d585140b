import math

import pytest
import torch

from highwaygraph.training.metrics import (
    accuracy,
    accuracy_by_hop,
    calibration,
    calibration_error,
    edge_precision,
    embed,
    macro_f1,
    separation,
)

Y = torch.tensor([0, 0, 1, 1, 2, -1])
PREDICTED = torch.tensor([0, 1, 1, 1, 0, 2])
ALL = torch.tensor([True] * 5 + [False])
NONE = torch.zeros(6, dtype=torch.bool)


def test_accuracy_counts_the_masked_nodes_only() -> None:
    assert accuracy(PREDICTED, Y, ALL) == 3 / 5
    assert math.isnan(accuracy(PREDICTED, Y, NONE))


def test_macro_f1_by_hand() -> None:
    assert macro_f1(PREDICTED, Y, ALL) == pytest.approx((0.5 + 0.8 + 0.0) / 3)
    assert math.isnan(macro_f1(PREDICTED, Y, NONE))


def test_accuracy_by_hop_has_buckets_for_far_and_unreachable_nodes() -> None:
    hops = torch.tensor([1, 1, 2, 7, 9, -1])
    rows = accuracy_by_hop(PREDICTED == Y, hops, torch.ones(6, dtype=torch.bool), max_hops=3)
    assert [(r.hops, r.nodes, r.accuracy) for r in rows] == [
        ("1", 2, 0.5),
        ("2", 1, 1.0),
        ("3+", 2, 0.5),
        ("unreachable", 1, 0.0),
    ]


def test_edge_precision_uses_held_out_nodes_of_known_class() -> None:
    edges = torch.tensor([[0, 0, 2, 2, 0], [1, 3, 3, 5, 2]])
    held_out = torch.tensor([False, True, False, True, True, True])
    assert edge_precision(edges, Y, held_out) == pytest.approx(2 / 3)
    assert math.isnan(edge_precision(edges[:, :0], Y, held_out))


def test_calibration_of_a_calibrated_model() -> None:
    confidence = torch.tensor([0.75, 0.75, 0.75, 0.75, 1.0])
    bins = calibration(confidence, torch.tensor([True, True, True, False, True]))
    assert [(b.confidence, b.accuracy, b.nodes) for b in bins] == [(0.75, 0.75, 4), (1.0, 1.0, 1)]
    assert calibration_error(bins) == 0.0
    assert calibration_error(calibration(confidence, torch.zeros(5, dtype=torch.bool))) == pytest.approx(0.8)


def test_separation_is_one_for_points_and_small_for_noise() -> None:
    labels = torch.arange(300) % 3
    points = torch.eye(3)[labels]
    assert separation(points, labels) == pytest.approx(1.0)
    noise = torch.randn(300, 2, generator=torch.Generator().manual_seed(0))
    assert separation(noise, labels) < 0.05
    assert separation(5 * noise + 2, labels) == pytest.approx(separation(noise, labels))
    assert math.isnan(separation(torch.ones(4, 2), torch.tensor([0, 0, 1, -1])))


@pytest.mark.parametrize("nodes", [3, 6, 40])
def test_few_nodes_are_embedded(nodes: int) -> None:
    pytest.importorskip("sklearn.manifold", reason="scikit-learn is not installed")
    logits = torch.randn(nodes, 4, generator=torch.Generator().manual_seed(0))
    assert len(embed(logits, 250)) == nodes
