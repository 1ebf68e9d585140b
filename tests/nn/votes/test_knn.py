"""Nearest-neighbour votes against a brute-force search."""

import pytest
import torch

from highwaygraph.nn.votes import knn as module
from highwaygraph.nn.votes.knn import KnnVotes
from highwaygraph.nn.votes.rows import Rows


def example(n: int = 60, f: int = 6) -> tuple[torch.Tensor, torch.Tensor]:
    rng = torch.Generator().manual_seed(0)
    return torch.randn(n, f, generator=rng), torch.randn(n, 3, generator=rng).softmax(1)


def brute_force(x: torch.Tensor, probs: torch.Tensor, k: int) -> torch.Tensor:
    found = []
    for node in range(len(x)):
        similarity = torch.cosine_similarity(x[node], x, dim=1)
        similarity[node] = -2
        nearest = sorted(range(len(x)), key=lambda other, s=similarity: -float(s[other]))[:k]
        weight = similarity[nearest].clamp(min=0)
        found.append((weight[:, None] * probs[nearest]).sum(0) / weight.sum())
    return torch.stack(found)


def whitened(x: torch.Tensor) -> torch.Tensor:
    u, s, _ = torch.linalg.svd((x / x.square().sum(1).mean().sqrt()).double(), full_matrices=False)
    return (u * (s / (s.square() + 1.0).sqrt())).float()


@pytest.mark.parametrize("whiten", [None, 1.0])
def test_votes_are_those_of_a_brute_force_search(whiten, monkeypatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 16)
    x, probs = example()
    votes = KnnVotes(Rows(x), 5, 64, whiten, torch.Generator()).votes(probs)
    torch.testing.assert_close(votes, brute_force(x if whiten is None else whitened(x), probs, 5), atol=1e-4, rtol=1e-3)


def test_voters_of_a_large_graph_are_an_even_sample(monkeypatch) -> None:
    monkeypatch.setattr(module, "MOST_VOTERS", 20)
    x, probs = example()
    knn = KnnVotes(Rows(x), 5, 64, None, torch.Generator())
    assert knn.voters.tolist() == list(range(0, 60, 3))
    one_hot = torch.zeros_like(probs)
    one_hot[knn.voters, 1] = 1.0
    assert (knn.votes(one_hot).argmax(1) == 1).all()


def test_a_row_without_similar_voters_gets_the_prior() -> None:
    x, probs = example()
    x[3] = 0
    votes = KnnVotes(Rows(x), 5, 64, None, torch.Generator()).votes(probs)
    torch.testing.assert_close(votes[3], probs.mean(0))


def test_the_rows_of_the_voters_predict_themselves_as_new_nodes() -> None:
    x, probs = example()
    knn = KnnVotes(Rows(x), 1, 64, None, torch.Generator())
    torch.testing.assert_close(knn.predict(Rows(x), probs), probs, atol=1e-5, rtol=1e-5)


def test_the_weights_of_voters_give_the_votes() -> None:
    x, probs = example()
    knn = KnnVotes(Rows(x), neighbors=5, rank=256, whiten=None, rng=torch.Generator())
    nodes, prior = torch.tensor([30, 2]), probs.mean(dim=0)
    weights = knn.voter_weights(nodes)
    assert not weights[range(2), nodes].any()
    assert int((weights > 0).sum(dim=1).max()) <= 5
    torch.testing.assert_close(prior + weights @ (probs - prior), knn.votes(probs)[nodes])
