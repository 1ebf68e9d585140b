import os
from pathlib import Path

import numpy as np
import pytest

from highwaygraph.errors import DataError
from highwaygraph.study.datasets import load_dataset


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of HIGHWAYGRAPH_DATA, with a graph in its zoo."""
    (tmp_path / "zoo").mkdir()
    parts = {"x_data": np.ones(3), "x_indices": [0, 1, 0], "x_indptr": [0, 1, 2, 3], "x_shape": [3, 2]}
    masks = {"train_mask": np.array([[True, False, False], [False, True, False]])}
    np.savez(tmp_path / "zoo/small.npz", edge_index=[[0, 1], [1, 0]], y=[0, 1, 1], **parts, **masks)
    monkeypatch.setenv("HIGHWAYGRAPH_DATA", str(tmp_path))
    return tmp_path


def test_a_graph_of_the_zoo(data) -> None:
    graph = load_dataset("zoo/small")
    assert (graph.name, graph.num_nodes, graph.train_mask.shape) == ("small", 3, (3, 2))


def test_a_missing_zoo_is_one_sentence(data, monkeypatch) -> None:
    with pytest.raises(DataError, match=r"no smal\.npz in .*zoo \(HIGHWAYGRAPH_DATA\)\. Did you mean 'small'\?"):
        load_dataset("zoo/smal")
    monkeypatch.setenv("HIGHWAYGRAPH_DATA", str(data / "zoo"))
    with pytest.raises(DataError, match=r"no folder zoo in .*: set HIGHWAYGRAPH_DATA to a folder that holds zoo/small"):
        load_dataset("zoo/small")
    monkeypatch.delenv("HIGHWAYGRAPH_DATA")
    with pytest.raises(DataError, match="HIGHWAYGRAPH_DATA is not set: set it to a folder that holds zoo/small.npz"):
        load_dataset("zoo/small")


def test_paths_and_names_are_loaded_as_ever(data, monkeypatch) -> None:
    monkeypatch.chdir(data)
    assert load_dataset("zoo/small.npz").num_nodes == 3
    assert load_dataset("cora").num_nodes == 2708
    with pytest.raises(DataError, match="no file or folder"):
        load_dataset("./zoo/small")


def test_generated_tables(monkeypatch) -> None:
    graph = load_dataset("tables/members")
    assert (graph.name, graph.num_nodes) == ("members", 1200)
    with pytest.raises(DataError, match="no tables 'member'. Did you mean 'members'"):
        load_dataset("tables/member")


@pytest.mark.skipif(
    not Path(os.environ.get("HIGHWAYGRAPH_DATA", "/nowhere"), "zoo/texas.npz").is_file(),
    reason="needs the folder zoo below HIGHWAYGRAPH_DATA",
)
def test_a_public_graph_of_the_zoo() -> None:
    graph = load_dataset("zoo/texas")
    assert (graph.num_nodes, graph.edge_index.size(1), graph.x.size(1)) == (183, 558, 1703)
    assert graph.train_mask.shape == (183, 10)
