"""The engine against plain loops: the paper's Algorithm 1, and training without it."""

import copy

import pytest
import torch
from torch.nn import functional as F

from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runtime.rng import generator
from highwaygraph.training.engine import train
from highwaygraph.training.highways import choose_anchors
from tests.helpers.graphs import block_graph
from tests.helpers.own_module import FULL, Own


def plain_loop(model, data, fit, seed):
    """The training loop of a user without this library."""
    torch.manual_seed(seed)
    model.reset_parameters()
    adam = torch.optim.Adam(model.parameters(), lr=fit.lr, weight_decay=fit.weight_decay)
    best, waited = -1.0, 0
    for _ in range(fit.epochs):
        model.train()
        adam.zero_grad()
        F.cross_entropy(model(data.x, data.edge_index)[data.train_mask], data.y[data.train_mask]).backward()
        adam.step()
        model.eval()
        predicted = model(data.x, data.edge_index).argmax(1)
        val = (predicted == data.y)[data.val_mask].double().mean().item()
        if val > best:
            best, waited, state = val, 0, copy.deepcopy(model.state_dict())
        else:
            waited += 1
        if waited >= fit.patience:
            break
    return state


@pytest.mark.parametrize("seed", [0, 7])
def test_typical_is_bit_identical_to_a_plain_loop(seed) -> None:
    data, config = block_graph(), PRESETS["typical"]
    result = train(Own(), data, config, seed=seed)
    with torch.random.fork_rng():
        expected = plain_loop(Own(), data, config.fit, seed)
    assert expected.keys() == result.model.state_dict().keys()
    assert all(torch.equal(value, result.model.state_dict()[name]) for name, value in expected.items())


def proposed_matrix(edges, logits, data, anchors, options):
    """Return the adjacency matrix with the edges of Eq. 12 to 16 by a loop over pairs."""
    n = len(data.y)
    confidence, predicted = logits.softmax(1).max(1)
    predicted = torch.where(data.train_mask, data.y, predicted)
    confidence = torch.where(data.train_mask, 1.0, confidence)
    matrix = torch.zeros(n, n, dtype=torch.bool)
    matrix[tuple(edges)] = True
    for i in anchors:
        for j in range(n):
            close = torch.sigmoid(logits[i] @ logits[j]) >= options.pair_threshold
            confident = min(confidence[i], confidence[j]) > options.node_threshold
            if i != j and predicted[i] == predicted[j] and confident and close:
                matrix[i, j] = matrix[j, i] = True
    return matrix


def algorithm_1(data, config, seed):
    """Algorithm 1 as one plain loop on dense matrices: the oracle of the engine."""
    blank = Own()
    torch.manual_seed(seed)
    train_nodes = data.train_mask.nonzero().flatten()
    anchors = choose_anchors(data.y, data.train_mask, 1, generator(seed, "anchors")).tolist()
    edges, previous, rounds = data.edge_index, -1.0, []
    same = (data.y[train_nodes][:, None] == data.y[train_nodes][None, :]).float()
    off = ~torch.eye(len(train_nodes), dtype=torch.bool)
    weight = (off & (same == 0)).sum() / (off & (same == 1)).sum()
    for _ in range(config.highway.rounds):
        model = copy.deepcopy(blank)
        model.reset_parameters()
        adam = torch.optim.Adam(model.parameters(), lr=config.fit.lr, weight_decay=config.fit.weight_decay)
        best, waited = -1.0, 0
        for _ in range(config.fit.epochs):
            model.train()
            adam.zero_grad()
            y = model(data.x, edges)[train_nodes]
            pair = F.binary_cross_entropy_with_logits((y @ y.T)[off], same[off], pos_weight=weight)
            (F.cross_entropy(y, data.y[train_nodes]) + config.pairs.weight * pair).backward()
            adam.step()
            model.eval()
            val = (model(data.x, edges).argmax(1) == data.y)[data.val_mask].double().mean().item()
            best, waited, weights = (
                (val, 0, copy.deepcopy(model.state_dict())) if val > best else (best, waited + 1, weights)
            )
            if waited >= config.fit.patience:
                break
        model.load_state_dict(weights)
        logits = model(data.x, edges).detach()
        rounds.append((logits, edges))
        if best <= previous:
            break
        previous = best
        edges = proposed_matrix(edges, logits, data, anchors, config.highway).nonzero().T
    return rounds


def edge_set(edges) -> set[tuple[int, int]]:
    return set(map(tuple, edges.T.tolist()))


@pytest.mark.parametrize("seed", [0, 3])
def test_rounds_follow_algorithm_1(seed) -> None:
    data = block_graph(seed=seed)
    changes = {"pairs.weight": 0.5, "highway.pair_threshold": 0.7, "highway.node_threshold": 0.6, "highway.rounds": 3}
    config = override(PRESETS["full"], changes | {"highway.keep": "last", "fit.lr": 0.02, "fit.weight_decay": 1e-3})
    result = train(Own(), data, config, seed=seed)
    with torch.random.fork_rng():
        rounds = algorithm_1(data, config, seed)
    assert len(rounds) == len(result.rounds) > 1
    assert edge_set(result.graph.edge_index) == edge_set(rounds[-1][1])
    torch.testing.assert_close(result.logits, rounds[-1][0], atol=2e-3, rtol=1e-2)
    first = train(Own(), data, override(config, {"highway.rounds": 1}), seed=seed)
    torch.testing.assert_close(first.logits, rounds[0][0], atol=2e-3, rtol=1e-2)


def test_labels_of_test_nodes_change_nothing_but_the_scores() -> None:
    data = block_graph()
    other = copy.copy(data)
    order = torch.randperm(180, generator=torch.Generator().manual_seed(0))
    hidden = data.test_mask.nonzero().flatten()
    other.y = data.y.clone()
    other.y[hidden] = data.y[hidden][order[order < len(hidden)]]
    config = override(FULL, {"highway.keep": "last", "highway.node_threshold": "auto"})
    ours, theirs = (train(Own(), d, config) for d in (data, other))
    assert torch.equal(ours.logits, theirs.logits)
    assert torch.equal(ours.highways, theirs.highways)
    assert ours.test != theirs.test
