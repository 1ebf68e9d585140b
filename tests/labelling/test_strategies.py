"""Strategies: each chooses allowed nodes only, the same ones every time, by its own score."""

import networkx as nx
import pytest
import torch

from highwaygraph.errors import ConfigError
from highwaygraph.labelling.strategies import STRATEGIES, prediction_entropy
from highwaygraph.labelling.task import Task
from tests.helpers.graphs import block_graph

NEEDS_PREDICTIONS = ("entropy",)


def make_task(*, labelled: tuple[int, ...] = (0, 70), predictions: bool = True, seed: int = 0) -> Task:
    graph = block_graph()
    allowed = torch.ones(graph.num_nodes, dtype=torch.bool)
    allowed[list(labelled)] = False
    allowed[100:110] = False
    probs = torch.rand(graph.num_nodes, 3, generator=torch.Generator().manual_seed(5)).softmax(dim=1)
    return Task(graph, torch.tensor(labelled, dtype=torch.long), allowed, probs if predictions else None, None, seed)


@pytest.mark.parametrize("labelled", [(), (0, 70)])
@pytest.mark.parametrize("predictions", [False, True])
@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_chooses_different_allowed_nodes_the_same_every_time(name, predictions, labelled) -> None:
    if name in NEEDS_PREDICTIONS and not predictions:
        pytest.skip("refused")
    task = make_task(labelled=labelled, predictions=predictions)
    choice = STRATEGIES[name](task, 9)
    nodes = choice.nodes.tolist()
    assert len(set(nodes)) == len(choice.scores) == len(choice.reasons) == 9
    assert bool(task.allowed[choice.nodes].all())
    again = STRATEGIES[name](make_task(labelled=labelled, predictions=predictions), 9)
    assert again.nodes.tolist() == nodes


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_can_choose_all_allowed_nodes(name) -> None:
    task = make_task()
    count = int(task.allowed.sum())
    assert sorted(STRATEGIES[name](task, count).nodes.tolist()) == task.allowed.nonzero().flatten().tolist()


def test_degree_and_pagerank_order_by_those_of_networkx() -> None:
    task = make_task()
    graph = nx.Graph(task.graph.edge_index.T.tolist())
    degree = STRATEGIES["degree"](task, 5)
    free = [node for node in graph if task.allowed[node]]
    assert degree.scores.tolist() == sorted((graph.degree(node) for node in free), reverse=True)[:5]
    rank = nx.pagerank(graph, tol=1e-12, max_iter=500)
    best = sorted(free, key=rank.__getitem__, reverse=True)[:5]
    assert STRATEGIES["pagerank"](task, 5).nodes.tolist() == best


def test_entropy_is_that_of_torch_and_refused_without_predictions() -> None:
    task = make_task()
    entropy = torch.distributions.Categorical(task.probs).entropy()
    assert torch.allclose(prediction_entropy(task.probs) * torch.tensor(3.0).log(), entropy, atol=1e-6)
    allowed = task.allowed.nonzero().flatten()
    best = allowed[entropy[allowed].topk(4).indices]
    assert set(STRATEGIES["entropy"](task, 4).nodes.tolist()) == set(best.tolist())
    with pytest.raises(ConfigError, match="needs predictions"):
        STRATEGIES["entropy"](make_task(predictions=False), 4)


@pytest.mark.parametrize("name", ["auto", "medoids"])
def test_a_cold_start_with_a_node_per_block_finds_every_class(name) -> None:
    task = make_task(labelled=(), predictions=False)
    assert set(task.graph.y[STRATEGIES[name](task, 3).nodes].tolist()) == {0, 1, 2}


@pytest.mark.parametrize("name", ["auto", "medoids", "coverage"])
def test_classes_without_a_label_come_first(name) -> None:
    # Five labels of class 0 and none of the others.
    task = make_task(labelled=(1, 12, 23, 34, 45), predictions=False)
    assert set(task.graph.y[STRATEGIES[name](task, 2).nodes].tolist()) == {1, 2}


def test_another_seed_draws_other_nodes() -> None:
    one, other = (STRATEGIES["random"](make_task(seed=seed), 9).nodes.tolist() for seed in (0, 1))
    assert one != other
