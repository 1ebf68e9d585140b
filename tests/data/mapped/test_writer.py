"""Graphs written as memory-mapped arrays."""

import json

import pytest
import torch

import highwaygraph as hg
from highwaygraph.data.mapped.store import open_mapped_graph
from highwaygraph.data.mapped.writer import from_data, write_mapped_graph
from highwaygraph.errors import DataError
from highwaygraph.graph.csr import to_edge_index
from tests.helpers.graphs import block_graph


def stored(folder, **more):
    data = block_graph()
    for name, value in more.items():
        data[name] = value
    return data, write_mapped_graph(folder / "big", *from_data(data))


def test_weights_come_back(tmp_path) -> None:
    data = block_graph()
    weight = (data.edge_index[0] + data.edge_index[1]).float()
    _, folder = stored(tmp_path, edge_weight=weight)
    rows = hg.load(folder).csr
    sender, receiver = to_edge_index(rows)
    assert torch.equal(rows.weight, (sender + receiver).float())


def test_a_torn_folder_is_refused(tmp_path) -> None:
    _, folder = stored(tmp_path)
    with pytest.raises(DataError, match="exists already"):
        write_mapped_graph(folder, *from_data(block_graph()))
    whole = (folder / "x.bin").read_bytes()
    (folder / "x.bin").write_bytes(whole[:-4])
    with pytest.raises(DataError, match=r"x\.bin has 8,636 bytes, not 8,640"):
        open_mapped_graph(folder)
    (folder / "x.bin").write_bytes(whole)
    facts = json.loads((folder / "graph.json").read_text())
    (folder / "graph.json").write_text(json.dumps(facts | {"format": "other"}))
    with pytest.raises(DataError, match="another version"):
        open_mapped_graph(folder)
    (folder / "graph.json").write_text("{")
    with pytest.raises(DataError, match="is damaged"):
        open_mapped_graph(folder)


def test_a_link_is_not_replaced(tmp_path) -> None:
    (tmp_path / "big").symlink_to(tmp_path / "nothing")
    with pytest.raises(DataError, match="exists already"):
        stored(tmp_path)


def test_the_folder_of_a_killed_conversion_is_removed_by_the_next_one(tmp_path) -> None:
    left = tmp_path / ".big.abcd1234.part" / "new"
    left.mkdir(parents=True)
    (left / "x.bin").touch()
    stored(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["big"]
