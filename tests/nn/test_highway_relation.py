"""The relation of highways, found by a trial forward pass."""

import pytest
import torch
from torch import nn

import highwaygraph as hg
from highwaygraph.errors import HighwayWarning, ModelError
from highwaygraph.nn.highway_relation import with_highway_relation
from tests.helpers.graphs import block_graph
from tests.helpers.hetero_models import Convs, OfData, Strict, transformed
from tests.helpers.library import library

MODULES = pytest.mark.parametrize("build", [transformed, Convs, OfData, Strict])


def bare(metadata):
    """Return the metadata without the relation of highways."""
    return metadata[0], [relation for relation in metadata[1] if relation[1] != "highway"]


@MODULES
def test_a_module_with_layers_for_the_relation_uses_it(build) -> None:
    data = hg.load(library(30))
    assert with_highway_relation(build(hg.hetero_metadata(data)), data.x, data, needed=True) is data


@MODULES
def test_a_module_without_layers_for_it_gets_highways_in_another_relation(build) -> None:
    data, alone = hg.load(library(30, cites=True)), hg.load(library(30))
    with pytest.warns(HighwayWarning, match="does not use the relation"):
        found = with_highway_relation(build(bare(hg.hetero_metadata(data))), data.x, data, needed=True)
    assert found.hetero.own == (("paper", "cites", "paper"),)
    with pytest.raises(ModelError, match="does not use the relation"):
        with_highway_relation(build(bare(hg.hetero_metadata(alone))), alone.x, alone, needed=True)


def test_other_faults_are_left_to_the_check_of_the_forward_pass() -> None:
    class Broken(nn.Module):
        def forward(self, x_dict, edge_index_dict):
            raise ValueError("no")

    data = hg.load(library(30))
    assert with_highway_relation(Broken(), data.x, data, needed=True) is data
    assert with_highway_relation(nn.Linear(12, 3), torch.ones(180, 12), block := block_graph(), needed=True) is block


@MODULES
def test_modules_of_pyg_train_with_highways_of_their_own_relation(build) -> None:
    data = hg.split(hg.load(library(60)), train=5, val=5)
    options = {"fit.epochs": 5, "highway.rounds": 2, "highway.node_threshold": 0.2, "highway.joint": False}
    module = build(hg.hetero_metadata(data))
    result = hg.train(module, data, hg.override(hg.PRESETS["full"], options), progress=False)
    assert result.rounds[0].edges_added > 0
    assert int(result.highways.max() if result.highways.numel() else 0) < data.num_nodes
    assert result.logits.shape == (60, 3)
