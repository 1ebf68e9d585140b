"""The call of modules on several node types."""

import pytest
import torch
from torch import nn

import highwaygraph as hg
from highwaygraph.errors import HighwayWarning, ModelError
from highwaygraph.graph.augment import add_highways
from highwaygraph.graph.hetero import HIGHWAY
from highwaygraph.nn.hetero import call_with_types, hetero_inputs, inputs_for, join_highways, needs_highways
from tests.helpers.graphs import block_graph
from tests.helpers.hetero_models import Convs, OfData, transformed
from tests.helpers.library import library

CPU = torch.device("cpu")


class Both(nn.Module):
    """Returns a dictionary of all its features."""

    def forward(self, x_dict, edge_index_dict):
        return {name: x for name, x in x_dict.items() if name != "venue"}


def test_modules_take_dictionaries_or_a_hetero_data() -> None:
    data = hg.load(library(30))
    metadata = hg.hetero_metadata(data)
    kinds = [inputs_for(model, data).kind for model in (Convs(metadata), transformed(metadata), OfData(metadata))]
    assert kinds == ["dicts", "dicts", "hetero data"]
    assert inputs_for(hg.models.build("gcn", data), data).kind == "edges"
    assert inputs_for(nn.Linear(6, 3), data).kind == "features"
    assert inputs_for(Both(), block_graph()).kind == "edges"


def test_the_edges_are_divided_by_relation() -> None:
    data = hg.load(library(30, cites=True))
    joined = add_highways(data, torch.tensor([[0], [29]]))
    inputs = hetero_inputs(joined, CPU, torch.float32)
    assert inputs.edges["paper", HIGHWAY, "paper"].tolist() == [[0, 29], [29, 0]]
    assert torch.equal(inputs.edges["paper", "cites", "paper"], data.edge_index)
    assert set(inputs.edges) == set(hg.hetero_metadata(data)[1])
    assert hetero_inputs(data, CPU, torch.float32).edges["paper", HIGHWAY, "paper"].shape == (2, 0)


def test_of_a_dictionary_of_outputs_the_target_type_is_taken() -> None:
    data = hg.load(library(30))
    inputs = hetero_inputs(data, CPU, torch.float32)
    assert torch.equal(call_with_types(Both(), "dicts", data.x, inputs), data.x)
    with pytest.raises(ModelError, match="The model returns no logits of the target type 'venue'"):
        call_with_types(Both(), "dicts", data.x, inputs._replace(target="venue"))


def test_highways_join_the_largest_relation_within_the_target_type() -> None:
    data = hg.load(library(30, cites=True))
    with pytest.warns(HighwayWarning, match=r"highways become edges of \('paper', 'cites', 'paper'\)"):
        joined = join_highways(data, "Mine", needed=True)
    inputs = hetero_inputs(add_highways(joined, torch.tensor([[0], [29]])), CPU, torch.float32)
    assert ("paper", HIGHWAY, "paper") not in inputs.edges
    assert inputs.edges["paper", "cites", "paper"].size(1) == data.edge_index.size(1) + 2


def test_without_such_a_relation_a_training_with_highways_is_refused() -> None:
    data = hg.load(library(30))
    with pytest.raises(ModelError, match=r"there is no other within paper: build its layers with hg.hetero_metadata"):
        join_highways(data, "Mine", needed=True)
    assert join_highways(data, "Mine", needed=False).hetero.own == ()
    assert [needs_highways(hg.PRESETS[name]) for name in ("typical", "consistent", "full", "plus")] == [
        False,
        False,
        True,
        True,
    ]
