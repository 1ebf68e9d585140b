"""The fingerprints move with the graph or the split, and with nothing else."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.graph.fingerprint import data_hash, split_hash
from highwaygraph.graph.graph import Graph


def graph(**changes: torch.Tensor) -> Graph:
    values = {
        "x": torch.eye(3),
        "edge_index": torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]),
        "y": torch.tensor([0, 1, -1]),
        "train_mask": torch.tensor([True, False, False]),
        "val_mask": torch.tensor([False, True, False]),
        "test_mask": torch.tensor([False, False, False]),
    }
    return Graph(**(values | changes))


@pytest.mark.parametrize("fingerprint", [data_hash, split_hash])
def test_it_is_sixteen_hex_digits_and_repeatable(fingerprint) -> None:
    digits = fingerprint(graph())
    assert len(digits) == 16
    assert set(digits) <= set("0123456789abcdef")
    assert fingerprint(graph()) == digits


@given(st.permutations(range(4)))
def test_the_order_of_edges_does_not_show(order: list[int]) -> None:
    weight = torch.tensor([1.0, 2.0, 3.0, 4.0])
    plain, weighted = graph(), graph(edge_weight=weight)
    edges = plain.edge_index[:, order]
    assert data_hash(graph(edge_index=edges)) == data_hash(plain)
    assert data_hash(graph(edge_index=edges, edge_weight=weight[order])) == data_hash(weighted)


def test_repeated_edges_with_different_weights_have_one_order() -> None:
    edges = torch.tensor([[0, 0], [1, 1]])
    one = graph(edge_index=edges, edge_weight=torch.tensor([1.0, 2.0]))
    other = graph(edge_index=edges, edge_weight=torch.tensor([2.0, 1.0]))
    assert data_hash(one) == data_hash(other)


@pytest.mark.parametrize(
    "changes",
    [
        {"x": torch.eye(3).flip(0)},
        {"x": torch.eye(3).reshape(1, 9)},
        {"y": torch.tensor([0, 1, 0])},
        {"edge_index": torch.tensor([[0, 1, 1, 2], [1, 0, 2, 0]])},
        {"edge_weight": torch.ones(4)},
    ],
)
def test_any_change_of_the_graph_shows(changes: dict[str, torch.Tensor]) -> None:
    assert data_hash(graph(**changes)) != data_hash(graph())
    assert split_hash(graph(**changes)) == split_hash(graph())


def test_weights_moved_between_edges_show() -> None:
    weight = torch.tensor([1.0, 2.0, 3.0, 4.0])
    assert data_hash(graph(edge_weight=weight)) != data_hash(graph(edge_weight=weight.flip(0)))


@pytest.mark.parametrize("name", ["train_mask", "val_mask", "test_mask"])
def test_any_change_of_a_mask_shows_in_the_split_only(name: str) -> None:
    changed = graph(**{name: torch.tensor([False, False, True])})
    assert split_hash(changed) != split_hash(graph())
    assert data_hash(changed) == data_hash(graph())


def test_a_mask_moved_to_another_part_shows() -> None:
    mask, none = torch.tensor([True, False, False]), torch.zeros(3, dtype=torch.bool)
    one = graph(train_mask=mask, val_mask=none)
    other = graph(train_mask=none, val_mask=mask)
    assert split_hash(one) != split_hash(other)


def test_a_mask_counts_by_its_name_when_it_is_the_only_one() -> None:
    mask = torch.tensor([True, False])
    assert split_hash(Graph(train_mask=mask)) != split_hash(Graph(val_mask=mask))


def test_it_moves_with_features_and_types_of_edges_in_any_order() -> None:
    kinds, attr = torch.tensor([0, 0, 1, 1]), torch.tensor([[1.0], [1.0], [2.0], [3.0]])
    digits = data_hash(graph(edge_type=kinds, edge_attr=attr))
    order = torch.tensor([3, 1, 0, 2])
    moved = graph(edge_index=graph().edge_index[:, order], edge_type=kinds[order], edge_attr=attr[order])
    assert data_hash(moved) == digits
    others = (graph(), graph(edge_type=kinds), graph(edge_attr=attr), graph(edge_type=kinds.flip(0), edge_attr=attr))
    assert len({digits, *map(data_hash, others)}) == 5
