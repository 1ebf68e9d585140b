"""The default strategy: weights by uncertainty and disagreement."""

import torch

from highwaygraph.labelling.auto import auto, node_weights
from highwaygraph.labelling.clustering import medoids
from highwaygraph.labelling.task import Task
from tests.helpers.graphs import block_graph


def make_task(probs: torch.Tensor | None = None, other: torch.Tensor | None = None) -> Task:
    graph = block_graph()
    allowed = torch.ones(graph.num_nodes, dtype=torch.bool)
    allowed[0] = False
    return Task(graph, torch.tensor([0]), allowed, probs, other)


def one_hot(labels: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.one_hot(labels, 3).float()


def test_certain_nodes_count_less_and_disagreement_counts_more() -> None:
    y = block_graph().y
    assert node_weights(make_task()) is None
    probs = one_hot(y)
    probs[7] = 1 / 3
    weights = node_weights(make_task(probs))
    assert weights is not None
    assert float(weights[7]) > float(weights[8]) == float(weights.min()) > 0
    other = one_hot(y)
    other[9] = one_hot((y[9:10] + 1) % 3)
    disagreeing = node_weights(make_task(probs, other))
    assert disagreeing is not None
    assert float(disagreeing[9]) > float(weights[9])
    assert torch.equal(disagreeing[:9], weights[:9])


def test_suggestions_are_where_the_model_is_uncertain() -> None:
    y = block_graph().y
    probs = one_hot(y)
    probs[y == 1] = 1 / 3
    chosen = auto(make_task(probs), 5).nodes
    assert int((y[chosen] == 1).sum()) >= 3


def test_with_as_many_labels_as_dimensions_all_suggestions_are_medoids() -> None:
    task = make_task()
    labelled = torch.arange(0, 180, 12)
    allowed = torch.ones(180, dtype=torch.bool)
    allowed[labelled] = False
    many = Task(task.graph, labelled, allowed)
    assert many.embedding.size(1) <= len(labelled)
    expected = medoids(many.embedding, 5, labelled, allowed, many.generator("suggest auto"))
    assert torch.equal(auto(many, 5).nodes, expected)


def test_both_halves_are_of_different_nodes_and_a_single_suggestion_needs_no_second_half() -> None:
    task = make_task()
    assert len(set(auto(task, 7).nodes.tolist())) == 7
    assert len(auto(task, 1).nodes) == 1
