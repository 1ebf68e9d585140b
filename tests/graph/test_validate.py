"""The gate: what is refused, what is converted, and that the argument stays as it was."""

import copy

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch_geometric.data import Data
from torch_geometric.transforms import ToSparseTensor
from torch_geometric.utils import to_edge_index

from highwaygraph.errors import DataError
from highwaygraph.graph.validate import validate


def graph(**changes: object) -> Data:
    """Return a path of four nodes, with some attributes replaced (None removes one)."""
    values = {
        "x": torch.eye(4),
        "edge_index": torch.tensor([[0, 1, 2], [1, 2, 3]]),
        "y": torch.tensor([0, 1, 0, -1]),
        "train_mask": torch.tensor([True, False, False, False]),
        "val_mask": torch.tensor([False, True, False, False]),
        "test_mask": torch.tensor([False, False, True, False]),
    } | changes
    return Data(**{name: value for name, value in values.items() if value is not None})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"x": None}, "no x"),
        ({"x": torch.zeros(4)}, r"not of shape \(4,\)"),
        ({"x": torch.zeros(0, 3)}, r"not of shape \(0, 3\)"),
        (
            {"x": torch.zeros(4, 2, dtype=torch.complex64)},
            "data.x must be a dense torch tensor of real numbers",
        ),
        ({"x": torch.eye(4).to_sparse()}, "data.x must be a dense torch tensor"),
        (
            {"x": torch.tensor([[0.0, 1], [1, 1], [float("nan"), float("inf")], [0, 0]])},
            r"NaN or infinite in 2 of 8 places \(first: node 2\)",
        ),
        ({"edge_index": None}, "no edge_index"),
        ({"edge_index": torch.zeros(3, 2, dtype=torch.int64)}, r"\(2, edges\), not \(3, 2\)"),
        ({"edge_index": torch.zeros(2, 3)}, "must hold integers, not torch.float32"),
        (
            {"edge_index": torch.tensor([[0, 1, 2], [1, 4, -1]])},
            r"do not exist in 2 of 3 edges \(first: 1 to 4\): the nodes are 0 to 3",
        ),
        ({"y": None}, "no y"),
        ({"y": [0, 1, 0, 1]}, "data.y must be a dense torch tensor"),
        ({"y": torch.zeros(3, dtype=torch.int64)}, r"its shape is \(3,\), not \(4,\)"),
        ({"y": torch.zeros(3, 2, dtype=torch.int64)}, r"its shape is \(3, 2\)"),
        ({"y": torch.full((4, 2), 2)}, r"a label other than 0 and 1 in data.y at 4 of 4 nodes \(first: node 0\)"),
        ({"y": torch.full((4, 2), 0.5)}, "regression is not supported, because"),
        ({"y": torch.tensor([[0, 1], [-1, 1], [0, 0], [1, 1]])}, "only some labels are known in data.y at 1 of 4"),
        ({"y": torch.zeros(4, 2), "classes": ["only"]}, "data.classes has 1 names for 2 labels: name every label"),
        (
            {"y": torch.tensor([0, 1.5, 0, 0])},
            r"a class that is no whole number at 1 of 4 nodes \(first: node 1\)",
        ),
        ({"y": torch.tensor([0, 1, 0, float("inf")])}, "no whole number"),
        ({"y": torch.tensor([0, 1, -2, 0])}, r"a class below -1 at 1 of 4 nodes \(first: node 2\)"),
        ({"classes": ["only"]}, "a class beyond the 1 in data.classes"),
        ({"ids": ["a", "b"]}, "data.ids has 2 entries for 4 nodes"),
        ({"val_mask": torch.ones(3, dtype=torch.bool)}, r"val_mask must have one entry per node: .*\(3,\)"),
        (
            {"val_mask": torch.ones(3, 2, dtype=torch.bool)},
            r"val_mask must have one entry per node: .*\(3, 2\)",
        ),
        ({"val_mask": torch.tensor([0, 2, 0, 0])}, "val_mask must be true or false"),
        ({"val_mask": torch.tensor([1, 1, 1, 0])}, "train_mask and val_mask overlap in 1 of 4"),
        ({"test_mask": torch.tensor([0, 1, 1, 0])}, "val_mask and test_mask overlap in 1 of 4"),
        (
            {"test_mask": torch.tensor([0, 0, 1, 1])},
            r"a place in test_mask without a label at 1 of 4 nodes \(first: node 3\)",
        ),
        ({"edge_weight": torch.ones(2)}, r"shape \(2,\) for 3 edges"),
        (
            {"edge_weight": torch.tensor([1, float("nan"), 1])},
            "data.edge_weight is NaN or infinite in 1 of 3",
        ),
    ],
)
def test_a_fault_is_one_sentence(changes: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        validate(graph(**changes))


def test_a_sound_graph_keeps_its_tensors() -> None:
    before = graph(edge_weight=torch.ones(3))
    after = validate(before)
    assert after is not before
    assert all(after[name] is before[name] for name in before.keys())  # noqa: SIM118
    assert after.num_nodes == 4


@pytest.mark.parametrize("kind", [torch.bool, torch.uint8, torch.int16, torch.int64])
def test_whole_and_true_or_false_features_become_floats(kind: torch.dtype) -> None:
    after = validate(graph(x=torch.eye(4).to(kind)))
    assert after.x.dtype == torch.float32
    assert after.x.equal(torch.eye(4))


def test_double_features_stay_double() -> None:
    assert validate(graph(x=torch.eye(4, dtype=torch.float64))).x.dtype == torch.float64


def test_float_labels_become_integers_and_nan_unlabelled() -> None:
    after = validate(graph(y=torch.tensor([[0.0], [2.0], [1.0], [float("nan")]])))
    assert after.y.tolist() == [0, 2, 1, -1]
    assert after.y.dtype == torch.int64


def test_masks_of_zeros_and_ones_become_boolean() -> None:
    after = validate(graph(train_mask=torch.tensor([[1], [0], [0], [0]], dtype=torch.uint8)))
    assert after.train_mask.dtype == torch.bool
    assert after.train_mask.tolist() == [True, False, False, False]


def test_masks_of_several_splits_are_left_alone() -> None:
    masks = torch.ones(4, 3, dtype=torch.uint8)
    assert validate(graph(train_mask=masks)).train_mask is masks


def test_small_edge_types_become_long() -> None:
    edges = torch.tensor([[0, 1], [1, 2]], dtype=torch.uint8)
    assert validate(graph(edge_index=edges)).edge_index.dtype == torch.int64


def test_whole_edge_weights_become_floats() -> None:
    assert validate(graph(edge_weight=torch.tensor([1, 2, 3]))).edge_weight.tolist() == [1.0, 2.0, 3.0]


def test_a_graph_without_masks_or_edges_is_fine() -> None:
    bare = Data(x=torch.ones(2, 1), edge_index=torch.empty(2, 0, dtype=torch.int64), y=torch.tensor([0, -1]))
    assert validate(bare).num_edges == 0


kinds = st.sampled_from([torch.bool, torch.uint8, torch.int32, torch.int64, torch.float32, torch.float64])


@st.composite
def tensors(draw: st.DrawFn) -> torch.Tensor:
    """Draw a small tensor of any plain type, shape and (for floats) finiteness."""
    shape = draw(st.lists(st.integers(0, 4), min_size=1, max_size=2))
    size = int(torch.tensor(shape).prod())
    kind = draw(kinds)
    values = draw(st.lists(st.sampled_from([-2, -1, 0, 1, 2, 3]), min_size=size, max_size=size))
    tensor = torch.tensor(values, dtype=torch.float32).reshape(shape).to(kind)
    if tensor.is_floating_point() and draw(st.booleans()):
        tensor[tensor > 2] = float("nan")
    return tensor


names = st.sampled_from(["x", "edge_index", "y", "train_mask", "val_mask", "test_mask", "edge_weight"])


@given(st.dictionaries(names, tensors(), max_size=4))
def test_the_argument_is_never_changed(changes: dict[str, torch.Tensor]) -> None:
    data = graph(**changes)
    held = {name: (value, copy.deepcopy(value)) for name, value in data.to_dict().items()}
    try:
        after = validate(data)
        assert validate(after).to_dict().keys() == after.to_dict().keys()
    except DataError:
        pass
    assert data.to_dict().keys() == held.keys()
    for name, (value, before) in held.items():
        assert data[name] is value
        assert value.dtype == before.dtype
        assert torch.equal(value.nan_to_num(7), before.nan_to_num(7))


def test_a_stray_class_number_is_refused() -> None:
    with pytest.raises(DataError, match="beyond the number of nodes"):
        validate(Data(x=torch.eye(3), edge_index=torch.zeros(2, 0, dtype=torch.long), y=torch.tensor([0, 1, 10**12])))


def test_ids_of_mixed_types_are_refused() -> None:
    graph = Data(x=torch.eye(2), edge_index=torch.zeros(2, 0, dtype=torch.long), y=torch.tensor([0, 1]), ids=[1, "b"])
    with pytest.raises(DataError, match="all integers or all strings"):
        validate(graph)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"edge_attr": torch.ones(2, 3)}, r"edge_attr has shape \(2, 3\) for 3 edges: give one row per edge"),
        ({"edge_attr": torch.tensor([[1.0], [torch.nan], [2.0]])}, "edge_attr is NaN or infinite in 1 of 3 places"),
        ({"edge_type": torch.ones(3)}, r"edge_type must hold integers, not torch.float32: use \.long\(\)"),
        ({"edge_type": torch.tensor([0, 1])}, r"edge_type has shape \(2,\) for 3 edges"),
        ({"edge_type": torch.tensor([0, -1, 1])}, "edge_type is negative at 1 edges"),
        ({"edge_type": torch.tensor([0, 2, 1]), "relations": ["a", "b"]}, "beyond the 2 in data.relations at 1 edges"),
    ],
)
def test_wrong_values_of_edges_are_refused(changes, message) -> None:
    with pytest.raises(DataError, match=message):
        validate(graph(**changes))


def test_values_of_edges_are_converted() -> None:
    found = validate(graph(edge_attr=torch.tensor([1, 2, 3]), edge_type=torch.tensor([[0], [1], [0]]).int()))
    assert found.edge_attr.tolist() == [1.0, 2.0, 3.0]
    assert found.edge_type.dtype == torch.long
    assert found.edge_type.tolist() == [0, 1, 0]


def test_whole_floats_that_are_a_quantity_are_refused_and_integers_are_class_numbers() -> None:
    y = 2 * torch.arange(40)
    graph = Data(x=torch.ones(80, 1), edge_index=torch.zeros(2, 0, dtype=torch.long), y=torch.cat([y, y % 3]))
    assert validate(graph).y.max() == 78
    graph.y = graph.y.double()
    with pytest.raises(DataError, match="41 different floats at 80 nodes: regression is not supported, because"):
        validate(graph)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_adj_t_in_place_of_edge_index_names_the_transform() -> None:
    edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
    graph = ToSparseTensor(layout=torch.sparse_coo)(Data(x=torch.ones(3, 1), edge_index=edge_index, y=torch.arange(3)))
    with pytest.raises(DataError, match=r"adj_t in place of edge_index, as PyG's ToSparseTensor .*not supported"):
        validate(graph)
    # The remedy that the message names.
    restored = to_edge_index(graph.adj_t)[0].flip(0)
    assert set(map(tuple, restored.T.tolist())) == set(map(tuple, edge_index.T.tolist()))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        (
            "x",
            torch.eye(4, requires_grad=True),
            r"data\.x requires gradients, but it is not trained: use \.detach",
        ),
        ("x", torch.eye(4, device="meta"), r"data\.x must be a dense torch tensor"),
        ("edge_attr", torch.ones(3, 2, requires_grad=True), r"data\.edge_attr requires gradients"),
        ("graph_id", "a", r"data\.graph_id must be a dense torch tensor"),
    ],
)
def test_tensors_without_values_of_their_own_are_refused(name, value, message) -> None:
    with pytest.raises(DataError, match=message):
        validate(graph(**{name: value}))


def test_names_of_edge_types_are_a_list_of_words() -> None:
    with pytest.raises(DataError, match=r"data\.relations must be all strings"):
        validate(graph(edge_type=torch.zeros(3, dtype=torch.long), relations=5))
