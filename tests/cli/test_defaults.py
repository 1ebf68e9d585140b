"""The choices of `highway train` where the user has made none."""

import pytest
import torch
from torch_geometric.data import Data

import highwaygraph as hg
from highwaygraph.cli.defaults import choose_folds, choose_nodes, default_network, lower_folds
from highwaygraph.config import FoldChoice, Network, SplitChoice
from highwaygraph.errors import ConfigError, DataError
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


def few_labels(labels: int) -> Data:
    """Return a graph with so many labels in each of three classes."""
    data = unsplit_graph()
    # Nodes are sorted by class, 60 of each.
    data.y[torch.arange(180) % 60 >= labels] = -1
    return data


@pytest.mark.parametrize(("labels", "expected"), [(4, 4), (2, 0)])
def test_classes_with_few_labels_have_fewer_folds_or_none(labels, expected, capsys) -> None:
    assert folds(few_labels(labels)) == expected
    sentence = "come from 4 folds, the most that the labels allow instead of 5, then all 12 labels train"
    assert (sentence in capsys.readouterr().err) == bool(expected)


def test_folds_that_were_wanted_are_lowered_with_a_sentence(capsys) -> None:
    assert lower_folds(few_labels(5), 5) == 5
    assert not capsys.readouterr().err
    assert lower_folds(few_labels(3), 5) == 3
    assert capsys.readouterr().err == "3 folds instead of 5: there are 9 labels to train on, at most 3 of a class.\n"
    assert lower_folds(hg.split(unsplit_graph(), train=2, val=2), 10) == 4


def test_too_few_labels_for_any_folds_are_refused() -> None:
    with pytest.raises(
        DataError, match="6 labels to train on, at most 2 of a class, are too few for folds, which need three"
    ):
        lower_folds(few_labels(2), 5)


def test_folds_are_lowered_to_the_training_nodes_that_are_drawn() -> None:
    data, split = unsplit_graph(), SplitChoice(train=4, val=0)
    graph, number = choose_nodes(data, FoldChoice(folds=9), split, Network(), PLUS)
    assert (int(graph.train_mask.sum()), number) == (12, 4)
    graph, number = choose_nodes(data, FoldChoice(refit=False), SplitChoice(), Network(), PLUS)
    assert (int(graph.train_mask.sum()), number) == (60, 0)


def test_no_folds_and_no_validation_nodes_contradict_each_other() -> None:
    with pytest.raises(ConfigError, match="--val 0 leaves no validation nodes, which --no-refit needs"):
        folds(given=FoldChoice(refit=False), split=SplitChoice(val=0))


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


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (1, "The only labelled node is of class a: label nodes of"),
        (4, "All 4 labelled nodes are of class a: label nodes of"),
    ],
)
def test_labels_of_one_class_are_refused(labels, message) -> None:
    data = unsplit_graph()
    data.y[labels:], data.classes = -1, ["a", "b", "c"]
    with pytest.raises(DataError, match=message):
        choose_nodes(data, FoldChoice(), SplitChoice(), Network(), PLUS)
