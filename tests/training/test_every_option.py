"""Every option changes the result."""

import pytest
import torch
from torch_geometric.data import Data

from highwaygraph.options import dotted, override
from highwaygraph.presets import PRESETS
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph
from tests.helpers.own_module import FULL, Own

CHANGES = {
    "pairs.weight": 0.3, "pairs.strategy": "random", "pairs.limit": 30, "pairs.positive_weight": 1.0,
    "pairs.scale": "node",
    "highway.rounds": 1, "highway.anchors": 3, "highway.anchor_rule": "degree", "highway.node_threshold": 0.8,
    "highway.precision": 1.0, "highway.pair_threshold": 0.999, "highway.joint": False, "highway.keep": "best",
    "highway.control": "random-edges", "fit.ties": "last", "highway.start": 3, "highway.patience": 3,
    "highway.targets": "partners", "highway.partners": 5, "highway.draws": 1, "highway.predict": "original",
    "consistency.weight": 1.0, "consistency.num_views": 3, "consistency.drop_nodes": 0.5,
    "consistency.temperature": 0.9, "consistency.ramp": 1,
    "consistency.align_prior": True, "fit.min_epochs": 60, "fit.factor": 0.2,
    "fit.epochs": 4, "fit.patience": 1, "fit.lr": 0.001, "fit.weight_decay": 0.1, "fit.monitor": "loss",
    "fit.features": "row", "fit.class_weights": "balanced", "fit.batch_size": 5, "fit.num_neighbors": (1, 1), "seed": 9,
    "fit.max_batches": 1,
    "select.typical": True, "select.baselines": True, "select.combine": True,
    "votes.views": ("structure",), "votes.method": "knn", "votes.penalty": 9.0, "votes.neighbors": 3, "votes.rank": 2,
    "votes.weight": 0.5, "votes.targets": 0.5, "votes.highways": True, "votes.control": "shuffled",
}  # fmt: skip
ALSO = {
    "pairs.limit": {"pairs.strategy": "random"},
    "highway.precision": {"highway.node_threshold": "auto", "highway.joint": False, "highway.precision": 0.5},
    "highway.partners": {"highway.targets": "partners"},
    "highway.draws": {"highway.targets": "partners"},
    "consistency.temperature": {"consistency.weight": 1.0, "consistency.num_views": 2},
    "consistency.ramp": {"consistency.weight": 1.0, "consistency.num_views": 2},
    "consistency.align_prior": {"consistency.weight": 1.0, "consistency.num_views": 2, "highway.patience": 2},
    # Rounds that hardly learn: anything else is better.
    "select.typical": {"fit.lr": 0.02, "fit.epochs": 40, "pairs.weight": 300.0},
    "select.baselines": {"fit.lr": 1e-5},
    "select.combine": {"select.baselines": True},
    "votes.method": {"votes.views": ("features",)},
    "votes.penalty": {"votes.views": ("features",)},
    "votes.neighbors": {"votes.views": ("features",), "votes.method": "knn"},
    "votes.rank": {"votes.views": ("features",)},
    "votes.weight": {"votes.views": ("features",)},
    "votes.targets": {"votes.views": ("features",), "consistency.weight": 1.0, "consistency.num_views": 2},
    "votes.highways": {"votes.views": ("features",)},
    "votes.control": {"votes.views": ("features",)},
    "fit.min_epochs": {"fit.epochs": 100, "fit.patience": 2},
    "fit.num_neighbors": {"fit.batch_size": 20, "fit.epochs": 5},
    "fit.max_batches": {"fit.batch_size": 5, "fit.epochs": 5},
}


def uneven_graph(seed: int) -> Data:
    """Return a graph whose first class has half as many labels as the others."""
    data = block_graph(seed)
    data.train_mask[((data.y == 0) & data.train_mask).nonzero().flatten()[::2]] = False
    return data


@pytest.mark.parametrize("name", CHANGES)
def test_every_option_changes_the_result(name) -> None:
    start = {"highway.keep": "last", "highway.node_threshold": 0.4, "fit.lr": 0.03, "highway.rounds": 3}
    config = override(PRESETS["full"], start | ALSO.get(name, {}))
    changed = override(config, {name: CHANGES[name]})
    pairs = (
        [train(Own(), uneven_graph(seed), c, seed=seed or c.seed).logits for c in (config, changed)]
        for seed in range(4)
    )
    # The first seed shows it for most options.
    assert any(not torch.equal(one, other) for one, other in pairs)


def test_every_option_is_covered() -> None:
    # The device, the numbers of workers and threads and sparse products must change no more than the last bits.
    others = {"fit.device", "fit.num_workers", "fit.num_threads", "fit.sparse_features"}
    # A threshold needs two classes: test_threshold.
    assert set(CHANGES) | others | {"fit.threshold"} == set(dotted(PRESETS["full"]))


@pytest.mark.parametrize("strategy", ["lead", "random", "close", "middle", "remote"])
def test_every_sampling_strategy_trains(strategy) -> None:
    config = override(FULL, {"pairs.strategy": strategy, "pairs.limit": 50})
    assert train(Own(), block_graph(), config).test > 0.5


def test_more_anchors_add_more_highways() -> None:
    data = block_graph()
    few, many = (train(Own(), data, override(FULL, {"highway.anchors": n})).rounds[0].edges_added for n in (1, 4))
    assert many > few
