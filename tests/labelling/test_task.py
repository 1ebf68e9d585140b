"""The input of strategies."""

import torch

from highwaygraph.labelling.task import Task
from tests.helpers.graphs import block_graph, irregular_graph


def test_degrees_count_every_neighbour_once() -> None:
    graph = irregular_graph()
    task = Task(graph, torch.tensor([0]), torch.ones(graph.num_nodes, dtype=torch.bool))
    neighbors = [set() for _ in range(graph.num_nodes)]
    for source, target in graph.edge_index.T.tolist():
        if source != target:
            neighbors[source].add(target)
            neighbors[target].add(source)
    assert task.degrees().tolist() == [len(some) for some in neighbors]


def test_purposes_have_random_numbers_of_their_own() -> None:
    graph = block_graph()
    task = Task(graph, torch.tensor([0]), torch.ones(graph.num_nodes, dtype=torch.bool), seed=3)
    one, other = (torch.rand(4, generator=task.generator(name)) for name in ("suggest auto", "suggest age"))
    assert not torch.equal(one, other)
    assert torch.equal(one, torch.rand(4, generator=task.generator("suggest auto")))
