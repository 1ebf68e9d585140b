"""The network of a run: its copy, its logits and its receptive fields."""

import pytest
import torch

from highwaygraph.errors import ModelError
from highwaygraph.explanation import network as module
from highwaygraph.explanation.network import network_view, receptive_field
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.runs.open import open_run
from highwaygraph.training.engine import train
from tests.helpers.explained import explained_run, long_graph
from tests.helpers.graphs import block_graph
from tests.helpers.own_module import TYPICAL, Own

SAMPLED = {"fit.batch_size": 16, "fit.num_neighbors": (2, 2), "fit.epochs": 3}


def test_a_field_of_a_shallow_network_is_small_and_exact() -> None:
    view = network_view(explained_run("gcn"))
    field = receptive_field(view, 5)
    assert (field.is_exact, field.is_whole, int(field.nodes[field.target])) == (True, False, 5)
    assert int(field.hops.max()) == 3


def test_a_field_of_a_deep_network_is_the_whole_graph() -> None:
    data = block_graph()
    result = train(build("appnp", data, hidden=8), data, override(TYPICAL, {"fit.epochs": 3}), seed=0, progress=False)
    field = receptive_field(network_view(result), 5)
    assert (field.is_exact, field.is_whole, field.target, len(field.nodes)) == (True, True, 5, 180)


def test_the_network_of_the_run_is_not_changed() -> None:
    result = explained_run("gcn")
    assert network_view(result).model is not result.model


def test_built_in_networks_in_mini_batches_have_exact_fields() -> None:
    data = long_graph()
    result = train(build("gcn", data, hidden=8), data, override(TYPICAL, SAMPLED), seed=0, progress=False)
    field = receptive_field(network_view(result), 5)
    assert field.is_exact
    assert not field.is_whole


def test_a_module_in_mini_batches_and_large_fields_are_approximate(monkeypatch) -> None:
    result = train(Own(), long_graph(), override(TYPICAL, SAMPLED), seed=0, progress=False)
    assert not receptive_field(network_view(result), 5).is_exact
    data = long_graph()
    result = train(build("gcn", data, hidden=8), data, override(TYPICAL, SAMPLED), seed=0, progress=False)
    monkeypatch.setattr(module, "MOST_EDGES", 3)
    assert not receptive_field(network_view(result), 5).is_exact


class Centred(Own):
    """A module whose logits depend on all nodes."""

    def forward(self, x, edge_index):
        logits = super().forward(x, edge_index)
        return logits - logits.mean(dim=0)


def test_a_module_that_depends_on_all_nodes_is_explained_on_the_whole_graph() -> None:
    result = train(Centred(), long_graph(), TYPICAL, seed=0, progress=False)
    assert receptive_field(network_view(result), 5).is_whole


def test_a_module_that_is_not_given_is_refused(tmp_path) -> None:
    result = train(Own(), long_graph(), TYPICAL, seed=0, progress=False)
    path = result.save(tmp_path / "run")
    with pytest.raises(ModelError, match=r"your own module Own: explain it in Python"):
        network_view(open_run(path))
    again = network_view(open_run(path, model=Own()))
    assert torch.equal(again.logits, result.logits)
