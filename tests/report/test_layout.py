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
