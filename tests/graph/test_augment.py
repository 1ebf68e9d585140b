"""Edge-list algebra, and graphs with added highways or pseudo-labels."""

import torch
from hypothesis import given

from highwaygraph.graph.augment import add_edges, is_first, is_first_pair, is_new
from highwaygraph.graph.augment import undirected_edges as each_once
from highwaygraph.training.highways import (
    choose_anchors,
    decide,
)
from tests.helpers.graphs import edge_lists


def rng(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def undirected(edges: torch.Tensor) -> set[tuple[int, int]]:
    return {(min(i, j), max(i, j)) for i, j in edges.T.tolist()}


def case(nodes, classes, seed):
    logits = 2 * torch.randn(nodes, classes, generator=rng(seed))
    labels = torch.randint(classes, (nodes,), generator=rng(seed + 1))
    labelled = torch.rand(nodes, generator=rng(seed + 2)) < 0.5
    anchors = choose_anchors(labels, labelled, 1, rng(seed))
    return logits, *decide(logits, labels, labelled), anchors


@given(edge_lists())
def test_adding_edges_matches_or_on_the_matrix(lists) -> None:
    """Eq. 16 on dense boolean matrices, R' symmetrised and without loops."""
    nodes, old, new = lists
    before, extra = torch.zeros(2, nodes, nodes, dtype=torch.bool)
    before[tuple(old)] = True
    extra[tuple(new)] = True
    extra = (extra | extra.T).fill_diagonal_(False)
    after = torch.zeros(nodes, nodes, dtype=torch.bool)
    after[tuple(add_edges(old, new, nodes))] = True
    assert torch.equal(after, before | extra)


@given(edge_lists())
def test_adding_edges_is_idempotent_and_never_drops_one(lists) -> None:
    nodes, old, new = lists
    once = add_edges(old, new, nodes)
    assert torch.equal(once[:, : old.size(1)], old)
    assert torch.equal(add_edges(once, new, nodes), once)
    added = once[:, old.size(1) :]
    assert added.unique(dim=1).size(1) == added.size(1)
    assert not is_new(once, new, nodes).any()


@given(edge_lists())
def test_an_edge_is_new_unless_present_in_both_directions(lists) -> None:
    nodes, old, new = lists
    present = set(map(tuple, old.T.tolist()))
    expected = [i != j and not ((i, j) in present and (j, i) in present) for i, j in new.T.tolist()]
    assert is_new(old, new, nodes).tolist() == expected


@given(edge_lists())
def test_the_first_occurrence_of_each_undirected_edge(lists) -> None:
    nodes, edges, _ = lists
    seen: set[frozenset[int]] = set()
    expected = [not (frozenset(e) in seen or seen.add(frozenset(e))) for e in edges.T.tolist()]
    assert is_first_pair(edges, nodes).tolist() == expected


def test_the_first_of_equal_values() -> None:
    assert is_first(torch.tensor([3, 1, 3, 1, 2])).tolist() == [True, True, False, False, True]


@given(edge_lists())
def test_every_edge_once_without_loops(case) -> None:
    nodes, edges, _ = case
    once = each_once(edges, nodes)
    pairs = list(zip(*once.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == {(a, b) for a, b in undirected(edges) if a != b}
