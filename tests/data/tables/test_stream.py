import pandas as pd
import pytest
import torch

import highwaygraph as hg
from highwaygraph.data.tables import files
from highwaygraph.errors import DataError
from tests.helpers.papers import write_papers


@pytest.fixture
def papers(tmp_path):
    return write_papers(tmp_path / "papers")


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_converted_graph_is_the_loaded_one(papers, tmp_path, monkeypatch, kind) -> None:
    if kind == "parquet":
        for name in ("nodes", "edges"):
            table = pd.read_csv(f"{papers}/{name}.csv")
            table.to_parquet(f"{papers}/{name}.parquet")
            (tmp_path / "papers" / f"{name}.csv").unlink()
    whole = hg.load(papers, label="topic")
    # Edges in several chunks; nodes in one, so that encoders are inferred from all rows as in load.
    monkeypatch.setattr(files, "CHUNK", 180)
    data = hg.convert(papers, tmp_path / "big", label="topic")
    assert data.encoders == whole.encoders
    assert list(data.ids) == whole.ids
    assert data.classes == whole.classes
    assert torch.equal(data.y, whole.y)
    assert torch.equal(data.x, whole.x)
    assert data.csr.rowptr[-1] == whole.edge_index.size(1)
    assert data.read_log == whole.read_log


def test_numbers_as_ids(tmp_path) -> None:
    for ids in ([0, 1, 2], [5, 7, 9]):
        pd.DataFrame({"id": ids, "size": [1, 2, 4], "label": ["x", "y", None]}).to_csv(
            tmp_path / "nodes.csv", index=False
        )
        ends = pd.DataFrame(
            {"source": [ids[0], ids[1], ids[0], 99, -1], "target": [ids[1], ids[2], "?", ids[0], ids[1]]}
        )
        ends.to_csv(tmp_path / "edges.csv", index=False)
        data = hg.convert(tmp_path, tmp_path / f"big{ids[0]}")
        assert list(data.ids) == ids
        assert data.csr.col.tolist() == [1, 0, 2, 1]
        assert data.read_log.findings[0].count == 3


def test_weights_and_a_split(tmp_path) -> None:
    nodes = {"id": list("abc"), "size": [1, 2, 4], "label": ["x", "y", "x"], "split": ["train", "val", ""]}
    pd.DataFrame(nodes).to_csv(tmp_path / "nodes.csv", index=False)
    edges = {"source": ["a", "b", "b"], "target": ["b", "c", "a"], "weight": [1, 2, "none"]}
    pd.DataFrame(edges).to_csv(tmp_path / "edges.csv", index=False)
    data = hg.convert(tmp_path, tmp_path / "big")
    assert data.csr.weight.tolist() == [1.0, 1.0, 2.0, 2.0]
    assert (data.train_mask.tolist(), data.val_mask.tolist()) == ([True, False, False], [False, True, False])


def test_encoders_are_inferred_from_the_first_chunk(tmp_path, monkeypatch) -> None:
    nodes = pd.DataFrame({"id": range(20), "size": [1.0, 3.0] * 10, "label": ["x", "y"] * 10})
    nodes.to_csv(tmp_path / "nodes.csv", index=False)
    pd.DataFrame({"source": range(19), "target": range(1, 20)}).to_csv(tmp_path / "edges.csv", index=False)
    monkeypatch.setattr(files, "CHUNK", 6)
    data = hg.convert(tmp_path, tmp_path / "big")
    assert data.x.flatten().tolist() == [-1.0, 1.0] * 10
    assert data.csr.rowptr[-1] == 38
    assert [f.count for f in data.read_log.findings] == [14]
    assert "inferred from rows 1 to 6 only" in str(data.read_log.findings[0])


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("nodes.csv", "id,size\né,1\n".encode("latin-1"), "not written in UTF-8"),
        ("edges.csv", b'source,target\na,b,c,d\nx\n"', "line 2 has 4 cells where the header has 2"),
        ("edges.csv", b"source,target\nq,r\n", "None of the 1 edges joins two known nodes"),
        ("nodes.csv", b"id,size\n", "has no node in it"),
    ],
)
def test_bad_files_are_one_sentence(tmp_path, name, content, message) -> None:
    (tmp_path / "nodes.csv").write_text("id,size\na,1\nb,2\n")
    (tmp_path / "edges.csv").write_text("source,target\na,b\n")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message):
        hg.convert(tmp_path, tmp_path / "big")


def test_an_id_with_leading_zeros_is_another_id(tmp_path) -> None:
    (tmp_path / "nodes.csv").write_text("id,size\n1,1\n7,2\n")
    (tmp_path / "edges.csv").write_text("source,target\n1,007\n1,7\n")
    data = hg.convert(tmp_path, tmp_path / "big")
    assert (int(data.csr.rowptr[-1]), data.read_log.findings[0].count) == (2, 1)


def test_a_converted_graph_and_several_splits_are_refused(tmp_path, papers) -> None:
    hg.convert(papers, tmp_path / "big", label="topic")
    with pytest.raises(DataError, match="such a folder already"):
        hg.convert(tmp_path / "big", tmp_path / "other")
    data = hg.load(papers, label="topic")
    data.train_mask = torch.zeros(180, 3, dtype=torch.bool)
    with pytest.raises(DataError, match="holds several splits"):
        hg.convert(data, tmp_path / "other")
