import pytest
import torch

import highwaygraph as hg
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.multilabel import class_counts, labelled_mask, per_label, refuse_several_labels
from highwaygraph.graph.splits import split, split_in_proportion, validate_split
from highwaygraph.graph.validate import validate
from tests.helpers.label_graphs import label_graph


def test_rows_of_minus_one_or_nan_are_unlabelled() -> None:
    data = label_graph()
    y = data.y.double()
    y[3] = float("nan")
    y[5] = -1
    data.y = y
    found = validate(data)
    assert found.y.dtype == torch.long
    assert (~labelled_mask(found.y)).nonzero().flatten().tolist() == [3, 5]
    assert found.is_multilabel


def test_a_single_column_is_one_class_per_node() -> None:
    data = label_graph()
    data.y, data.classes = data.y[:, :1], None
    assert validate(data).y.dim() == 1


def test_a_split_has_enough_nodes_of_every_label_and_all_others_for_the_test() -> None:
    data = label_graph()
    data.y[7] = -1
    found = split(data, train=8, val=6, seed=3)
    masks = [found.train_mask, found.val_mask, found.test_mask]
    assert torch.stack(masks).sum(dim=0).tolist() == [1] * 7 + [0] + [1] * 232
    assert all(count >= 8 for count in class_counts(found.y[found.train_mask]).values())
    assert all(count >= 6 for count in class_counts(found.y[found.val_mask]).values())
    # A node with several labels counts for each of them.
    assert int(found.train_mask.sum()) < 4 * 8
    assert torch.equal(split(data, train=8, val=6, seed=3).train_mask, found.train_mask)
    assert not torch.equal(split(data, train=8, val=6, seed=4).train_mask, found.train_mask)


def test_labelled_nodes_without_labels_are_split_too() -> None:
    labels = torch.tensor([[1, 0]] * 6 + [[0, 1]] * 6 + [[0, 0]] * 6)
    masks = per_label(labels, lambda _: [2, 4], torch.Generator().manual_seed(0))
    assert [int(mask[12:].sum()) for mask in masks] == [2, 2, 2]


def test_labels_with_too_few_nodes_are_refused_or_shared() -> None:
    data = label_graph()
    data.y[10:, 0] = 0
    data.y[:10, 0] = 1
    with pytest.raises(DataError, match="Class art has 10 labelled nodes, fewer than the 20 \\+ 30"):
        split(data, train=20, val=30)
    shared = split(data, train=20, val=30, small_classes="share")
    assert int(shared.y[shared.train_mask, 0].sum()) == 5


def test_training_nodes_of_one_label_set_are_refused() -> None:
    data = split(label_graph(), train=8, val=6)
    data.train_mask = (data.y == data.y[0]).all(dim=1) & ~data.val_mask & ~data.test_mask
    data.train_mask[0], data.val_mask[0], data.test_mask[0] = True, False, False
    with pytest.raises(DataError, match="All training nodes have the same labels"):
        validate_split(data)


def test_other_functions_refuse_with_an_alternative(tmp_path) -> None:
    data = split(label_graph(), train=8, val=6)
    sentence = "not supported for several labels per node: "
    refused = [
        lambda: split_in_proportion(data, 20, 20),
        lambda: hg.cross_validate(hg.Network(), data, "typical"),
        lambda: hg.choose_network(data, hg.Network(model="auto"), hg.PRESETS["typical"]),
        lambda: hg.suggest(data, 3),
        lambda: hg.with_labels(data, tmp_path / "labels.csv"),
        lambda: hg.convert(data, tmp_path / "graph"),
    ]
    for call in refused:
        with pytest.raises(DataError, match=sentence):
            call()
    refuse_several_labels(Graph(y=torch.tensor([0, 1])), "x", "y")
