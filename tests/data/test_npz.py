"""The npz format: what it may hold, what comes out, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_array

from highwaygraph.data.npz import read_npz
from highwaygraph.errors import DataError

PLAIN = {
    "x": np.array([[1, 0], [0, 2], [3, 0]]),
    "edge_index": np.array([[2, 0], [1, 1]]),
    "y": np.array([0, 1, -1]),
}
CSR = {
    "x_indptr": np.array([0, 1, 2, 3]),
    "x_indices": np.array([0, 1, 0]),
    "x_data": np.array([1.0, 2.0, 3.0]),
    "x_shape": np.array([3, 2]),
}
SPARSE = {name: value for name, value in PLAIN.items() if name != "x"} | CSR


@pytest.fixture
def write(tmp_path: Path):
    def save(base: dict[str, NDArray], **changes: object) -> Path:
        arrays = {name: value for name, value in (base | changes).items() if value is not None}
        np.savez(tmp_path / "small.npz", **arrays)
        return tmp_path / "small.npz"

    return save


@pytest.mark.parametrize("base", [PLAIN, SPARSE])
def test_dense_and_csr_features_say_the_same(write, base: dict[str, NDArray]) -> None:
    data = read_npz(write(base))
    assert data.x.tolist() == [[1, 0], [0, 2], [3, 0]]
    assert data.x.dtype == torch.float32
    assert data.edge_index.tolist() == [[2, 0], [1, 1]]
    assert data.y.tolist() == [0, 1, -1]
    assert (data.name, data.num_nodes) == ("small", 3)
    assert "ids" not in data
    assert "edge_weight" not in data


def test_csr_features_without_values_are_ones(write) -> None:
    assert read_npz(write(SPARSE, x_data=None)).x.tolist() == [[1, 0], [0, 1], [1, 0]]


def test_small_unsigned_csr_parts_are_read(write) -> None:
    small = {name: CSR[name].astype(np.uint16) for name in ("x_indptr", "x_indices", "x_shape")}
    assert read_npz(write(SPARSE, **small)).x.tolist() == [[1, 0], [0, 2], [3, 0]]


def test_masks_names_and_weights_arrive(write) -> None:
    mask = np.array([True, False, False])
    weight, classes = np.array([0.5, 2.0]), np.array(["cat", "dog"])
    data = read_npz(write(PLAIN, train_mask=mask, edge_weight=weight, ids=np.array(["p", "q", "ü"]), classes=classes))
    assert data.train_mask.tolist() == [True, False, False]
    assert data.edge_weight.tolist() == [0.5, 2.0]
    assert data.ids == ["p", "q", "ü"]
    assert data.classes == ["cat", "dog"]


@pytest.mark.parametrize("turned", [False, True])
def test_masks_of_several_splits_have_a_row_per_node_or_per_split(write, turned) -> None:
    masks = np.array([[True, False], [False, True], [False, False]])
    data = read_npz(write(PLAIN, train_mask=masks.T if turned else masks))
    assert data.train_mask.tolist() == masks.tolist()


def test_a_single_split_in_a_row_is_a_plain_mask(write) -> None:
    data = read_npz(write(SPARSE, train_mask=np.array([[True, False, False]]), val_mask=np.array([[0, 1, 0]])))
    assert data.train_mask.tolist() == [True, False, False]
    assert data.val_mask.tolist() == [False, True, False]


def test_whole_ids_stay_whole(write) -> None:
    ids = read_npz(write(PLAIN, ids=np.array([30, 10, 20], dtype=np.int32))).ids
    assert ids == [30, 10, 20]
    assert all(type(one) is int for one in ids)


def test_undirected_edges_get_their_reverse_sorted(write) -> None:
    data = read_npz(write(PLAIN, undirected=np.array(True)))
    assert data.edge_index.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert "edge_weight" not in data


def test_undirected_weights_follow_their_edges(write) -> None:
    edges = np.array([[2, 0, 1], [1, 1, 1]])
    data = read_npz(write(PLAIN, edge_index=edges, undirected=np.array(True), edge_weight=np.array([5.0, 7.0, 9.0])))
    assert data.edge_index.tolist() == [[0, 1, 1, 1, 2], [1, 0, 1, 2, 1]]
    assert data.edge_weight.tolist() == [7.0, 7.0, 9.0, 5.0, 5.0]


def test_foreign_byte_order_is_read(write) -> None:
    data = read_npz(write(PLAIN, x=PLAIN["x"].astype(">f8"), y=PLAIN["y"].astype(">i2")))
    assert data.x.tolist() == [[1, 0], [0, 2], [3, 0]]
    assert data.y.tolist() == [0, 1, -1]


@pytest.mark.parametrize(
    ("base", "changes", "message"),
    [
        (PLAIN, {"edge_index": None}, "small.npz has no 'edge_index' .it holds x, y.: add that array"),
        (PLAIN, {"y": None}, "has no 'y'"),
        (PLAIN, {"x": None}, "has no 'x'"),
        (SPARSE, {"x_shape": None}, "has no 'x_shape'"),
        (PLAIN, {"y": np.array(["a", "b", "c"])}, "y must hold numbers, not <U1"),
        (PLAIN, {"x": np.array([[1e300], [0], [0]])}, "NaN or infinite in 1 of 3"),
        (PLAIN, {"edge_index": np.array([[0], [3]])}, "first: 0 to 3"),
        (PLAIN, {"edge_index": np.array([[0], [3]]), "undirected": np.array(True)}, "first: 0 to 3"),
        (PLAIN, {"edge_index": np.array([0, 1])}, r"\(2, edges\), not \(2,\)"),
        (PLAIN, {"y": np.array([0, 1])}, r"its shape is \(2,\)"),
        (PLAIN, {"train_mask": np.array([True])}, "train_mask must have one entry per node"),
        (PLAIN, {"train_mask": np.ones((2, 4), dtype=bool)}, r"train_mask must have one entry per node: .* \(2, 4\)"),
        (PLAIN, {"train_mask": np.ones((1, 2, 3), dtype=bool)}, "train_mask must have one entry per node"),
        (PLAIN, {"ids": np.array([1.5, 2, 3])}, "ids must be a row of strings or integers"),
        (PLAIN, {"ids": np.array([1, 2])}, "ids has 2 entries for 3 nodes"),
        (PLAIN, {"classes": np.array([1, 2])}, "classes must be a row of strings"),
        (PLAIN, {"classes": np.array(["one"])}, "a class beyond the 1"),
        (PLAIN, {"undirected": np.array([True])}, "undirected must be a single"),
        (PLAIN, {"undirected": np.array(1)}, "undirected must be a single"),
        (PLAIN, {"ids": np.array(["a", None, "c"], dtype=object)}, "arrays of Python objects"),
        (SPARSE, {"x_indices": np.array([0, 1, 2])}, "form no CSR matrix"),
        (SPARSE, {"x_indices": np.array([0, -1, 0])}, "form no CSR matrix"),
        (SPARSE, {"x_indices": np.array([0.0, 1, 0])}, "x_indices must be a row of integers"),
        (SPARSE, {"x_indptr": np.array([0, 2, 1, 3])}, "form no CSR matrix"),
        (SPARSE, {"x_indptr": np.array([0, 3])}, "form no CSR matrix"),
        (SPARSE, {"x_data": np.ones(5)}, "form no CSR matrix"),
        (SPARSE, {"x_shape": np.array([3])}, "form no CSR matrix"),
    ],
)
def test_a_fault_is_one_sentence(write, base, changes, message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_npz(write(base, **changes))


@pytest.mark.parametrize("content", [b"", b"no zip at all", b"PK\x03\x04 torn"])
def test_what_is_no_npz_is_refused(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"bad\.npz is not a readable npz"):
        read_npz(tmp_path / "bad.npz")


def test_a_single_array_or_a_torn_file_is_refused(tmp_path: Path, write) -> None:
    with (tmp_path / "one.npz").open("wb") as file:
        np.save(file, np.ones(3))
    whole = write(PLAIN).read_bytes()
    (tmp_path / "torn.npz").write_bytes(whole[: len(whole) // 2])
    for name in ("one.npz", "torn.npz"):
        with pytest.raises(DataError, match=f"{name} is not a readable npz"):
            read_npz(tmp_path / name)


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no file"):
        read_npz(tmp_path / "nowhere.npz")


@given(st.lists(st.lists(st.sampled_from([0.0, 1.0, 2.5]), min_size=3, max_size=3), min_size=1, max_size=5))
def test_csr_parts_of_any_table_give_it_back(tmp_path_factory: pytest.TempPathFactory, rows) -> None:
    table = csr_array(np.array(rows))
    path = tmp_path_factory.getbasetemp() / "any.npz"
    parts = {
        "x_indptr": table.indptr,
        "x_indices": table.indices,
        "x_data": table.data,
        "x_shape": table.shape,
    }
    np.savez(path, edge_index=np.zeros((2, 0), dtype=int), y=np.zeros(len(rows), dtype=int), **parts)
    assert read_npz(path).x.tolist() == rows
