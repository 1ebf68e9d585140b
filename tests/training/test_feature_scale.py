"""Real training does not depend on the unit, the density or further columns of the features."""

from statistics import fmean

import pandas as pd
import pytest
import torch

import highwaygraph as hg
from highwaygraph.graph.graph import Graph
from highwaygraph.presets import typical_of
from highwaygraph.study.tables.generate import generate
from tests.helpers.graphs import block_graph

ROUNDS = {"fit.epochs": 40, "fit.min_epochs": 40, "select.typical": False, "select.baselines": False}
CONFIG = hg.override(hg.PRESETS["plus"], ROUNDS)


def _train(data: Graph, seed: int = 0) -> hg.Result:
    return hg.train(hg.models.build("gcn", data, hidden=16), data, CONFIG, seed=seed, progress=False)


def _accuracy(data: Graph, seeds: int = 3) -> float:
    """Return the mean test accuracy of typical training to its end."""
    config, model = typical_of(hg.PRESETS["plus"]), hg.models.build("gcn", data)
    return fmean(hg.train(model, data, config, seed=seed, progress=False).test for seed in range(seeds))


def test_all_features_times_100_give_the_same_predictions() -> None:
    data, other = block_graph(), block_graph()
    other.x = 100 * other.x
    assert torch.allclose(_train(data).logits, _train(other).logits, atol=1e-2)


def test_one_column_in_another_unit_gives_the_same_predictions() -> None:
    data, other = block_graph(), block_graph()
    other.x[:, 1] = 2000 + 1000 * other.x[:, 1]
    assert torch.allclose(_train(data).logits, _train(other).logits, atol=1e-2)


def _words(times: int) -> Graph:
    """Return Cora with every word listed several times."""
    data = hg.split(hg.load("cora"), train=20, val=30, seed=1000)
    data.x = data.x.repeat(1, times)
    return data


@pytest.mark.slow
def test_twice_as_many_words_per_row_change_the_accuracy_by_noise_only() -> None:
    assert abs(_accuracy(_words(1)) - _accuracy(_words(2))) < 0.02


def test_a_text_column_beside_numbers_does_not_lower_the_accuracy() -> None:
    nodes, edges = generate("sensors", seed=1)
    # Words without meaning, and in every second row one that has some.
    noise = [
        " ".join([*(f"remark{(7 * i + k * k) % 211}" for k in range(12)), f"{state} report" if i % 2 else "report"])
        for i, state in enumerate(nodes["label"])
    ]
    plain = hg.split(hg.load(nodes, edges), train=20, val=30, seed=1000)
    with_text = hg.split(hg.load(pd.concat([nodes, pd.Series(noise, name="remarks")], axis=1), edges), seed=1000)
    assert with_text.x.size(1) > plain.x.size(1) + 100
    assert _accuracy(with_text) > _accuracy(plain) - 0.02
