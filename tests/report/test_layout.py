import numpy as np

from highwaygraph.report.layout import layout


def two_cliques(size: int) -> np.ndarray:
    pairs = np.array([(a, b) for a in range(size) for b in range(a)])
    return np.concatenate([pairs, pairs + size]).T


def start(nodes: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(nodes, 2))


def test_connected_nodes_are_close() -> None:
    positions = layout(two_cliques(20), start(40))
    assert positions.shape == (40, 2)
    assert positions.min() >= 0
    assert positions.max() <= 1
    middles = positions[:20].mean(axis=0), positions[20:].mean(axis=0)
    within = np.linalg.norm(positions[:20] - middles[0], axis=1).mean()
    assert np.linalg.norm(middles[0] - middles[1]) > 2 * within


def test_many_edges_per_node_are_laid_out_too() -> None:
    rng, size, groups = np.random.default_rng(0), 100, 8
    group = np.arange(size * groups) // size
    ends = rng.integers(size * groups, size=(2, 400_000))
    # About 100 neighbours in the own group, and some in others.
    edges = ends[:, (group[ends[0]] == group[ends[1]]) | (rng.random(400_000) < 0.02)]
    positions = layout(edges, start(size * groups))
    nearest = np.linalg.norm(positions[:, None] - positions[None], axis=2).argsort(axis=1)[:, 1:11]
    assert (group[nearest] == group[:, None]).mean() > 0.9


def test_the_layout_is_deterministic_and_needs_no_edges() -> None:
    nothing = np.empty((2, 0), dtype=np.int64)
    assert (layout(nothing, start(30)) == layout(nothing, start(30))).all()
    assert np.isfinite(layout(nothing, np.zeros((3, 2)))).all()
    assert layout(nothing, start(1)).shape == (1, 2)


def test_nodes_do_not_overlap() -> None:
    positions = layout(np.empty((2, 0), dtype=np.int64), start(200))
    apart = np.linalg.norm(positions[:, None] - positions[None], axis=2) + np.eye(200)
    # Sixty per cent of the nodes have no other node closer than a quarter of an even spacing.
    assert np.quantile(apart.min(axis=1), 0.4) > 0.25 / 200**0.5
