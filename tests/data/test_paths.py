import pytest

from highwaygraph.data.paths import existing_path, is_for_tables, read_path
from highwaygraph.errors import DataError


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(DataError, match="is no path of a file or folder"):
        existing_path("~no-such-user/nodes.csv")


def test_tables_and_folders_of_tables_are_read_as_tables(tmp_path) -> None:
    assert is_for_tables(tmp_path)
    assert is_for_tables(tmp_path / "nodes.csv.gz")
    assert is_for_tables(tmp_path / "a.graphml")
    assert not is_for_tables(tmp_path / "a.npz")
    (tmp_path / "ind.cora.graph").touch()
    assert not is_for_tables(tmp_path)


def test_unknown_paths_are_refused(tmp_path) -> None:
    (tmp_path / "a.zip").touch()
    (tmp_path / "a.doc").touch()
    for name, reason in (("a.zip", "is compressed"), ("a.doc", "unsupported type"), ("none.npz", "none.npz")):
        with pytest.raises(DataError, match=reason):
            read_path(tmp_path / name, labels=True)
