"""Voters of a graph."""

from types import SimpleNamespace

import pytest
import torch

import highwaygraph as hg
from highwaygraph.config import Fit, Votes
from highwaygraph.errors import DataError
from highwaygraph.graph.splits import validate_split
from highwaygraph.graph.validate import validate
from highwaygraph.nn.votes.voter import Voter, known_probs, log_votes
from tests.helpers.graphs import block_graph

FIT = Fit(features="raw")


def graph(seed: int = 0) -> hg.load:
    return validate_split(validate(block_graph(seed=seed)))


def uncertain(data) -> torch.Tensor:
    """Return logits that name the right class for most nodes."""
    rng = torch.Generator().manual_seed(0)
    return 2 * torch.nn.functional.one_hot(data.y, 3).float() + torch.randn(len(data.y), 3, generator=rng)


@pytest.mark.parametrize("method", ["ridge", "knn", "whitened-knn"])
def test_votes_know_classes_and_shuffled_features_do_not(method) -> None:
    data = graph()
    logits = uncertain(data)
    right = {
        control: float(
            (Voter("features", data, Votes(views=("features",), method=method, control=control), FIT, 0).logits(logits))
            .argmax(1)
            .eq(data.y)[data.test_mask]
            .float()
            .mean()
        )
        for control in ("none", "shuffled")
    }
    assert right["none"] > 0.55 > right["shuffled"] + 0.1


def test_propagated_features_vote_as_a_control() -> None:
    data = graph()
    control = Votes(views=("features",), control="propagated")
    assert Voter("features", data, control, FIT, 0).logits(uncertain(data)).shape == (data.num_nodes, 3)


def test_labels_of_training_nodes_vote_and_others_are_not_read() -> None:
    data = graph()
    logits = uncertain(data)
    probs = known_probs(logits, data)
    train = data.train_mask
    assert (probs[train].argmax(1) == data.y[train]).all()
    assert (probs[train].amax(1) == 1).all()
    torch.testing.assert_close(probs[~train], logits.softmax(1)[~train])


def test_a_vote_for_the_prior_changes_nothing() -> None:
    probs = torch.tensor([[0.7, 0.3], [0.5, 0.5]])
    torch.testing.assert_close(log_votes(probs.mean(0).expand(3, -1), probs), torch.zeros(3, 2))


def test_a_vote_excludes_no_class() -> None:
    probs = torch.tensor([[1.0, 0.0], [1.0, 0.0]])
    found = log_votes(torch.tensor([[2.0, -1.0]]), probs)
    assert found.isfinite().all()
    assert found.abs().max() < 5


def test_the_training_graph_votes_as_before_and_a_new_node_by_all() -> None:
    data, logits = graph(), uncertain(graph())
    voter = Voter("features", data, Votes(views=("features",)), FIT, 0)
    torch.testing.assert_close(voter.other_logits(logits, graph()), voter.logits(logits))
    assert voter.other_logits(logits, graph(seed=4)).shape == (graph(seed=4).num_nodes, 3)


def test_text_votes_on_a_graph_that_was_not_read_from_tables() -> None:
    data, logits = graph(), uncertain(graph())
    words, number = SimpleNamespace(width=10, kind="words"), SimpleNamespace(width=2, kind="number")
    data.encoders = {"notes": words, "size": number}
    voter = Voter("text", data, Votes(views=("text",)), FIT, 0)
    other = graph(seed=4)
    before = voter.other_logits(logits, other)
    other.x[:, 10:] = 100.0
    assert torch.equal(voter.other_logits(logits, other), before)
    assert other.encoders is None


def test_structure_votes_and_text_needs_text() -> None:
    data = graph()
    votes = Voter("structure", data, Votes(views=("structure",)), FIT, 0).logits(uncertain(data))
    assert float((votes.argmax(1) == data.y).float().mean()) > 0.5
    with pytest.raises(DataError, match="needs a column of text"):
        Voter("text", data, Votes(views=("text",)), FIT, 0)


def test_a_voter_has_weights_unless_features_are_shuffled() -> None:
    data, nodes = graph(), torch.tensor([3, 9])
    assert Voter("features", data, Votes(views=("features",)), FIT, 0).voter_weights(nodes).shape == (2, 180)
    shuffled = Votes(views=("features",), control="shuffled")
    assert Voter("features", data, shuffled, FIT, 0).voter_weights(nodes) is None
