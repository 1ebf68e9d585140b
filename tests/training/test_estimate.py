"""Estimates of memory and time."""

import pytest

from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.training import estimate
from highwaygraph.training.estimate import estimate_run, minibatch_bytes, whole_graph_bytes
from tests.helpers.graphs import block_graph

WHOLE = override(PRESETS["plus"], {"fit.batch_size": 0})
BATCHES = override(PRESETS["plus"], {"fit.batch_size": 8, "fit.max_batches": 1, "highway.draws": 1})


@pytest.mark.parametrize("config", [WHOLE, BATCHES])
@pytest.mark.parametrize(("name", "values"), [("highway.rounds", (1, 3)), ("fit.epochs", (50, 150))])
def test_time_grows_with_rounds_and_epochs(config, name, values) -> None:
    data = block_graph()
    few, many = (
        estimate_run(build("gcn", data), data, override(config, {name: v})).seconds - estimate.START for v in values
    )
    assert 2 < many / few < 4


def test_memory_of_the_whole_graph_grows_with_nodes_views_and_graphs_of_highways() -> None:
    small, large = block_graph(size=60), block_graph(size=240)
    model = build("gcn", small)

    def needed(data=small, **changes):
        options = {name.replace("__", "."): value for name, value in changes.items()}
        return whole_graph_bytes(model, data, override(WHOLE, options)) - estimate.BASE

    assert needed(large) > 3.5 * needed()
    assert needed(consistency__num_views=4) > needed()
    assert needed(highway__draws=20) > 1.4 * needed()
    assert needed(highway__rounds=2) < needed(highway__draws=1)


def test_memory_in_mini_batches_does_not_depend_on_views() -> None:
    data = block_graph()
    model = build("gcn", data)
    assert minibatch_bytes(model, data, BATCHES) == minibatch_bytes(
        model, data, override(BATCHES, {"consistency.num_views": 4})
    )
    assert minibatch_bytes(model, data, BATCHES) < minibatch_bytes(
        model, data, override(BATCHES, {"highway.draws": 10})
    )


def test_limited_epochs_take_less_time_than_all_labels() -> None:
    data = block_graph()
    one, every = (
        estimate_run(build("gcn", data), data, override(BATCHES, {"fit.max_batches": most})).seconds for most in (1, 0)
    )
    assert one < every
