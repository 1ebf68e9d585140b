"""The amount of work in a step grows with what is computed, and chooses the threads of a training."""

import pytest
import torch

from highwaygraph.graph.queries import with_csr
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runtime import threads
from highwaygraph.runtime.threads import own_threads
from highwaygraph.training import engine
from highwaygraph.training.engine import train
from highwaygraph.training.workload import step_work
from tests.helpers.graphs import block_graph
from tests.helpers.own_module import Own

SHORT = override(PRESETS["typical"], {"fit.epochs": 2, "fit.device": "cpu"})


def work(name="gcn", preset="plus", hidden=16, **options) -> int:
    data = block_graph()
    return step_work(build(name, data, hidden=hidden), data, override(PRESETS[preset], options))


def test_work_grows_with_width_views_and_batches() -> None:
    assert work(hidden=32) == pytest.approx(2 * work(), rel=0.1)
    assert work(**{"consistency.num_views": 4}) == pytest.approx(2 * work(), rel=0.01)
    assert work(preset="typical") < work() / 2
    small, large = (work(**{"fit.batch_size": size, "fit.num_neighbors": (1,)}) for size in (5, 20))
    assert large == pytest.approx(4 * small, rel=0.01)


def test_a_graph_without_an_edge_list_counts_the_same_edges() -> None:
    data, config = block_graph(), override(PRESETS["plus"], {"fit.batch_size": 20})
    model = build("gcn", data, hidden=16)
    mapped = with_csr(data)
    assert step_work(model, mapped, config) == pytest.approx(step_work(model, data, config), rel=0.2)


def test_the_zeros_of_a_users_module_count() -> None:
    data = block_graph()
    dense, half = step_work(Own(), data, SHORT), data.clone()
    half.x = torch.where(torch.arange(data.num_nodes)[:, None] % 2 == 0, data.x, 0.0)
    assert step_work(Own(), half, SHORT) == dense
    model = build("gcn", data, hidden=16)
    assert step_work(model, half, SHORT) < step_work(model, data, SHORT)


@pytest.mark.parametrize("model", ["gcn", "own"])
def test_a_training_has_as_many_threads_as_its_work_is_worth(monkeypatch, model) -> None:
    monkeypatch.setenv("OMP_WAIT_POLICY", "passive")
    monkeypatch.setattr(threads, "cores", lambda: 2)
    data, seen = block_graph(), []
    network = Own() if model == "own" else build(model, data, hidden=8)

    def run(**options) -> int | None:
        config = override(SHORT, options)
        return train(network, data, config, on_epoch=lambda _: seen.append(torch.get_num_threads())).num_threads

    with own_threads(3):
        assert run() == 1
        assert run(**{"fit.num_threads": 2}) == 2
        monkeypatch.setattr(engine, "step_work", lambda *_: 10**12)
        assert run() == 2
        assert torch.get_num_threads() == 3
    assert seen == [1, 1, 2, 2, 2, 2]
