import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data

from highwaygraph.cli.loading import choose_split
from highwaygraph.data_options import SplitChoice
from highwaygraph.errors import DataError, HighwayWarning
from highwaygraph.graph.graph import Graph
from highwaygraph.graph.splits import split, split_in_proportion, use_split, validate_split
from highwaygraph.graph.validate import MASKS

Y = torch.tensor([0] * 6 + [1] * 8 + [-1] * 3)


def graph(**more) -> Graph:
    return Graph(y=Y, num_nodes=len(Y), **more)


@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 99))
def test_split_takes_so_many_per_class_and_tests_on_the_rest(train, val, seed) -> None:
    masks = [split(graph(), train, val, seed)[name] for name in MASKS]
    counts = [[int((mask & (Y == c)).sum()) for c in (0, 1, -1)] for mask in masks]
    assert counts == [[train, train, 0], [val, val, 0], [6 - train - val, 8 - train - val, 0]]
    assert torch.stack(masks).sum(0).max() == 1


def test_split_follows_its_seed_and_leaves_its_argument() -> None:
    data = graph()
    first, again, other = split(data, 2, 2, 0), split(data, 2, 2, 0), split(data, 2, 2, 1)
    assert torch.equal(first.train_mask, again.train_mask)
    assert not torch.equal(first.train_mask, other.train_mask)
    assert "train_mask" not in data


def test_a_small_class_is_named() -> None:
    with pytest.raises(DataError, match=r"Class red has 6 labelled nodes, fewer than the 4 \+ 3 asked for"):
        split(graph(classes=["red", "blue"]), 4, 3)


@pytest.mark.parametrize(
    ("count", "parts"), [(1, (1, 0, 0)), (2, (1, 1, 0)), (3, (1, 1, 1)), (4, (2, 1, 1)), (49, (20, 15, 14))]
)
def test_a_small_class_is_shared_out(count, parts) -> None:
    y = torch.tensor([0] * count + [1] * 60)
    data = split(Data(y=y, num_nodes=len(y)), 20, 30, small_classes="share")
    assert tuple(int(data[name][:count].sum()) for name in MASKS) == parts
    assert [int(data[name][count:].sum()) for name in MASKS] == [20, 30, 10]


def test_small_classes_are_shared_with_a_warning_unless_sizes_are_given() -> None:
    data = graph(classes=["red", "blue"])
    with pytest.warns(HighwayWarning, match=r"Fewer than 20 \+ 30 labels in 2 classes \(red: 6, blue"):
        default = split(data, seed=3)
    command_line = choose_split(data, SplitChoice(split="random", split_seed=3))
    explicit = split(data, 20, 30, 3, small_classes="share")
    for name in MASKS:
        assert torch.equal(default[name], command_line[name])
        assert torch.equal(default[name], explicit[name])
    for sizes in ({"train": 20}, {"val": 30}):
        with pytest.raises(DataError, match="Class red has 6 labelled nodes") as in_python:
            split(data, seed=3, **sizes)
        with pytest.raises(DataError) as on_the_command_line:
            choose_split(data, SplitChoice(split="random", split_seed=3, **sizes))
        assert str(in_python.value) == str(on_the_command_line.value)


def test_a_stratified_split_keeps_the_proportions() -> None:
    y = torch.tensor([0] * 90 + [1] * 10 + [2] * 2 + [-1] * 5)
    data = split_in_proportion(Graph(y=y, num_nodes=len(y)), train=20, val=40, seed=3)
    counts = [[int((data[name] & (y == c)).sum()) for c in (0, 1, 2, -1)] for name in MASKS]
    assert counts == [[18, 2, 1, 0], [35, 4, 1, 0], [37, 4, 0, 0]]
    again = split_in_proportion(Graph(y=y, num_nodes=len(y)), train=20, val=40, seed=3)
    assert torch.equal(again.train_mask, data.train_mask)


@pytest.mark.parametrize(("train", "val"), [(0, 3), (3, 0), (8, 7)])
def test_a_stratified_split_that_does_not_fit_is_refused(train, val) -> None:
    with pytest.raises(DataError, match=f"14 labelled nodes: {train} for training and {val} for validation do not"):
        split_in_proportion(graph(), train, val)


def test_a_single_class_is_refused() -> None:
    data = split(graph(classes=["red", "blue"]), 2, 2)
    data.train_mask &= Y == 1
    with pytest.raises(DataError, match="All training nodes are of class blue"):
        validate_split(data)


def test_empty_parts_are_refused() -> None:
    for sizes in ((0, 3), (2, -1)):
        with pytest.raises(DataError, match="at least 1 training node per class"):
            split(graph(), *sizes)


def test_no_validation_nodes_are_for_folds_only() -> None:
    data = split(graph(), 2, 0)
    assert not bool(data.val_mask.any())
    assert validate_split(data, needs_val=False).train_mask.any()
    with pytest.raises(DataError, match="val_mask is empty.*cross_validate"):
        validate_split(data)


def test_a_column_of_wide_masks() -> None:
    wide = {name: torch.rand(len(Y), 3) < 0.5 for name in MASKS}
    data = graph(**wide)
    chosen = use_split(data, 2)
    assert torch.equal(chosen.val_mask, wide["val_mask"][:, 2])
    narrow = graph(**(wide | {"test_mask": wide["test_mask"][:, 0]}))
    assert torch.equal(use_split(narrow, 1).test_mask, wide["test_mask"][:, 0])
    with pytest.raises(DataError, match="columns 0 to 2"):
        use_split(data, 3)
    with pytest.raises(DataError, match="no columns"):
        use_split(chosen, 0)
    with pytest.raises(DataError, match="holds several splits"):
        validate_split(data)


def test_check_split_wants_masks_with_nodes_in_them() -> None:
    with pytest.raises(DataError, match="no train_mask and val_mask"):
        validate_split(graph())
    data = split(graph(), 2, 2)
    data.val_mask = torch.zeros_like(data.val_mask)
    with pytest.raises(DataError, match="val_mask is empty"):
        validate_split(data)


def test_a_missing_test_mask_is_an_empty_one() -> None:
    data = split(graph(), 2, 2)
    del data.test_mask
    assert not validate_split(data).test_mask.any()


def test_labels_may_stand_in_a_column_or_be_floats() -> None:
    expected = split(graph(), 2, 2, 0).train_mask
    for y in (Y[:, None], Y.double()):
        assert torch.equal(split(Data(y=y, num_nodes=len(Y)), 2, 2, 0).train_mask, expected)
    with pytest.raises(DataError, match="no y"):
        split(Data(num_nodes=3))


def test_labels_that_are_one_number_are_refused() -> None:
    with pytest.raises(DataError, match=r"its shape is \(\), not \(1,\)"):
        split(Data(x=torch.ones(1, 2), edge_index=torch.zeros(2, 0, dtype=torch.long), y=torch.tensor(1.0)))
