"""GraphSAGE on several node types."""

import pytest
import torch

import highwaygraph as hg
from highwaygraph.errors import ConfigError
from highwaygraph.graph.hetero import HIGHWAY
from highwaygraph.nn.hetero import hetero_inputs
from tests.helpers.library import library


def test_a_layer_adds_the_means_of_all_relations_to_the_node_itself() -> None:
    data = hg.load(library(30))
    model = hg.models.build("hetero_sage", data, hidden=8, layers=1).eval()
    inputs = hetero_inputs(data, torch.device("cpu"), torch.float32)
    x = {name: linear(part).relu() for (name, part), linear in zip(
        {"paper": data.x, **inputs.x}.items(), model.inputs, strict=True)}  # fmt: skip
    layer = model.layers[0]
    expected = layer.roots[0](x["paper"])
    for relation, mean in zip(model.relations, layer.means, strict=True):
        if relation[2] == "paper":
            source, target = inputs.edges[relation]
            matrix = torch.zeros(30, len(x[relation[0]])).index_put_((target, source), torch.ones(1), accumulate=True)
            matrix /= matrix.sum(dim=1, keepdim=True).clamp(min=1)
            expected = expected + mean.lin_l(matrix @ x[relation[0]])
    assert torch.allclose(model({"paper": data.x, **inputs.x}, inputs.edges), expected, atol=1e-5)


def test_highways_have_weights_of_their_own() -> None:
    data = hg.load(library(30))
    model = hg.models.build("hetero_sage", data, hidden=8)
    assert ("paper", HIGHWAY, "paper") in model.relations
    before = {name: value.clone() for name, value in model.state_dict().items()}
    model.reset_parameters()
    assert all(not torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_relations_show_classes_that_the_features_of_papers_do_not() -> None:
    data = hg.split(hg.load(library()), train=10, val=10)
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 80, "fit.patience": 80, "fit.features": "auto"})
    typed = hg.train(hg.models.build("hetero_sage", data, hidden=16), data, config, progress=False)
    with pytest.warns(UserWarning, match="MLP reads the nodes of type paper and the edges between them only"):
        alone = hg.train(hg.models.build("mlp", data, hidden=16), data, config, progress=False)
    assert typed.test > 0.8
    assert alone.test < 0.5


def test_it_needs_several_node_types_and_the_whole_graph() -> None:
    with pytest.raises(ConfigError, match="hetero_sage is for several node types, but this graph has one: use sage"):
        hg.models.build("hetero_sage", hg.load("cora"))
    data = hg.split(hg.load(library(60)), train=5, val=5)
    config = hg.override(hg.PRESETS["typical"], {"fit.batch_size": 8})
    with pytest.raises(ConfigError, match="Mini-batches are not supported for several node types"):
        hg.train(hg.models.build("hetero_sage", data), data, config, progress=False)
    with pytest.raises(hg.DataError, match="The choice of a network is not supported"):
        hg.choose_network(data, hg.Network(model="auto"), config)
