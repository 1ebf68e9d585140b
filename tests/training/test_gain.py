import math

import pytest
import torch

from highwaygraph.training.gain import Gain, paired_gain, score_gain, verdict


def gain(corrected: int, newly_wrong: int, nodes: int) -> Gain:
    before = torch.arange(nodes) < newly_wrong
    return paired_gain(before, (torch.arange(nodes) >= newly_wrong) & (torch.arange(nodes) < newly_wrong + corrected))


def test_the_gain_counts_corrected_and_newly_wrong_nodes() -> None:
    before, after = torch.tensor([1, 1, 0, 0, 0]).bool(), torch.tensor([1, 0, 1, 1, 0]).bool()
    found = paired_gain(before, after)
    assert (found.corrected, found.newly_wrong, found.nodes) == (2, 1, 5)
    assert found.points == pytest.approx(20)
    differences = (after.float() - before.float()).double()
    assert found.error == pytest.approx(100 * float(differences.std(unbiased=False)) / 5**0.5)
    assert paired_gain(before[:0], after[:0]).points == 0


def test_the_interval_is_that_of_a_table_with_half_a_node_more_in_each_cell() -> None:
    found = gain(corrected=12, newly_wrong=5, nodes=100)
    share, discordant = (12.5 - 5.5) / 102, (12.5 + 5.5) / 102
    width = 1.96 * math.sqrt((discordant - share**2) / 102)
    assert found.interval == pytest.approx((100 * (share - width), 100 * (share + width)))


def test_the_interval_is_never_empty_and_never_beyond_all_nodes() -> None:
    for case in (gain(0, 0, 0), gain(0, 0, 4), gain(4, 0, 4), gain(0, 4, 4)):
        low, high = case.interval
        assert -100 <= low < high <= 100
    assert gain(0, 0, 0).interval[1] > 90


@pytest.mark.parametrize(("corrected", "newly_wrong"), [(0.03, 0.03), (0.08, 0.04), (0.2, 0.05), (0.02, 0.01)])
@pytest.mark.parametrize("nodes", [40, 200, 1000])
def test_the_interval_covers_the_true_difference_in_about_95_percent_of_samples(corrected, newly_wrong, nodes) -> None:
    rng = torch.Generator().manual_seed(0)
    draws = torch.rand(2000, nodes, generator=rng)
    better, worse = (draws < corrected).sum(1), ((draws >= corrected) & (draws < corrected + newly_wrong)).sum(1)
    intervals = [Gain(0.0, 0.0, int(b), int(w), nodes).interval for b, w in zip(better, worse, strict=True)]
    covered = sum(low <= 100 * (corrected - newly_wrong) <= high for low, high in intervals) / 2000
    assert 0.93 <= covered


@pytest.mark.parametrize(
    ("corrected", "newly_wrong", "nodes", "expected"),
    [
        (40, 10, 1000, "better"),
        (10, 40, 1000, "worse"),
        (26, 24, 1000, "no difference"),
        (0, 0, 1000, "no difference"),
        # A clear difference needs few nodes, the exclusion of any useful difference many.
        (15, 1, 60, "better"),
        (3, 1, 60, "too few nodes"),
        (20, 0, 29, "too few nodes"),
        (0, 0, 0, "too few nodes"),
    ],
)
def test_verdicts(corrected, newly_wrong, nodes, expected) -> None:
    assert verdict(gain(corrected, newly_wrong, nodes)) == expected


def test_the_verdict_is_the_opposite_in_the_other_direction() -> None:
    rng = torch.Generator().manual_seed(1)
    opposite = {"better": "worse", "worse": "better"}
    for nodes in (20, 60, 400, 3000):
        before, after = (torch.rand(nodes, generator=rng) < share for share in (0.7, 0.8))
        there, back = verdict(paired_gain(before, after)), verdict(paired_gain(after, before))
        assert back == opposite.get(there, there)


def test_a_gain_of_scores_that_are_0_or_1_is_the_gain_in_accuracy() -> None:
    draw = torch.Generator().manual_seed(0)
    before, after = (torch.rand(80, generator=draw) < share for share in (0.6, 0.8))
    plain, scored = paired_gain(before, after), score_gain(before.double(), after.double())
    assert scored.points == pytest.approx(plain.points)
    assert scored.interval == pytest.approx(plain.interval)
    assert verdict(scored) == verdict(plain)
