import errno
import json
import os

import numpy as np
import pytest
import torch

import highwaygraph as hg
from highwaygraph.data.mapped import store
from highwaygraph.data.mapped.store import open_mapped_graph
from highwaygraph.data.mapped.writer import from_data, write_mapped_graph
from highwaygraph.errors import DataError, FailedError
from highwaygraph.graph.csr import to_edge_index
from highwaygraph.graph.queries import degrees
from highwaygraph.options import override
from tests.helpers.graphs import block_graph
from tests.helpers.writers import full_disk


def stored(folder, **more):
    data = block_graph()
    for name, value in more.items():
        data[name] = value
    return data, write_mapped_graph(folder / "big", *from_data(data))


@pytest.mark.parametrize("ids", [None, [f"nøde {i}" for i in range(180)], list(range(7, 187))])
def test_a_graph_comes_back_mapped(tmp_path, ids) -> None:
    data, folder = stored(tmp_path, **({"classes": ["a", "b", "c"]} | ({"ids": ids} if ids else {})))
    again = hg.load(folder)
    assert torch.equal(again.x, data.x)
    assert torch.equal(again.y, data.y)
    assert torch.equal(again.train_mask, data.train_mask)
    assert {*map(tuple, to_edge_index(again.csr).T.tolist())} == {*map(tuple, data.edge_index.T.tolist())}
    assert (again.name, again.classes) == ("big", ["a", "b", "c"])
    assert (again.ids and list(again.ids)) == ids
    assert "edge_index" not in again


def test_training_on_it_is_training_on_the_graph(tmp_path) -> None:
    data, folder = stored(tmp_path)
    mapped = hg.load(folder)
    options = {"fit.epochs": 10, "fit.device": "cpu", "highway.node_threshold": 0.4, "highway.rounds": 2}
    for more in ({}, {"fit.batch_size": 8, "fit.num_neighbors": (4, 4)}):
        config = override(hg.PRESETS["full"], options | more)
        one, other = (hg.train(hg.models.build("sage", data, hidden=8), d, config, seed=0) for d in (data, mapped))
        assert torch.allclose(one.logits, other.logits, atol=1e-4)
        assert torch.equal(one.highways, other.highways)


@pytest.mark.parametrize(
    "change", [{"y": ["int3[[2", [9]]}, {"../y": ["int32", [9]]}, {"y": ["object", [9]]}, {"y": ["int32", [-9]]}]
)
def test_arrays_that_cannot_be_are_refused(tmp_path, change) -> None:
    _, folder = stored(tmp_path)
    facts = json.loads((folder / "graph.json").read_text())
    facts["arrays"] |= change
    (folder / "graph.json").write_text(json.dumps(facts))
    with pytest.raises(DataError, match="is damaged .there is no array"):
        open_mapped_graph(folder)


def test_nothing_is_left_of_a_failed_conversion(tmp_path) -> None:
    nodes, edges = from_data(block_graph())
    with pytest.raises(DataError, match="The features end at row 0 of 180"):
        write_mapped_graph(tmp_path / "big", nodes._replace(features=[]), edges)
    with pytest.raises(DataError, match="more rows or columns"):
        write_mapped_graph(tmp_path / "big", nodes._replace(features=[np.zeros((181, 12), np.float32)]), edges)
    assert not list(tmp_path.iterdir())


def test_a_graph_without_edges(tmp_path) -> None:
    _, folder = stored(tmp_path, edge_index=torch.empty(2, 0, dtype=torch.long))
    assert not degrees(hg.load(folder)).any()


def no_fallocate(*_: object) -> None:
    raise OSError(errno.EOPNOTSUPP, "not supported")


@pytest.mark.parametrize("reserves", [True, False])
def test_space_is_reserved_before_an_array_is_mapped(tmp_path, monkeypatch, reserves: bool) -> None:
    if not reserves:
        monkeypatch.setattr(os, "posix_fallocate", no_fallocate)
    monkeypatch.setattr(store, "CHUNK", 3000)
    array = store.create(tmp_path, "x", np.float32, (1000, 5))
    found = (tmp_path / "x.bin").stat()
    assert found.st_blocks * 512 >= found.st_size == 20_000
    assert not array.any()
    with full_disk(10_000), pytest.raises(OSError, match="File too large"):
        store.create(tmp_path, "y", np.float32, (1000, 5))


def test_a_disk_without_space_is_reported(tmp_path, monkeypatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(FailedError, match="No space left on device"):
        write_mapped_graph(tmp_path / "big", *from_data(block_graph()))
    assert not list(tmp_path.iterdir())
