"""Every built-in network trains, in mini-batches too, on graphs in memory and on disk, and is saved with its run."""

import pytest
import torch

import highwaygraph as hg
from highwaygraph.errors import ConfigError
from highwaygraph.nn.factory import NETWORKS
from tests.helpers.graphs import block_graph

SHORT = {"fit.epochs": 15, "fit.lr": 0.03, "fit.device": "cpu", "highway.rounds": 2, "highway.keep": "last"}
ALL_NEIGHBORS = {"fit.batch_size": 1000, "fit.num_neighbors": (1000,)}
batched = pytest.mark.parametrize("name", [name for name in NETWORKS if name != "graphmix"])


@pytest.mark.parametrize("name", NETWORKS)
def test_a_saved_run_opens_with_the_same_predictions(name, tmp_path) -> None:
    data = block_graph()
    model = hg.models.build(name, data, hidden=16)
    result = hg.train(model, data, hg.override(hg.PRESETS["full"], SHORT), seed=0)
    again = hg.open_run(result.save(tmp_path / "run"))
    assert again.model.network == model.network
    assert torch.equal(again.predict_proba(data), result.predict_proba(data))


@batched
def test_batches_with_all_neighbours_train_like_the_whole_graph(name) -> None:
    data, config = block_graph(), hg.override(hg.PRESETS["full"], SHORT)
    model = hg.models.build(name, data, hidden=16, dropout=0.0)
    whole = hg.train(model, data, config, seed=0)
    batches = hg.train(model, data, hg.override(config, ALL_NEIGHBORS), seed=0)
    assert torch.allclose(whole.logits, batches.logits, atol=1e-3)
    assert torch.equal(whole.highways, batches.highways)


@batched
def test_a_mapped_graph_trains_like_one_in_memory(name, tmp_path) -> None:
    data = block_graph()
    mapped = hg.convert(data, tmp_path / "graph")
    batches = {"fit.batch_size": 8, "fit.num_neighbors": (4, 4), "fit.epochs": 5}
    config = hg.override(hg.PRESETS["full"], SHORT | batches)
    one, other = (hg.train(hg.models.build(name, data, hidden=8), d, config, seed=0) for d in (data, mapped))
    assert torch.allclose(one.logits, other.logits, atol=1e-4)
    assert torch.equal(one.highways, other.highways)


@pytest.mark.parametrize("name", [name for name, network in NETWORKS.items() if network.undirected_minibatches])
def test_directed_graphs_are_refused_where_batches_need_both_directions(name) -> None:
    data = block_graph()
    data.edge_index = data.edge_index[:, data.edge_index[0] < data.edge_index[1]]
    config = hg.override(hg.PRESETS["full"], SHORT | ALL_NEIGHBORS)
    with pytest.raises(ConfigError, match=f"{name} trains in mini-batches on undirected graphs only"):
        hg.train(hg.models.build(name, data, hidden=8), data, config)
