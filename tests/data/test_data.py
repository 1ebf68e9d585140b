"""load(): one door for names, files, folders and Graph."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from highwaygraph.data.download import CORA
from highwaygraph.data.load import convert, load
from highwaygraph.data.planetoid import read_planetoid
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import Graph


def planetoid(folder: str) -> Path:
    """Return a dataset's folder below HIGHWAYGRAPH_DATA, or skip the test that needs it."""
    path = Path(os.environ.get("HIGHWAYGRAPH_DATA", ""), "planetoid", folder)
    if "HIGHWAYGRAPH_DATA" not in os.environ or not path.is_dir():
        pytest.skip(f"needs the {folder} files below HIGHWAYGRAPH_DATA")
    return path


def test_the_embedded_cora_is_planetoids() -> None:
    ours, theirs = load("cora"), read_planetoid(planetoid("Cora") / "raw", "cora")
    for name in ("x", "y", "edge_index", "train_mask", "val_mask", "test_mask"):
        assert ours[name].equal(theirs[name]), name
    assert ours.classes == theirs.classes


def test_the_embedded_cora_has_the_published_sizes() -> None:
    data = load("Cora")
    assert (data.num_nodes, data.num_edges, data.num_features) == (2708, 2 * 5278, 1433)
    assert [int(data[f"{part}_mask"].sum()) for part in ("train", "val", "test")] == [140, 500, 1000]
    assert data.is_undirected()
    assert not data.has_self_loops()
    assert data.x.unique().tolist() == [0, 1]
    sizes = dict(zip(data.classes, data.y.bincount().tolist(), strict=True))
    assert sizes == {
        "Theory": 351,
        "Reinforcement_Learning": 217,
        "Genetic_Algorithms": 418,
        "Neural_Networks": 818,
        "Probabilistic_Methods": 426,
        "Case_Based": 298,
        "Rule_Learning": 180,
    }


def test_the_embedded_cora_has_its_metadata() -> None:
    data = load("cora")
    assert len(set(data.ids)) == 2708
    subject = dict(zip(data.ids, (data.classes[label] for label in data.y.tolist()), strict=True))
    # The first lines of cora.content as LINQS publishes it.
    assert [subject[paper] for paper in (31336, 1061127, 1106406, 37879)] == [
        "Neural_Networks",
        "Rule_Learning",
        "Reinforcement_Learning",
        "Probabilistic_Methods",
    ]
    # And of cora.cites: paper 35 is cited by these.
    cited = data.edge_index[1, data.edge_index[0] == data.ids.index(35)].tolist()
    assert {1033, 103482, 103515, 1050679, 1103960} <= {data.ids[node] for node in cited}


def test_the_embedded_file_is_small_and_holds_no_pickle() -> None:
    assert CORA.stat().st_size < 300_000
    with np.load(CORA, allow_pickle=False) as arrays:
        assert all(arrays[name].dtype.kind in "biuU" for name in arrays.files)


@pytest.mark.parametrize("name", ["citeseer", "CiteSeer"])
def test_a_public_name_is_found(name: str) -> None:
    planetoid("CiteSeer")
    assert load(name).num_nodes == 3327


def test_a_public_dataset_that_is_not_here_names_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIGHWAYGRAPH_DATA", str(tmp_path))
    monkeypatch.setenv("HIGHWAYGRAPH_CACHE", str(tmp_path))
    with pytest.raises(DataError, match="highway data get pubmed"):
        load("pubmed")


@pytest.mark.parametrize("below", ["", "raw"])
def test_a_folder_is_read_from_itself_or_its_parent(below: str) -> None:
    assert load(planetoid("CiteSeer") / below).name == "citeseer"


def test_a_renamed_public_dataset_is_still_verified(tmp_path: Path) -> None:
    folder = shutil.copytree(planetoid("Cora") / "raw", tmp_path / "mine")
    (folder / "ind.cora.y").chmod(0o644)
    (folder / "ind.cora.y").write_bytes(b"tampered")
    with pytest.raises(DataError, match=r"ind\.cora\.y is not the published file"):
        load(folder)


def test_a_folder_needs_exactly_one_dataset(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="holds no graph"):
        load(tmp_path)
    (tmp_path / "ind.one.graph").touch()
    with pytest.raises(DataError, match=r"lacks ind\.one\.x"):
        load(tmp_path)
    (tmp_path / "ind.two.graph").touch()
    with pytest.raises(DataError, match=r"several datasets \(one, two\)"):
        load(tmp_path)


def test_an_npz_file_is_read_by_its_path(tmp_path: Path) -> None:
    path = shutil.copy(CORA, tmp_path / "copy.npz")
    for source in (path, str(path)):
        assert load(source).name == "copy"


def test_a_data_is_checked_and_copied() -> None:
    data = Graph(x=torch.eye(2, dtype=torch.int64), edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0.0, 1.0]))
    after = load(data)
    assert (after.x.dtype, after.y.dtype, after.num_nodes) == (torch.float32, torch.int64, 2)
    assert (data.x.dtype, data.y.dtype) == (torch.int64, torch.float32)
    with pytest.raises(DataError, match="no y"):
        load(Graph(x=torch.eye(2), edge_index=torch.tensor([[0], [1]])))


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("coar", "no dataset and no file 'coar'. Did you mean 'cora'"),
        ("zzz", "Known: citeseer, cora, pubmed"),
        ("nowhere/graph.npz", "There is no file nowhere/graph.npz"),
        ("nowhere/folder", "There is no file or folder nowhere/folder"),
        ("graph.csv", "There is no file graph.csv"),
    ],
)
def test_a_missing_source_is_an_error(source: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        load(source)


def test_an_unsupported_file_is_said(tmp_path: Path) -> None:
    (tmp_path / "graph.xyz").touch()
    with pytest.raises(DataError, match=r"graph\.xyz is of an unsupported type"):
        load(tmp_path / "graph.xyz")


@pytest.mark.parametrize("name", ["x" * 5000, "x" * 5000 + ".csv", "a/" * 3000 + "b.npz", "~nobody-here/x"])
@pytest.mark.parametrize("function", [load, lambda name: convert(name, "converted")])
def test_a_name_that_no_file_can_have_is_refused(name: str, function) -> None:
    with pytest.raises(DataError, match="is no path of a file or folder"):
        function(name)


@pytest.mark.parametrize("names", [{"label": "topic"}, {"id": "key"}, {"weight": "none"}, {"edges": "edges.csv"}])
def test_names_of_columns_are_refused_where_there_are_none(names) -> None:
    for source in ("cora", load("cora")):
        with pytest.raises(DataError, match=f"{next(iter(names))}: this graph is not read from tables"):
            load(source, **names)
