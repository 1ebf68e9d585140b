"""Ridge votes against a loop that fits the regression again without each node."""

import pytest
import torch

from highwaygraph.nn.votes import rows as module
from highwaygraph.nn.votes.ridge import RidgeVotes
from highwaygraph.nn.votes.rows import Rows


def example(n: int = 50, f: int = 8, classes: int = 3) -> tuple[torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(0)
    return torch.randn(n, f, generator=rng), torch.randn(n, classes, generator=rng).softmax(1)


def left_out(x: torch.Tensor, probs: torch.Tensor, penalty: float) -> torch.Tensor:
    """Return the prediction of every node by the regression on all others, one after the other."""
    x, prior = x.double(), probs.double().mean(0)
    found = []
    for node in range(len(x)):
        keep = torch.arange(len(x)) != node
        gram = x[keep].T @ x[keep] + penalty * torch.eye(x.size(1), dtype=torch.double)
        found.append(prior + x[node] @ torch.linalg.solve(gram, x[keep].T @ (probs.double()[keep] - prior)))
    return torch.stack(found).float()


@pytest.mark.parametrize("penalty", [0.1, 1.0, 30.0])
@pytest.mark.parametrize("chunk", [2**24, 8 * 9])
def test_votes_equal_the_regression_without_the_node(penalty, chunk, monkeypatch) -> None:
    monkeypatch.setattr(module, "CHUNK_ENTRIES", chunk)
    x, probs = example()
    scaled = x / x.square().sum(1).mean().sqrt()
    votes = RidgeVotes(Rows(x), penalty, 64, torch.Generator()).votes(probs)
    torch.testing.assert_close(votes, left_out(scaled, probs, penalty), atol=1e-4, rtol=1e-4)


def test_a_node_has_no_part_in_its_own_vote() -> None:
    x, probs = example()
    other = probs.clone()
    other[7] = torch.tensor([1.0, 0.0, 0.0])
    ridge = RidgeVotes(Rows(x), 1.0, 64, torch.Generator())
    one, two = ridge.votes(probs), ridge.votes(other)
    # The mean that the regression is centred with changes by 1 / n.
    assert (one[7] - two[7]).abs().max() < (one - two).abs().max()
    assert (one[7] - two[7]).abs().max() < 2 / len(x)


def test_the_projection_keeps_the_votes_of_a_matrix_of_low_rank() -> None:
    rng = torch.Generator().manual_seed(0)
    x = torch.randn(200, 5, generator=rng) @ torch.randn(5, 90, generator=rng)
    probs = torch.randn(200, 3, generator=rng).softmax(1)
    exact, projected = (RidgeVotes(Rows(x), 1.0, rank, torch.Generator().manual_seed(1)) for rank in (90, 10))
    assert projected.basis is not None
    torch.testing.assert_close(exact.votes(probs), projected.votes(probs), atol=1e-4, rtol=1e-3)


def test_new_rows_are_predicted_from_all_voters() -> None:
    x, probs = example()
    scaled, prior = (x / x.square().sum(1).mean().sqrt()).double(), probs.double().mean(0)
    weights = torch.linalg.solve(scaled.T @ scaled + torch.eye(8).double(), scaled.T @ (probs.double() - prior))
    ridge = RidgeVotes(Rows(x), 1.0, 64, torch.Generator())
    found = ridge.predict(Rows(x[:5], length=ridge.rows.length), probs)
    torch.testing.assert_close(found, (prior + scaled[:5] @ weights).float(), atol=1e-4, rtol=1e-4)


@pytest.mark.parametrize("rank", [3, 256])
def test_the_weights_of_voters_give_the_votes(rank: int, monkeypatch) -> None:
    monkeypatch.setattr(module, "CHUNK_ENTRIES", 8 * 20)
    x, probs = example()
    ridge = RidgeVotes(Rows(x), 1.0, rank, torch.Generator().manual_seed(0))
    nodes, prior = torch.tensor([30, 2, 49]), probs.mean(dim=0)
    weights = ridge.voter_weights(nodes)
    assert not weights[range(3), nodes].any()
    torch.testing.assert_close(prior + weights @ (probs - prior), ridge.votes(probs)[nodes], rtol=1e-3, atol=1e-4)
