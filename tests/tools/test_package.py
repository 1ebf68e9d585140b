"""Tests of the checks of wheel and sdist; `make package` runs all of it."""

import sys
import zipfile

import pytest

from tools import package


def test_needed_files_that_a_wheel_lacks_are_named(tmp_path) -> None:
    wheel = tmp_path / "x.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        for name in ("data/cora.npz", "py.typed", "report/assets/page.html"):
            file.writestr(f"highwaygraph/{name}", "")
    assert package.missing(wheel) == ["study/paper/table1.toml"]


def test_commands_run_without_the_clone_on_their_path(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    assert package.run(sys.executable, "-c", "import sys; print('/elsewhere' in sys.path)", cwd=tmp_path) == "False\n"


def test_a_failed_command_shows_its_output(tmp_path) -> None:
    with pytest.raises(SystemExit, match="broken"):
        package.run(sys.executable, "-c", "raise ValueError('broken')", cwd=tmp_path)
