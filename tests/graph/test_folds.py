"""Stratified folds: every labelled node once, every class evenly, and no node in two parts of a split."""

from collections import Counter

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import highwaygraph as hg
from highwaygraph.errors import ConfigError, DataError
from highwaygraph.graph.folds import _stratified, divide, fold_graph, labelled_nodes, possible_folds
from highwaygraph.graph.graph import Graph
from tests.helpers.graphs import unsplit_graph


def labelled(labels: list[int]) -> Graph:
    y = torch.tensor(labels)
    return Graph(x=torch.zeros(len(y), 1), edge_index=torch.empty(2, 0, dtype=torch.long), y=y)


def rests(labels: list[int], numbers: list[int], folds: int) -> list[Counter[int]]:
    """Return the number of nodes per class that every fold does not hold out."""
    pairs = list(zip(labels, numbers, strict=True))
    return [Counter(label for label, number in pairs if number != fold) for fold in range(folds)]


@given(st.lists(st.integers(-1, 3), min_size=4, max_size=60), st.integers(2, 5), st.integers(0, 99))
def test_every_class_is_spread_evenly(labels: list[int], folds: int, seed: int) -> None:
    known = [label for label in labels if label >= 0]
    if len(set(known)) < 2 or max(map(known.count, set(known))) < folds:
        return
    numbers = _stratified(torch.tensor(known), folds, seed).tolist()
    if not all(len(rest) > 1 and max(rest.values()) > 1 for rest in rests(known, numbers, folds)):
        with pytest.raises(DataError, match=f"too few for {folds} folds"):
            divide(labelled(labels), folds, seed, "share")
        return
    found = divide(labelled(labels), folds, seed, "share")
    assert found.number.tolist() == numbers
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
        ([0, 0, -1], 2, "All 2 labelled nodes are of class 0: label nodes of another class"),
        ([0] * 5 + [1] * 4, 5, "Class 1 has 4 labelled nodes for 5 folds: lower folds=... to 4, or accept folds with"),
        ([0] * 3 + [1] * 4, 5, "Class 0 has 3 labelled nodes for 5 folds: lower folds=... to 3.$"),
        ([0] * 4 + [1, 2, 2], 5, "has 1 labelled node for 5 folds: lower folds=... to 4 and accept folds without it"),
        ([0] * 9 + [1], 5, "too few for 5 folds: label at least three nodes of a class and two of another.$"),
        ([0] * 5 + [1, 2, 2], 5, "Class 1 has 1 labelled node for 5 folds: accept folds without it with small_classes"),
        ([0, 0, 1, 1], 2, "4 labelled nodes of 2 classes, at most 2 of a class, are too few for 2 folds: label at"),
    ],
)
def test_impossible_folds_are_refused(labels: list[int], folds: int, message: str) -> None:
    with pytest.raises((ConfigError, DataError), match=message):
        divide(labelled(labels), folds, 0)


@pytest.mark.parametrize(
    ("labels", "folds", "message"),
    [
        ([0, 0, 0, 1, 1], 4, "at most 3 of a class, are too few for 4 folds: lower folds=... to 3"),
        # The fold of the only node of class 1 would train on one class.
        ([0] * 9 + [1], 5, "too few for 5 folds: label at least three nodes of a class and two of another"),
        # One fold holds both single nodes.
        ([0] + [1] * 9 + [2], 5, "too few for 5 folds: lower folds=... to 4"),
    ],
)
def test_folds_that_cannot_be_trained_are_refused_even_where_classes_are_shared(
    labels: list[int], folds: int, message: str
) -> None:
    with pytest.raises(DataError, match=message):
        divide(labelled(labels), folds, 0, "share")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ([0] * 9 + [1] * 9, 5), ([0] * 4 + [1] * 3 + [2] * 2, 4), ([0] * 3 + [1] * 3, 3), ([0] * 3 + [1] * 2, 3),
        ([0] + [1] * 9 + [2], 4), ([0, 0, 1, 1, 2, 2], 0), ([0] * 9 + [1], 0), ([0] * 9, 0), ([-1, -1], 0),
    ],
)  # fmt: skip
def test_the_labels_limit_the_number_of_folds(labels: list[int], expected: int) -> None:
    assert possible_folds(labelled(labels), most=5) == expected
    if expected:
        data = labelled(labels)
        for fold in range(expected):
            graph = fold_graph(data, divide(data, expected, 0, "share"), fold, 0.25, 0)
            assert len(graph.y[graph.train_mask].unique()) > 1
            assert bool(graph.val_mask.any())


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
