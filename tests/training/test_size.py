"""The choice of whole graph or mini-batches."""

from typing import Any

import pytest
import torch

from highwaygraph.config import Config
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.queries import with_csr
from highwaygraph.models import build
from highwaygraph.nn.scaling import with_scaling
from highwaygraph.options import dotted, override
from highwaygraph.presets import PRESETS
from highwaygraph.training import size
from highwaygraph.training.engine import train
from highwaygraph.training.estimate import whole_graph_bytes
from highwaygraph.training.size import SizeChoice, choose_size
from tests.helpers.graphs import block_graph, irregular_graph
from tests.helpers.own_module import Own

PLUS = PRESETS["plus"]
GIB = 2**30


def choose(data: Graph, model: str = "gcn", config: Config = PLUS) -> SizeChoice:
    """Return the choice for a built-in network."""
    return choose_size(build(model, data, hidden=8), with_scaling(data, config.fit), config)


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave a tenth of a GiB of memory."""
    monkeypatch.setattr(size, "available_bytes", lambda _: 0.1 * GIB)


def test_a_small_graph_is_trained_as_a_whole_with_every_option_kept(monkeypatch) -> None:
    monkeypatch.setattr(size, "available_bytes", lambda _: 100 * GIB)
    assert not choose(block_graph()).announced
    monkeypatch.setattr(size, "available_bytes", lambda _: 2 * GIB)
    found = choose(block_graph())
    assert (found.changes, found.announced) == ({"fit.batch_size": 0}, True)
    assert found.sentence.startswith("Training on the whole graph, which takes about 0.5 GiB of 2.0 GiB")
    assert "fit.batch_size=64 trains in mini-batches" in found.sentence


@pytest.mark.usefixtures("little_memory")
def test_mini_batches_where_memory_is_short() -> None:
    found = choose(block_graph())
    assert found.changes["fit.batch_size"] == 64
    assert (found.changes["fit.max_batches"], found.changes["highway.draws"]) == (1, 1)
    assert "because the whole graph takes about 0.5 GiB, more than half of 0.1 GiB" in found.sentence
    assert "fit.batch_size=0 trains on the whole graph" in found.sentence
    assert "with fit.max_batches=1, highway.draws=1" in found.sentence


def test_the_estimate_may_take_half_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    data = block_graph()
    needed = whole_graph_bytes(build("gcn", data, hidden=8), data, PLUS)
    for available, expected in ((2.1 * needed, 0), (1.9 * needed, 64)):
        monkeypatch.setattr(size, "available_bytes", lambda _, available=available: available)
        assert choose(data).changes["fit.batch_size"] == expected


def test_mini_batches_where_a_step_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size, "MAX_WORK", 1000)
    found = choose(block_graph())
    assert found.changes["fit.batch_size"] == 64
    assert "billion multiplications" in found.sentence


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("given", [0, 7])
def test_a_given_batch_size_is_kept(given: int) -> None:
    assert choose(block_graph(), config=override(PLUS, {"fit.batch_size": given})) == SizeChoice({}, "")


@pytest.mark.usefixtures("little_memory")
def test_other_given_options_are_kept() -> None:
    given = {"fit.max_batches": 3, "highway.draws": 2, "fit.factor": 0.5, "fit.epochs": 7}
    config = override(PLUS, given)
    chosen = override(config, choose(block_graph(), config=config).changes)
    assert {name: dotted(chosen)[name] for name in given} == given


@pytest.mark.usefixtures("little_memory")
def test_batches_grow_with_the_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size, "BATCH_SIZES", (2, 5))
    monkeypatch.setattr(size, "BATCHES", (1, 3))
    data = block_graph()
    # 30 labels: a quarter is above the largest mini-batch, and three of those do not see most of the labels.
    found = choose(data).changes
    assert (found["fit.batch_size"], found["fit.max_batches"]) == (5, 3)


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize(
    ("model", "changes", "reason"),
    [("graphmix", {}, "a loss of its own"), ("hyper", {}, "undirected graphs only")],
)
def test_networks_that_need_the_whole_graph(model: str, changes: dict[str, Any], reason: str) -> None:
    found = choose(irregular_graph(), model, override(PLUS, changes))
    assert found.changes == {"fit.batch_size": 0}
    assert reason in found.sentence


@pytest.mark.usefixtures("little_memory")
def test_a_module_of_unknown_hops_is_trained_on_the_whole_graph() -> None:
    found = choose_size(Own(), block_graph(), PLUS)
    assert found.changes == {"fit.batch_size": 0}
    assert "set fit.batch_size and fit.num_neighbors" in found.sentence


@pytest.mark.usefixtures("little_memory")
def test_several_processes_share_mini_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(size, "world_size", lambda: 2)
    assert "because 2 processes share the labelled nodes" in choose(block_graph()).sentence


@pytest.mark.usefixtures("little_memory")
def test_the_factor_restores_the_length_of_averaged_features() -> None:
    data = block_graph()
    rng = torch.Generator().manual_seed(0)
    data.x = torch.randn(data.x.shape, generator=rng)
    noise = choose(data).changes["fit.factor"]
    data.x = torch.eye(3)[data.y] * 2 - 1
    signal = choose(data).changes["fit.factor"]
    assert noise > 2.5 > 1.5 > signal >= 1
    # The same from a CSR adjacency, as a graph on disk has it.
    assert choose(with_csr(data)).changes["fit.factor"] == signal


@pytest.mark.usefixtures("little_memory")
def test_counts_have_no_factor() -> None:
    data = block_graph()
    data.x = (torch.rand(data.x.shape, generator=torch.Generator().manual_seed(0)) < 0.2).float()
    assert "fit.factor" not in choose(data).changes


@pytest.mark.usefixtures("little_memory")
def test_the_default_trains_in_the_chosen_mini_batches(capsys: pytest.CaptureFixture[str]) -> None:
    data, config = block_graph(), override(PLUS, {"fit.epochs": 3, "fit.device": "cpu"})
    result = train(build("gcn", data, hidden=8), data, config)
    assert result.config.fit.batch_size == 64
    assert result.config.fit.epochs == 3
    assert capsys.readouterr().err.startswith("Training in mini-batches of 64 labelled nodes")
    train(build("gcn", data, hidden=8), data, config, progress=False)
    assert not capsys.readouterr().err
