"""Where public datasets are looked for."""

from pathlib import Path

import pytest

from highwaygraph.data.download import cache_folder, file_names, find
from highwaygraph.errors import DataError


@pytest.fixture(autouse=True)
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HIGHWAYGRAPH_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("HIGHWAYGRAPH_CACHE", str(tmp_path / "cache"))
    return tmp_path


def fill(folder: Path, leave_out: int = 0) -> Path:
    folder.mkdir(parents=True)
    for name in file_names("citeseer")[leave_out:]:
        (folder / name).touch()
    return folder


def test_folders_are_tried_in_order(places: Path) -> None:
    cache = fill(places / "cache/planetoid/CiteSeer/raw")
    assert find("citeseer") == cache
    plain = fill(places / "data/CiteSeer/raw")
    assert find("citeseer") == plain
    nested = fill(places / "data/planetoid/CiteSeer/raw")
    assert find("citeseer") == nested


def test_an_incomplete_folder_is_passed_over(places: Path) -> None:
    fill(places / "data/planetoid/CiteSeer/raw", leave_out=1)
    cache = fill(places / "cache/planetoid/CiteSeer/raw")
    assert find("citeseer") == cache


def test_what_is_missing_is_said_with_the_command_that_brings_it(places: Path) -> None:
    fill(places / "data/CiteSeer/raw", leave_out=2)
    with pytest.raises(DataError) as caught:
        find("citeseer")
    said = str(caught.value)
    assert "ind.citeseer.x, ind.citeseer.y not found" in said
    assert "ind.citeseer.tx" not in said
    assert all(str(places / base / "CiteSeer/raw") in said for base in ("data/planetoid", "data", "cache/planetoid"))
    assert "`highway data get citeseer`" in said


def test_the_cache_follows_the_environment(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder("pubmed") == places / "cache/planetoid/PubMed/raw"
    monkeypatch.delenv("HIGHWAYGRAPH_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(places / "xdg"))
    assert cache_folder("pubmed") == places / "xdg/highwaygraph/planetoid/PubMed/raw"
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", str(places / "home"))
    assert cache_folder("pubmed") == places / "home/.cache/highwaygraph/planetoid/PubMed/raw"


def test_without_a_data_folder_only_the_cache_is_searched(places: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIGHWAYGRAPH_DATA", "")
    with pytest.raises(DataError, match=f"not found in {places}/cache/planetoid/PubMed/raw;"):
        find("pubmed")
