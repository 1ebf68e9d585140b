"""The choices of `highway train` where the user has made none."""

import pytest
import torch
from torch_geometric.data import Data

import highwaygraph as hg
from highwaygraph.cli.defaults import choose_folds, default_network
from highwaygraph.config import FoldChoice, Network, SplitChoice
from tests.helpers.graphs import block_graph, unsplit_graph

PLUS = hg.PRESETS["plus"]
# Mini-batches, as `fit.batch_size=auto` chooses for a large graph.
BATCHES = hg.override(PLUS, {"fit.batch_size": 8})


def folds(
    data: Data | None = None,
    *,
    given: FoldChoice = FoldChoice(),
    split: SplitChoice = SplitChoice(),
    config: hg.Config = PLUS,
) -> int:
    return choose_folds(unsplit_graph() if data is None else data, given, split, Network(), config)


def test_a_graph_without_a_split_is_divided_into_folds(capsys) -> None:
    assert folds() == 5
    assert "all 180 labels train" in capsys.readouterr().err
    assert folds(given=FoldChoice(folds=3)) == 3


@pytest.mark.parametrize(("labels", "expected"), [(4, 4), (2, 0)])
def test_classes_with_few_labels_have_fewer_folds_or_none(labels, expected) -> None:
    data = unsplit_graph()
    # Nodes are sorted by class, 60 of each.
    data.y[torch.arange(180) % 60 >= labels] = -1
    assert folds(data) == expected


@pytest.mark.parametrize(
    "changes",
    [
        {"given": FoldChoice(refit=False)},
        {"split": SplitChoice(train=5)},
        {"split": SplitChoice(split_seed=1)},
        {"data": block_graph()},
        {"config": BATCHES},
    ],
    ids=["no refit", "sizes", "seed", "a split of its own", "mini-batches"],
)
def test_one_split_is_used_where_it_is_given_or_the_graph_is_large(changes, capsys) -> None:
    assert folds(**changes) == 0
    assert not capsys.readouterr().err


def test_folds_that_are_asked_for_are_used_everywhere() -> None:
    assert folds(block_graph(), given=FoldChoice(refit=True)) == 5
    assert folds(split=SplitChoice(val=0), config=BATCHES) == 5


def test_a_network_that_is_not_named_is_chosen_on_validation() -> None:
    assert default_network(Network(hidden=8), block_graph(), PLUS) == Network(model="auto", hidden=8)
    assert default_network(Network(model="gcn"), block_graph(), PLUS).model == "gcn"


def test_the_papers_presets_and_large_graphs_train_a_gcn() -> None:
    assert default_network(Network(), block_graph(), hg.PRESETS["full"]).model == "gcn"
    assert default_network(Network(), block_graph(), BATCHES).model == "gcn"
