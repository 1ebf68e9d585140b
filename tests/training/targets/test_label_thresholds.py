import pytest
import torch

from highwaygraph.training.targets.label_thresholds import label_thresholds


def f1(probs: list[float], positive: list[bool], threshold: float) -> float:
    hits = sum(p >= threshold and y for p, y in zip(probs, positive, strict=True))
    return 2 * hits / (sum(p >= threshold for p in probs) + sum(positive))


@pytest.mark.parametrize("seed", range(5))
def test_the_threshold_is_about_as_good_as_the_best_one_and_closest_to_the_middle(seed) -> None:
    draw = torch.Generator().manual_seed(seed)
    positive = torch.rand(60, generator=draw) < 0.25
    logits = torch.randn(60, generator=draw) + 2.0 * positive - 2
    (found,) = label_thresholds(logits[:, None], positive.long()[:, None])
    probs, labels = logits.double().sigmoid().tolist(), positive.tolist()
    middle = [(a + b) / 2 for a, b in zip(sorted(probs)[1:], sorted(probs)[:-1], strict=True)]
    scores = {t: f1(probs, labels, t) for t in (0.5, min(probs), *middle)}
    best = max(scores.values())
    least = best - 0.5 * (best * (1 - best) / sum(labels)) ** 0.5
    expected = min((t for t, score in scores.items() if score >= least), key=lambda t: abs(t - 0.5))
    assert found == pytest.approx(expected)
    assert scores[0.5] < best


def test_labels_with_few_nodes_keep_one_half() -> None:
    logits = torch.full((20, 3), -3.0)
    labels = torch.zeros(20, 3, dtype=torch.long)
    labels[:4, 0], labels[:5, 1], labels[:16, 2] = 1, 1, 1
    logits[:5] = -1.0
    assert label_thresholds(logits, labels)[0] == 0.5
    assert label_thresholds(logits, labels)[1] < 0.3
    assert label_thresholds(logits, labels)[2] == 0.5
