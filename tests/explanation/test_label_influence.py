"""Effects of labels: the linear system, the weights left as they were, and the agreement with retraining."""

import copy

import torch
from scipy.stats import spearmanr

from highwaygraph.explanation.gradients import Classes, margin_gradients
from highwaygraph.explanation.label_influence import _Problem, _solve, label_effects, training_labels
from highwaygraph.explanation.network import network_view, receptive_field
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
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


def test_effects_rank_labels_as_retraining_without_each_of_them_does() -> None:
    data = block_graph(seed=1)
    noise = torch.randn(180, 12, generator=torch.Generator().manual_seed(0))
    data.x = noise + torch.eye(12)[data.y]
    options = {"fit.epochs": 200, "fit.patience": 200, "fit.lr": 0.02, "fit.weight_decay": 5e-3, "fit.monitor": "loss"}
    config = override(PRESETS["typical"], options | {"fit.device": "cpu", "fit.ties": "last"})

    def fit(graph):
        return train(build("gcn", graph, hidden=16, dropout=0.0), graph, config, seed=0, progress=False)

    result = fit(data)
    view = network_view(result)
    labels, nodes = training_labels(view), data.test_mask.nonzero().flatten()[::16].tolist()
    classes = [Classes(*result.logits[node].topk(2).indices.tolist()) for node in nodes]
    tried = list(range(0, len(labels.nodes), 3))
    effects = [
        label_effects(view.model, labels, margin_gradients(view, receptive_field(view, n), c).weights, 5e-3)[tried]
        for n, c in zip(nodes, classes, strict=True)
    ]
    drops = []
    for place in tried:
        other = copy.copy(data)
        other.train_mask = data.train_mask.clone()
        other.train_mask[labels.nodes[place]] = False
        logits = fit(other).logits
        drops.append([float(c.margin(result.logits[n] - logits[n])) for n, c in zip(nodes, classes, strict=True)])
    found = [spearmanr(one, drop).statistic for one, drop in zip(effects, zip(*drops, strict=True), strict=True)]
    assert sum(found) / len(found) > 0.4
