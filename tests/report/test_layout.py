import numpy as np

from highwaygraph.report.layout import layout


def two_cliques(size: int) -> np.ndarray:
    pairs = np.array([(a, b) for a in range(size) for b in range(a)])
    return np.concatenate([pairs, pairs + size]).T


def start(nodes: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=(nodes, 2))


def test_what_is_joined_is_drawn_together() -> None:
    places = layout(two_cliques(20), start(40))
    assert places.shape == (40, 2)
    assert places.min() >= 0
    assert places.max() <= 1
    middles = places[:20].mean(axis=0), places[20:].mean(axis=0)
    within = np.linalg.norm(places[:20] - middles[0], axis=1).mean()
    assert np.linalg.norm(middles[0] - middles[1]) > 2 * within


def test_it_is_the_same_every_time_and_needs_no_edges() -> None:
    nothing = np.empty((2, 0), dtype=np.int64)
    assert (layout(nothing, start(30)) == layout(nothing, start(30))).all()
    assert np.isfinite(layout(nothing, np.zeros((3, 2)))).all()
    assert layout(nothing, start(1)).shape == (1, 2)


def test_nodes_keep_apart() -> None:
    places = layout(np.empty((2, 0), dtype=np.int64), start(200))
    apart = np.linalg.norm(places[:, None] - places[None], axis=2) + np.eye(200)
    # Sixty per cent of the nodes have nobody nearer than a quarter of an even spacing.
    assert np.quantile(apart.min(axis=1), 0.4) > 0.25 / 200**0.5
