"""Stratified folds: every labelled node once, every class evenly, and no node in two parts of a split."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import highwaygraph as hg
from highwaygraph.errors import ConfigError, DataError
from highwaygraph.graph.folds import divide, fold_graph, labelled_nodes
from highwaygraph.graph.graph import Graph
from tests.helpers.graphs import unsplit_graph


def labelled(labels: list[int]) -> Graph:
    y = torch.tensor(labels)
    return Graph(x=torch.zeros(len(y), 1), edge_index=torch.empty(2, 0, dtype=torch.long), y=y)


@given(st.lists(st.integers(-1, 3), min_size=12, max_size=60), st.integers(2, 5), st.integers(0, 99))
def test_every_class_is_spread_evenly(labels: list[int], folds: int, seed: int) -> None:
    known = [label for label in labels if label >= 0]
    if len(set(known)) < 2 or max(map(known.count, set(known))) < folds:
        return
    found = divide(labelled(labels), folds, seed, "share")
    assert found.nodes.tolist() == [node for node, label in enumerate(labels) if label >= 0]
    sizes = found.number.bincount(minlength=folds)
    assert int(sizes.max() - sizes.min()) <= 1
    classes = torch.tensor(labels)[found.nodes]
    for label in set(known):
        counts = found.number[classes == label].bincount(minlength=folds)
        assert int(counts.max() - counts.min()) <= 1


def test_a_fold_is_tested_and_the_others_train_and_validate() -> None:
    data = unsplit_graph()
    division = divide(data, 4, seed=1)
    graphs = [fold_graph(data, division, number, 0.25, seed=1) for number in range(4)]
    assert torch.equal(torch.stack([g.test_mask for g in graphs]).sum(dim=0), torch.ones(data.num_nodes).long())
    for graph in graphs:
        parts = torch.stack([graph.train_mask, graph.val_mask, graph.test_mask])
        assert bool((parts.sum(dim=0) == 1).all())
        assert graph.y[graph.train_mask].unique().tolist() == graph.y[graph.val_mask].unique().tolist() == [0, 1, 2]
        assert int(graph.val_mask.sum()) / int((~graph.test_mask).sum()) == pytest.approx(0.25, abs=0.03)


def test_test_nodes_of_a_split_stay_out() -> None:
    data = hg.split(unsplit_graph(), train=5, val=5, seed=0)
    assert labelled_nodes(data).tolist() == (data.train_mask | data.val_mask).nonzero().flatten().tolist()
    assert not bool(data.test_mask[divide(data, 5, 0).nodes].any())


def test_a_class_of_two_nodes_is_shared() -> None:
    data = labelled([0] * 6 + [1] * 6 + [2] * 2)
    division = divide(data, 3, 0, "share")
    for number in range(3):
        assert bool((fold_graph(data, division, number, 0.25, 0).y == 2).any())


@pytest.mark.parametrize(
    ("labels", "folds", "message"),
    [
        ([0, 0, 1, 1], 1, "at least 2 folds"),
        ([-1, -1], 2, "No node has a label"),
        ([0, 0, -1], 2, "All labelled nodes are of class 0"),
        ([0, 0, 0, 1, 1], 3, "Class 1 has 2 labelled nodes for 3 folds"),
    ],
)
def test_impossible_folds_are_refused(labels: list[int], folds: int, message: str) -> None:
    with pytest.raises((ConfigError, DataError), match=message):
        divide(labelled(labels), folds, 0)


def test_too_many_folds_are_refused_even_where_classes_are_shared() -> None:
    with pytest.raises(DataError, match="No class has as many"):
        divide(labelled([0, 0, 0, 1, 1]), 4, 0, "share")


def test_folds_without_a_validation_node_are_refused() -> None:
    data = labelled([0, 0, 1, 1])
    with pytest.raises(DataError, match="no node for validation"):
        fold_graph(data, divide(data, 2, 0), 0, 0.25, 0)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_a_share_outside_its_range_is_refused(share: float) -> None:
    data = unsplit_graph()
    with pytest.raises(ConfigError, match="val_share"):
        fold_graph(data, divide(data, 2, 0), 0, share, 0)


def test_several_splits_are_refused() -> None:
    data = unsplit_graph()
    data.train_mask = torch.ones(data.num_nodes, 3, dtype=torch.bool)
    with pytest.raises(DataError, match="several splits"):
        labelled_nodes(data)
