from collections import Counter

import pytest
import torch
from torch_geometric.loader import NodeLoader
from torch_geometric.sampler import NodeSamplerInput

from highwaygraph.graph.augment import add_highways
from highwaygraph.graph.csr import from_edge_index
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.neighbor_sampler import NeighborSampler, sample_distinct, sample_neighbors, sample_subgraph
from highwaygraph.graph.queries import adjacencies, with_csr
from tests.helpers.edge_graphs import edge_kind_graph
from tests.helpers.graphs import block_graph


def draw(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def rows():
    return from_edge_index(block_graph().edge_index, 180)


def test_sets_are_distinct_and_equally_likely() -> None:
    size = torch.full((60_000,), 5)
    sets = sample_distinct(size, 3, draw()).sort(dim=1).values
    assert (sets[:, 1:] > sets[:, :-1]).all()
    assert 0 <= sets.min() <= sets.max() < 5
    counts = Counter(map(tuple, sets.tolist()))
    assert len(counts) == 10
    # 6,000 each; five standard deviations.
    assert all(abs(count - 6000) < 5 * (60_000 * 0.1 * 0.9) ** 0.5 for count in counts.values())
    assert sample_distinct(torch.tensor([4]), 4, draw()).sort().values.tolist() == [[0, 1, 2, 3]]


@pytest.mark.parametrize("most", [1, 4, 1000])
def test_picked_neighbours_are_neighbours_and_differ(most) -> None:
    graph, receivers = block_graph(), torch.tensor([5, 0, 77])
    sampled = sample_neighbors([rows()], receivers, most, draw())
    edges = {*map(tuple, graph.edge_index.T.tolist())}
    found = list(zip(sampled.sender.tolist(), receivers[sampled.receiver].tolist(), strict=True))
    assert set(found) <= edges
    assert len(set(found)) == len(found)
    degree = torch.bincount(graph.edge_index[1], minlength=180)[receivers]
    assert torch.bincount(sampled.receiver, minlength=3).tolist() == degree.clamp(max=most).tolist()


def test_two_parts_are_drawn_from_as_one() -> None:
    graph = block_graph()
    one, other = graph.edge_index[:, ::2], graph.edge_index[:, 1::2]
    parts = [from_edge_index(one, 180), from_edge_index(other, 180)]
    everything = sample_neighbors(parts, torch.arange(180), 1000, draw())
    found = {*zip(everything.sender.tolist(), everything.receiver.tolist(), strict=True)}
    assert found == {*map(tuple, graph.edge_index.T.tolist())}
    node = torch.zeros(2000, dtype=torch.long)
    counts = torch.bincount(sample_neighbors(parts, node, 1, draw()).sender, minlength=180)
    own = graph.edge_index[0, graph.edge_index[1] == 0]
    # Every neighbour about as often as any other, whichever part it stands in.
    share = 2000 / len(own)
    assert all(abs(int(counts[n]) - share) < 5 * share**0.5 for n in own)


def test_seeds_come_first_and_edges_lead_to_whom_was_reached() -> None:
    graph, seeds = block_graph(), torch.tensor([9, 3, 100])
    place = torch.full((180,), -1, dtype=torch.int32)
    found = sample_subgraph([rows()], seeds, (3, 2), draw(), place)
    assert found.n_id[:3].tolist() == seeds.tolist()
    assert len(found.n_id.unique()) == found.num_nodes
    edges = {*map(tuple, graph.edge_index.T.tolist())}
    assert {*map(tuple, found.n_id[found.edge_index].T.tolist())} <= edges
    assert (torch.bincount(found.edge_index[1])[:3] == 3).all()
    assert (place == -1).all()


def pieces(workers: int, seed: int = 7) -> list[Graph]:
    graph = block_graph()
    lean = Graph(x=graph.x, y=graph.y, edge_index=torch.empty(2, 0, dtype=torch.long), num_nodes=180)
    sampler = NeighborSampler([rows()], (4, 3), seed)
    return list(NodeLoader(lean, sampler, input_nodes=torch.arange(50), batch_size=16, num_workers=workers))


@pytest.mark.filterwarnings("default")
def test_pygs_loader_gives_the_same_whoever_draws() -> None:
    alone, helped, later = pieces(0), pieces(2), pieces(0, seed=8)
    assert [piece.batch_size for piece in alone] == [16, 16, 16, 2]
    for one, other in zip(alone, helped, strict=True):
        assert torch.equal(one.n_id, other.n_id)
        assert torch.equal(one.edge_index, other.edge_index)
        assert torch.equal(one.x, block_graph().x[one.n_id])
    assert not all(torch.equal(one.n_id, other.n_id) for one, other in zip(alone, later, strict=True))


def test_nodes_without_neighbours() -> None:
    lonely = from_edge_index(torch.empty(2, 0, dtype=torch.long), 4)
    found = NeighborSampler([lonely], (3, 3), seed=0).sample_from_nodes(NodeSamplerInput(None, torch.tensor([2, 1])))
    assert found.node.tolist() == [2, 1]
    assert not len(found.row)


def test_without_hops_the_subgraph_is_the_seeds() -> None:
    subgraph = NeighborSampler([rows()], (), seed=0).draw(torch.tensor([7, 3]))
    assert subgraph.n_id.tolist() == [7, 3]
    assert subgraph.edge_index.shape == (2, 0)


def test_weights_follow_their_edges() -> None:
    graph = block_graph()
    weight = (graph.edge_index[0] * 180 + graph.edge_index[1]).float()
    parts = [from_edge_index(graph.edge_index, 180, weight), from_edge_index(torch.tensor([[0, 179], [179, 0]]), 180)]
    found = NeighborSampler(parts, (1000,), seed=0).draw(torch.tensor([0]))
    sender, receiver = found.n_id[found.edge_index]
    expected = torch.where(sender == 179, 1.0, (sender * 180 + receiver).float())
    assert torch.equal(found.edge_weight, expected)


def test_sampled_edges_have_the_values_of_the_graph_and_of_highways() -> None:
    graph = add_highways(with_csr(edge_kind_graph()), torch.tensor([[0, 0, 5], [250, 251, 252]]))
    found = NeighborSampler(adjacencies(graph), [50, 3], seed=0).draw(torch.tensor([0, 5, 250]))
    source, target = found.n_id[found.edge_index]
    known = Counter(_rows(graph.edge_index[0], graph.edge_index[1], graph.edge_type, graph.edge_attr))
    sampled = Counter(_rows(source, target, found.edge_type, found.edge_attr))
    assert sampled <= known
    assert found.edge_type.dtype == torch.long
    mean = tuple(graph.edge_attr[-1].tolist())
    assert sum(row[3:] == mean for row in sampled) >= 3
    # All neighbours of the seeds are sampled: 50 is more than any of them has.
    assert {row for row in known if row[1] in (0, 5, 250)} <= set(sampled)


def _rows(source, target, kind, attr):
    return [(int(a), int(b), int(c), *d) for a, b, c, d in zip(source, target, kind, attr.tolist(), strict=True)]
