"""Splits by graph."""

import pytest
import torch

import highwaygraph as hg
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph


def several(count: int) -> Graph:
    """Return as many graphs of four nodes, one of them unlabelled."""
    y = torch.tensor([0, 1, 0, -1]).repeat(count)
    graph_id = torch.arange(count).repeat_interleave(4)
    return Graph(x=torch.ones(len(y), 2), y=y, edge_index=torch.zeros(2, 0, dtype=torch.long), graph_id=graph_id)


def graphs_of(data: Graph) -> list[set[int]]:
    """Return the graphs of every part."""
    return [set(data.graph_id[data[f"{part}_mask"]].tolist()) for part in ("train", "val", "test")]


@pytest.mark.parametrize(
    ("sizes", "expected"),
    [({}, [6, 2, 2]), ({"train": 2, "val": 3}, [2, 3, 5]), ({"train": 0.3, "val": 0.5}, [3, 5, 2])],
)
def test_whole_graphs_are_in_one_part(sizes, expected) -> None:
    data = hg.split(several(10), by="graph", seed=1, **sizes)
    found = graphs_of(data)
    assert [len(part) for part in found] == expected
    assert len(set().union(*found)) == 10
    together = data.train_mask | data.val_mask | data.test_mask
    assert torch.equal(together, data.y >= 0)


def test_the_seed_decides() -> None:
    first, same, other = (graphs_of(hg.split(several(20), by="graph", seed=seed)) for seed in (0, 0, 1))
    assert first == same != other


def test_graphs_without_labels_are_in_no_part() -> None:
    data = several(4)
    data.y[:4] = -1
    assert 0 not in set().union(*graphs_of(hg.split(data, by="graph", train=1, val=1)))


def test_splits_that_cannot_be_drawn_are_refused() -> None:
    with pytest.raises(DataError, match="at least 3 graphs with labels, but there are 2"):
        hg.split(several(2), by="graph")
    with pytest.raises(DataError, match="3 graphs for training and 2 for validation leave none of 5 for test"):
        hg.split(several(5), by="graph", train=3, val=2)
    with pytest.raises(DataError, match="numbers of graphs, at least 1, or shares"):
        hg.split(several(5), by="graph", train=1.5, val=1)
    with pytest.raises(DataError, match="the data has no graph_id"):
        hg.split(hg.load("cora"), by="graph")
    with pytest.raises(DataError, match="shares are for by='graph'"):
        hg.split(hg.load("cora"), train=0.5)
