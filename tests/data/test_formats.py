"""File-name extensions, and the loaders behind them."""

import pytest

import highwaygraph as hg
from highwaygraph.data import formats
from highwaygraph.data.networkx_io import READERS
from highwaygraph.errors import DataError


def test_every_network_format_has_a_reader() -> None:
    assert set(formats.NETWORKS) == set(READERS)


@pytest.mark.parametrize("extension", [*formats.TABLES, *formats.NETWORKS])
def test_every_extension_is_recognised_by_load(tmp_path, extension) -> None:
    (tmp_path / f"graph{extension}").write_bytes(b"")
    with pytest.raises(DataError) as caught:
        hg.load(tmp_path / f"graph{extension}")
    assert "unsupported type" not in str(caught.value)


def test_other_extensions_are_refused_by_name(tmp_path) -> None:
    (tmp_path / "graph.docx").write_bytes(b"")
    with pytest.raises(DataError, match="unsupported type"):
        hg.load(tmp_path / "graph.docx")
