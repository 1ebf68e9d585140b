"""Decompression limits."""

import zipfile
from pathlib import Path

import numpy as np
import pytest

from highwaygraph.data import limits
from highwaygraph.data.npz import read_npz
from highwaygraph.errors import DataError
from tests.helpers.graphs import block_graph


@pytest.fixture
def strict(monkeypatch) -> None:
    """Refuse from a few kilobytes on."""
    monkeypatch.setattr(limits, "ALWAYS_ALLOWED", 2**14)


def write(path: Path, **more: np.ndarray) -> Path:
    data = block_graph()
    np.savez_compressed(path, x=data.x, edge_index=data.edge_index, y=data.y, **more)
    return path


def test_an_ordinary_file_is_read(tmp_path, strict) -> None:
    assert read_npz(write(tmp_path / "g.npz")).num_nodes == 180


def test_a_file_above_the_limit_is_refused_unread(tmp_path, strict) -> None:
    bomb = write(tmp_path / "g.npz", more=np.zeros(20_000_000, dtype=np.uint8))
    with pytest.raises(DataError, match="would decompress from .* to 20,0.* bytes, more than 300 times"):
        read_npz(bomb)


def test_a_header_that_declares_more_than_there_is_is_refused(tmp_path) -> None:
    path = write(tmp_path / "g.npz")
    header = {"descr": "<f4", "fortran_order": False, "shape": (2**40,)}
    with zipfile.ZipFile(path, "a") as archive, archive.open("huge.npy", "w") as file:
        np.lib.format.write_array_header_1_0(file, header)
    with pytest.raises(DataError, match=r"damaged: huge\.npy declares more than the file holds"):
        read_npz(path)


def test_other_compressions_are_refused(tmp_path) -> None:
    path = tmp_path / "g.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("x.npy", b"0" * 1000)
    with pytest.raises(DataError, match="not compressed as NumPy does it"):
        read_npz(path)


def test_words_without_letters_do_not_pass_for_nothing(tmp_path) -> None:
    path = write(tmp_path / "g.npz")
    with zipfile.ZipFile(path, "a") as archive, archive.open("ids.npy", "w") as file:
        np.lib.format.write_array_header_1_0(file, {"descr": "<U0", "fortran_order": False, "shape": (2**40,)})
    with pytest.raises(DataError, match="declares more than the file holds"):
        read_npz(path)


def test_what_is_no_array_is_left_alone_and_objects_are_named(tmp_path) -> None:
    path = write(tmp_path / "g.npz")
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("README.txt", "about this graph")
    assert read_npz(path).num_nodes == 180
    many = np.array(["a", "b"] * 2000, dtype=object)
    with pytest.raises(DataError, match="arrays of Python objects"):
        read_npz(write(tmp_path / "o.npz", names=many))


def test_an_archive_with_a_password_is_a_sentence(tmp_path) -> None:
    path = write(tmp_path / "g.npz")
    content = bytearray(path.read_bytes())
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(mark) + place] |= 1
    path.write_bytes(content)
    with pytest.raises(DataError, match="not a readable npz file"):
        read_npz(path)


def test_a_long_word_that_every_row_means_is_refused(tmp_path, strict) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    from highwaygraph.data.tables import files

    frame = pd.DataFrame({"id": range(4000), "text": ["a" * 10_000] * 4000})
    frame.to_parquet(tmp_path / "nodes.parquet", dictionary_pagesize_limit=2**26)
    with pytest.raises(DataError, match="would decompress"):
        files.read_table(tmp_path / "nodes.parquet")


def test_a_table_of_repetitions_is_refused(tmp_path, strict) -> None:
    pd = pytest.importorskip("pandas", reason="pandas is not installed")
    from highwaygraph.data.tables.files import read_table

    pd.DataFrame({"id": range(50), "label": "a"}).to_parquet(tmp_path / "nodes.parquet")
    assert len(read_table(tmp_path / "nodes.parquet")) == 50
    pd.DataFrame({"id": np.zeros(2_000_000)}).to_parquet(tmp_path / "bomb.parquet")
    with pytest.raises(DataError, match="would decompress"):
        read_table(tmp_path / "bomb.parquet")
