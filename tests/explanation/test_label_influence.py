"""Effects of labels: the linear system, the weights left as they were, and the agreement with retraining."""

import copy

import pytest
import torch
from scipy.stats import spearmanr
from torch import Tensor, nn
from torch.nn import functional as F

from highwaygraph.explanation.gradients import Classes, margin_gradients
from highwaygraph.explanation.label_influence import (
    TrainingLabels,
    _Problem,
    _solve,
    label_effects,
    training_labels,
)
from highwaygraph.explanation.network import NetworkView, network_view, receptive_field
from highwaygraph.graph.graph import Graph
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train
from tests.helpers.explained import view_of
from tests.helpers.graphs import block_graph


def test_the_matrix_is_the_gauss_newton_matrix_of_the_node_loss() -> None:
    view = view_of("gcn")
    labels = training_labels(view)
    weights = list(view.model.parameters())
    x, edges, targets = view.graph.x, view.graph.edge_index, labels.nodes
    direction = torch.randn(sum(w.numel() for w in weights), generator=torch.Generator().manual_seed(0))
    logits = view.model(x, edges)[targets]
    rows = [
        torch.cat([g.flatten() for g in torch.autograd.grad(one, weights, retain_graph=True)])
        for one in logits.flatten()
    ]
    jacobian, probs = torch.stack(rows), logits.detach().softmax(dim=1)
    curvature = torch.block_diag(*(torch.diag(p) - p[:, None] * p for p in probs)) / len(targets)
    wanted = jacobian.T @ (curvature @ (jacobian @ direction)) + 0.3 * direction
    found = _Problem(view.model, labels, 0.3).times(direction)
    torch.testing.assert_close(found, wanted, rtol=2e-2, atol=2e-3)


def test_conjugate_gradients_solve_a_system() -> None:
    root = torch.randn(6, 6, generator=torch.Generator().manual_seed(0))
    matrix = root @ root.T + torch.eye(6)
    right = torch.arange(6.0)
    found = _solve(lambda vector: matrix @ vector, right)
    assert float((matrix @ found - right).norm()) <= 0.02 * float(right.norm())


def test_the_weights_are_the_same_afterwards() -> None:
    view = view_of("gcn")
    before = [one.detach().clone() for one in view.model.parameters()]
    gradient = margin_gradients(view, receptive_field(view, 5), Classes(0, 1)).weights
    assert bool(label_effects(view.model, training_labels(view), gradient, 5e-4).any())
    assert all(torch.equal(a, b) for a, b in zip(before, view.model.parameters(), strict=True))
    zero = [torch.zeros_like(one) for one in before]
    assert not bool(label_effects(view.model, training_labels(view), zero, 5e-4).any())


def noisy_graph() -> Graph:
    data = block_graph(seed=1)
    data.x = torch.randn(180, 12, generator=torch.Generator().manual_seed(0)) + torch.eye(12)[data.y]
    return data


def mean_correlation(effects: list[Tensor], drops: list[Tensor]) -> float:
    """Return the mean over the explained nodes of the rank correlation over the labels."""
    return sum(spearmanr(one, drop).statistic for one, drop in zip(effects, drops, strict=True)) / len(drops)


def effects_of(view: NetworkView, labels: TrainingLabels, nodes: list[int], classes: list[Classes], decay: float):
    gradients = (margin_gradients(view, receptive_field(view, n), c) for n, c in zip(nodes, classes, strict=True))
    return [label_effects(view.model, labels, one.weights, decay) for one in gradients]


def minimise(model: nn.Module, data: Graph, train_nodes: Tensor, decay: float) -> Tensor:
    """Minimise the node loss with weight decay from the present weights, and return the logits at the minimum."""
    weights = list(model.parameters())
    optimiser = torch.optim.LBFGS(weights, max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = F.cross_entropy(model(data.x, data.edge_index)[train_nodes], data.y[train_nodes], reduction="sum") / 30
        value = value + decay / 2 * sum(one.square().sum() for one in weights)
        value.backward()
        return value

    optimiser.step(loss)
    return model(data.x, data.edge_index).detach()


def test_effects_are_those_of_another_minimum_without_the_label() -> None:
    data, decay = noisy_graph(), 0.02
    config = override(PRESETS["typical"], {"fit.epochs": 30, "fit.device": "cpu"})
    view = network_view(train(build("gcn", data, hidden=16), data, config, seed=0, progress=False))
    labelled = data.train_mask.nonzero().flatten()
    view = view._replace(logits=minimise(view.model, data, labelled, decay))
    labels, nodes = training_labels(view), data.test_mask.nonzero().flatten()[::16].tolist()
    classes = [Classes(*view.logits[node].topk(2).indices.tolist()) for node in nodes]
    effects = effects_of(view, labels, nodes, classes, decay)
    drops = []
    for node in labelled.tolist():
        change = view.logits - minimise(copy.deepcopy(view.model), data, labelled[labelled != node], decay)
        drops.append([float(c.margin(change[n])) for n, c in zip(nodes, classes, strict=True)])
    columns = list(torch.tensor(drops).T)
    assert mean_correlation(effects, columns) > 0.9
    assert 0.7 < float((torch.stack(effects) * torch.stack(columns)).sum() / torch.stack(effects).square().sum()) < 1.6


@pytest.mark.slow
def test_effects_rank_labels_as_training_from_scratch_without_each_of_them_does() -> None:
    data = noisy_graph()
    options = {"fit.epochs": 300, "fit.patience": 300, "fit.lr": 0.02, "fit.weight_decay": 5e-3, "fit.monitor": "loss"}
    config = override(PRESETS["typical"], options | {"fit.device": "cpu", "fit.ties": "last"})

    def fit(graph: Graph) -> Result:
        return train(build("gcn", graph, hidden=16, dropout=0.0), graph, config, seed=0, progress=False)

    result = fit(data)
    view = network_view(result)
    labels, nodes = training_labels(view), data.test_mask.nonzero().flatten()[::8].tolist()
    classes = [Classes(*result.logits[node].topk(2).indices.tolist()) for node in nodes]
    drops = []
    for node in labels.nodes.tolist():
        other = copy.copy(data)
        other.train_mask = data.train_mask & (torch.arange(180) != node)
        change = result.logits - fit(other).logits
        drops.append([float(c.margin(change[n])) for n, c in zip(nodes, classes, strict=True)])
    # docs/howto/explain.md has 0.65.
    assert mean_correlation(effects_of(view, labels, nodes, classes, 5e-3), list(torch.tensor(drops).T)) > 0.5
