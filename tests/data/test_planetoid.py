"""The Planetoid reader: PyG's reading is the oracle, and no file is trusted."""

import os
import pickle
import shutil
import warnings
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch
from scipy.sparse import csr_array, csr_matrix
from torch_geometric.io import read_planetoid_data
from torch_geometric.utils import coalesce

from highwaygraph.data import planetoid
from highwaygraph.data.planetoid import read_planetoid
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph


def raw(folder: str) -> Path:
    """Return a raw folder below HIGHWAYGRAPH_DATA, or skip the test that needs it."""
    path = Path(os.environ.get("HIGHWAYGRAPH_DATA", ""), "planetoid", folder, "raw")
    if "HIGHWAYGRAPH_DATA" not in os.environ or not path.is_dir():
        pytest.skip(f"needs the {folder} files below HIGHWAYGRAPH_DATA")
    return path


def pyg(folder: str) -> Graph:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return read_planetoid_data(str(raw(folder)), folder)


@pytest.mark.parametrize("folder", ["Cora", "CiteSeer", "PubMed"])
def test_it_reads_what_pyg_reads(folder: str) -> None:
    ours, theirs = read_planetoid(raw(folder), folder), pyg(folder)
    labelled = ours.y >= 0
    assert ours.x.equal(theirs.x)
    assert ours.y[labelled].equal(theirs.y[labelled])
    assert ours.edge_index.equal(coalesce(theirs.edge_index))
    for mask in ("train_mask", "val_mask", "test_mask"):
        assert ours[mask].equal(theirs[mask])


@pytest.mark.parametrize(
    ("folder", "nodes", "edges", "fillers"),
    [("Cora", 2708, 5278, 0), ("CiteSeer", 3327, 4552, 15), ("PubMed", 19717, 44324, 0)],
)
def test_the_sizes_are_the_published_ones(folder: str, nodes: int, edges: int, fillers: int) -> None:
    data = read_planetoid(raw(folder), folder.lower())
    assert (data.num_nodes, data.num_edges) == (nodes, 2 * edges)
    assert data.is_undirected()
    assert not data.has_self_loops()
    assert int((data.y == -1).sum()) == fillers
    assert (data.name, data.ids) == (folder.lower(), list(range(nodes)))
    assert len(data.classes) == int(data.y.max()) + 1


def test_citeseer_fillers_have_nothing_and_are_in_no_mask() -> None:
    data = read_planetoid(raw("CiteSeer"), "citeseer")
    filler = data.y == -1
    assert data.x[filler].count_nonzero() == 0
    assert not (filler & (data.train_mask | data.val_mask | data.test_mask)).any()


def test_citeseer_classes_have_the_published_sizes() -> None:
    data = read_planetoid(raw("CiteSeer"), "citeseer")
    sizes = dict(zip(data.classes, data.y[data.y >= 0].bincount().tolist(), strict=True))
    assert sizes == {"AI": 249, "ML": 590, "IR": 668, "DB": 701, "Agents": 596, "HCI": 508}


@pytest.mark.parametrize("part", ["allx", "graph", "test.index"])
def test_one_changed_byte_is_refused_before_anything_is_parsed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str
) -> None:
    folder = shutil.copytree(raw("Cora"), tmp_path / "raw")
    file = folder / f"ind.cora.{part}"
    file.chmod(0o644)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    monkeypatch.setattr(planetoid, "unpickle", lambda *_: pytest.fail("parsed an unverified file"))
    with pytest.raises(DataError, match=rf"ind\.cora\.{part} is not the published file"):
        read_planetoid(folder, "cora")


def tiny(**changes: object) -> dict[str, object]:
    """Return a dataset of one training, one other and two test nodes, of which node 2 is left out."""
    return {
        "x": csr_matrix(np.array([[1.0, 0.0]])),
        "y": np.array([[1, 0]]),
        "allx": csr_matrix(np.array([[1.0, 0.0], [0.0, 2.0]])),
        "ally": np.array([[1, 0], [0, 1]]),
        "tx": csr_matrix(np.array([[5.0, 0.0], [0.0, 6.0]])),
        "ty": np.array([[0, 1], [1, 0]]),
        "graph": {0: [1, 1, 0], 1: [0], 2: [], 3: [4], 4: []},
        "test.index": b"4\n3\n",
    } | changes


def write(folder: Path, parts: dict[str, object], protocol: int = 4) -> Path:
    for part, value in parts.items():
        content = value if isinstance(value, bytes) else pickle.dumps(value, protocol)
        (folder / f"ind.tiny.{part}").write_bytes(content)
    return folder


def test_an_own_dataset_in_the_layout_is_read(tmp_path: Path) -> None:
    data = read_planetoid(write(tmp_path, tiny()), "tiny")
    assert data.x.tolist() == [[1, 0], [0, 2], [0, 0], [0, 6], [5, 0]]
    assert data.y.tolist() == [0, 1, -1, 0, 1]
    assert data.edge_index.tolist() == [[0, 1, 3, 4], [1, 0, 4, 3]]
    assert data.train_mask.tolist() == [True, False, False, False, False]
    assert data.val_mask.tolist() == [False, True, False, False, False]
    assert data.test_mask.tolist() == [False, False, False, True, True]
    assert (data.name, data.classes) == ("tiny", ["class 0", "class 1"])


def test_sparse_arrays_fortran_order_and_default_dictionaries_are_read(tmp_path: Path) -> None:
    graph = defaultdict(list, tiny()["graph"])
    ally = np.asfortranarray(np.array([[1, 0, 0], [0, 1, 0]], dtype=">i4"))
    narrow = {"y": np.array([[1, 0, 0]]), "ty": np.array([[0, 1, 0], [1, 0, 0]], dtype=np.uint8)}
    x = csr_array(np.array([[1.0, 0.0]]))
    data = read_planetoid(write(tmp_path, tiny(graph=graph, ally=ally, x=x, **narrow)), "tiny")
    assert data.y.tolist() == [0, 1, -1, 0, 1]


def test_dense_features_in_foreign_byte_order_are_read(tmp_path: Path) -> None:
    allx = np.array([[1.0, 0.0], [0.0, 2.0]], dtype=">f8")
    data = read_planetoid(write(tmp_path, tiny(allx=allx)), "tiny")
    assert data.x.tolist() == [[1, 0], [0, 2], [0, 0], [0, 6], [5, 0]]


class Evil:
    """Would make a folder when unpickled without care."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, (f"mkdir '{self.path}'",)


@pytest.mark.parametrize("protocol", [0, 2, 4])
@pytest.mark.parametrize("part", ["allx", "y", "graph"])
def test_a_malicious_pickle_is_refused_and_not_run(tmp_path: Path, part: str, protocol: int) -> None:
    trace = tmp_path / "trace"
    content = pickle.dumps(Evil(trace), protocol)
    folder = write(tmp_path, tiny(**{part: content}))
    with pytest.raises(DataError, match=rf"ind\.tiny\.{part} is refused .*system, which no Planetoid file needs"):
        read_planetoid(folder, "tiny")
    assert not trace.exists()
    pickle.loads(content)
    assert trace.exists(), "the pickle would have done nothing: the test proves nothing"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"allx": b""}, r"ind\.tiny\.allx is refused .*damaged"),
        ({"allx": pickle.dumps(np.ones((2, 2)))[:-9]}, "damaged"),
        ({"allx": {0: [1]}}, "must hold a table of numbers, not dict"),
        ({"ally": np.array([0, 1])}, "must hold a table of numbers"),
        ({"ally": np.array([["a", "b"], ["c", "d"]])}, "values of type 'U1' where numbers were expected"),
        ({"ally": np.array([[None, {}]], dtype=object)}, "values of type 'O8'"),
        ({"graph": [[1], [0]]}, "must map every node number to the list"),
        ({"graph": {0: ["1"]}}, "must map every node number to the list"),
        ({"graph": {0: [9], 1: [], 2: [], 3: [], 4: []}}, "first: 0 to 9"),
        ({"graph": {0: [-1], 1: [], 2: [], 3: [], 4: []}}, "first: 0 to -1"),
        ({"graph": {0: [1], 4: []}}, "test.index must name nodes 2 to 1"),
        ({"ally": np.array([[0, 1]])}, "disagree on their number of nodes"),
        ({"test.index": b"4\n"}, "disagree on their number of nodes"),
        ({"ty": np.array([[0, 1, 0], [1, 0, 0]])}, "disagree on the width of y, ty, ally"),
        ({"test.index": b"4\n4\n"}, "each at most once"),
        ({"test.index": b"4\n1\n"}, "must name nodes 2 to 4"),
        ({"test.index": b"4\n99999999999\n"}, "must name nodes 2 to 4"),
        ({"test.index": b"4\nfour\n"}, "one node number per line"),
    ],
)
def test_files_that_make_no_graph_are_refused(tmp_path: Path, changes: dict[str, object], message: str) -> None:
    with pytest.raises(DataError, match=message):
        read_planetoid(write(tmp_path, tiny(**changes)), "tiny")


def test_a_sparse_index_out_of_range_is_refused_before_it_is_used(tmp_path: Path) -> None:
    wild = csr_matrix(np.array([[1.0, 0.0], [0.0, 2.0]]))
    wild.indices[:] = 10**6
    with pytest.raises(DataError, match="damaged"):
        read_planetoid(write(tmp_path, tiny(allx=wild)), "tiny")


def test_missing_files_are_named(tmp_path: Path) -> None:
    folder = write(tmp_path, tiny())
    (folder / "ind.tiny.ty").unlink()
    with pytest.raises(DataError, match=r"lacks ind\.tiny\.ty: a Planetoid folder holds all 8 files"):
        read_planetoid(folder, "tiny")


def test_features_are_float32_and_labels_int64(tmp_path: Path) -> None:
    data = read_planetoid(write(tmp_path, tiny()), "tiny")
    assert (data.x.dtype, data.y.dtype) == (torch.float32, torch.int64)
