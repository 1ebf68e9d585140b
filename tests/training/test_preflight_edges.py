import warnings

import pytest
import torch
from torch import nn

import highwaygraph as hg
from highwaygraph.errors import HighwayWarning, ModelError
from highwaygraph.models import build, num_relations
from tests.helpers.edge_graphs import edge_kind_graph
from tests.helpers.edge_models import Relational, edge_feature_model
from tests.helpers.graphs import block_graph


class Embeds(nn.Module):
    """An embedding of the edge type, as an edge feature."""

    def __init__(self, types: int) -> None:
        super().__init__()
        self.table, self.inner = nn.Embedding(types, 4), edge_feature_model("gine", 12, 3, 4)

    def forward(self, x, edge_index, edge_type):
        return self.inner(x, edge_index, self.table(edge_type))


class Loops(nn.Module):
    """A sum over the types that it has weights for; it ignores further types."""

    def __init__(self, types: int) -> None:
        super().__init__()
        self.own, self.lins = nn.Linear(12, 3), nn.ModuleList(nn.Linear(12, 3) for _ in range(types))

    def forward(self, x, edge_index, edge_type):
        out = self.own(x)
        for place, lin in enumerate(self.lins):
            source, target = edge_index[:, edge_type == place]
            out = out.index_add(0, target, lin(x)[source])
        return out


def train(model: nn.Module, data, preset: str = "full", **options) -> hg.Result:
    config = hg.override(hg.PRESETS[preset], {"fit.epochs": 2, "highway.rounds": 2} | options)
    return hg.train(model, data, config, seed=0, progress=False)


@pytest.mark.parametrize("model", [Relational, Embeds, Loops])
@pytest.mark.parametrize("batches", [{}, {"fit.batch_size": 20}], ids=["whole graph", "mini-batches"])
def test_a_module_without_parameters_for_highways_is_refused(model, batches) -> None:
    data = edge_kind_graph(size=40)
    build_model = (lambda types: Relational(12, 3, types)) if model is Relational else model
    with pytest.raises(ModelError, match=r"no parameters for the type of highways, 2: build its layers for 3 edge"):
        train(build_model(2), data, **batches)
    assert train(build_model(num_relations(data)), data, **batches).rounds
    # Without highways, the types of the graph are enough.
    assert train(build_model(2), data, "typical", **{"highway.rounds": 1}, **batches).rounds


def test_a_module_that_forgets_a_value_is_warned_of() -> None:
    data = edge_kind_graph(size=40)
    with pytest.warns(
        HighwayWarning, match="takes no edge_attr or edge_type: the edge features and edge types"
    ):
        train(build("gcn", data), data, "typical")
    with warnings.catch_warnings():
        warnings.simplefilter("error", HighwayWarning)
        train(edge_feature_model("gatv2", 12, 3, 4), data, "typical")


def test_the_number_of_relations_needs_edge_types() -> None:
    with pytest.raises(hg.DataError, match="has no edge types"):
        num_relations(block_graph())


def test_a_single_training_node_of_a_class_is_enough_for_the_check() -> None:
    data = edge_kind_graph(size=40)
    data.train_mask = torch.zeros_like(data.train_mask)
    data.train_mask[torch.tensor([0, 40])] = True
    data.val_mask &= ~data.train_mask
    data.test_mask &= ~data.train_mask
    assert train(Relational(12, 3, 3), data).rounds
