import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from highwaygraph.data.mapped import external_sort
from highwaygraph.data.mapped.external_sort import EdgeChunk, sort_by_target


@given(
    st.integers(1, 30),
    st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=80),
    st.integers(1, 5),
)
def test_edges_in_any_order_become_sorted_rows(tmp_path_factory, nodes, pairs, cut) -> None:
    pairs = [(a % nodes, b % nodes) for a, b in pairs]
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    chunks = [EdgeChunk(part[:, 0], part[:, 1]) for part in np.array_split(ends, cut)]
    found = list(sort_by_target(chunks, nodes, tmp_path_factory.mktemp("sort")))
    counts = np.concatenate([chunk.counts for chunk in found])
    neighbors = np.concatenate([chunk.neighbors for chunk in found])
    assert len(counts) == nodes
    expected = sorted({(b, a) for a, b in pairs if a != b} | {(a, b) for a, b in pairs if a != b})
    repeats = len([pair for pair in pairs if pair[0] != pair[1]]) - len({frozenset(p) for p in pairs if p[0] != p[1]})
    assert sum(chunk.repeated for chunk in found) == repeats
    assert list(zip(np.repeat(np.arange(nodes), counts).tolist(), neighbors.tolist(), strict=True)) == expected


def test_weights_of_one_edge_are_averaged(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(external_sort, "BUCKETS", 2)
    one = EdgeChunk(np.array([0, 1, 2]), np.array([1, 0, 2]), np.array([1.0, 3.0, 9.0], np.float32))
    two = EdgeChunk(np.array([3]), np.array([1]), np.array([5.0], np.float32))
    found = list(sort_by_target([one, two], 4, tmp_path))
    assert len(found) == 2
    assert np.concatenate([chunk.counts for chunk in found]).tolist() == [1, 2, 0, 1]
    assert np.concatenate([chunk.neighbors for chunk in found]).tolist() == [1, 0, 3, 1]
    assert np.concatenate([chunk.values["weight"] for chunk in found]).tolist() == [2.0, 2.0, 5.0, 5.0]
    assert [chunk.examples for chunk in found] == [((0, 1),), ()]
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("nodes", [1, 63, 64, 65, 1000])
def test_every_target_has_a_row(tmp_path, nodes) -> None:
    empty = EdgeChunk(np.empty(0, np.int64), np.empty(0, np.int64))
    assert sum(len(s.counts) for s in sort_by_target([empty], nodes, tmp_path)) == nodes


@given(
    st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(0, 2), st.integers(0, 9)), max_size=40),
    st.integers(1, 4),
)
def test_edges_are_merged_by_type_with_their_mean_features(tmp_path_factory, rows, cut) -> None:
    table = np.array(rows, dtype=np.int64).reshape(-1, 4)
    parts = np.array_split(table, cut)
    chunks = [EdgeChunk(p[:, 0], p[:, 1], None, p[:, 3:].astype(float), p[:, 2]) for p in parts]
    found = list(sort_by_target(chunks, 7, tmp_path_factory.mktemp("sort")))
    counts = np.concatenate([chunk.counts for chunk in found])
    columns = [np.repeat(np.arange(7), counts), np.concatenate([chunk.neighbors for chunk in found])]
    columns += [
        np.concatenate([chunk.values[name].reshape(-1) for chunk in found]) for name in ("edge_type", "edge_attr")
    ]
    expected: dict[tuple[int, int, int], list[int]] = {}
    for a, b, kind, value in rows:
        for ends in ((a, b), (b, a)) if a != b else ():
            expected.setdefault((*ends, kind), []).append(value)
    means = [(*key, np.float32(np.mean(values))) for key, values in sorted(expected.items())]
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == means
