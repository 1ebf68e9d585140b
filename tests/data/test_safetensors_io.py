import pytest
import torch
from safetensors.torch import save_file

import highwaygraph as hg
from highwaygraph.data.safetensors_io import write_tensors
from highwaygraph.errors import DataError
from tests.helpers.graphs import block_graph


@pytest.mark.parametrize("sparse", [False, True])
def test_a_graph_comes_back(tmp_path, sparse) -> None:
    data = block_graph()
    data.ids, data.classes = [f"n{i}" for i in range(180)], ["a", "b", "c"]
    if sparse:
        data.x = data.x * (data.x > 2)
    again = hg.load(write_tensors(data, tmp_path / "mine.safetensors", more=torch.ones(2)))
    assert again.name == "mine"
    assert (again.ids, again.classes) == (data.ids, data.classes)
    for name in ("x", "edge_index", "y", "train_mask", "val_mask", "test_mask"):
        assert torch.equal(again[name], data[name])


def test_what_people_save_themselves(tmp_path) -> None:
    data = block_graph()
    path = tmp_path / "g.safetensors"
    save_file({"x": data.x, "edge_index": data.edge_index.contiguous(), "y": data.y}, path)
    assert torch.equal(hg.load(str(path)).y, data.y)
    save_file({"x": data.x, "edge_index": data.edge_index.contiguous()}, path)
    with pytest.raises(DataError, match="g.safetensors has no 'y' "):
        hg.load(path)
    assert (hg.load(path, labels=False).y == -1).all()


@pytest.mark.parametrize(
    "tensors",
    [
        {"x": torch.ones(2, 2), "edge_index": torch.zeros(2, 1), "y": torch.zeros(2)},
        {"x_values": torch.ones(2), "edge_index": torch.zeros(2, 1).long(), "y": torch.zeros(2)},
    ],
)
def test_other_tensors_are_refused_in_one_sentence(tmp_path, tensors) -> None:
    save_file(tensors, tmp_path / "g.safetensors")
    with pytest.raises(DataError):
        hg.load(tmp_path / "g.safetensors")


def test_other_files_are_refused(tmp_path) -> None:
    (tmp_path / "g.safetensors").write_text("nothing")
    with pytest.raises(DataError, match="is not a readable safetensors file"):
        hg.load(tmp_path / "g.safetensors")
    with pytest.raises(DataError, match="There is no file"):
        hg.load(tmp_path / "missing.safetensors")
