"""Tests of the checks of wheel and sdist; `make package` runs all of it."""

import sys
import tarfile
import zipfile

import pytest

from tools import package


def test_needed_files_that_a_wheel_or_an_sdist_lacks_are_named(tmp_path) -> None:
    wheel, sdist = tmp_path / "x.whl", tmp_path / "x.tar.gz"
    names = [name for name in package.NEEDED if name != package.VIEWER]
    with zipfile.ZipFile(wheel, "w") as file, tarfile.open(sdist, "w:gz") as archive:
        for name in names:
            file.writestr(f"highwaygraph/{name}", "")
            archive.addfile(tarfile.TarInfo(f"highwaygraph-1/src/highwaygraph/{name}"))
    assert package.missing(wheel) == package.missing(sdist) == [package.VIEWER]


def test_the_sdist_has_the_viewer_where_it_was_bundled(tmp_path) -> None:
    if not (package.ROOT / "src/highwaygraph" / package.VIEWER).is_file():
        pytest.skip("the viewer is not bundled here")
    wheel, sdist = package.build(tmp_path)
    assert package.missing(wheel) == package.missing(sdist) == []


def test_a_page_with_the_viewer_is_told_from_one_without(tmp_path) -> None:
    script = tmp_path / package.VIEWER
    script.parent.mkdir(parents=True)
    assert not package.has_viewer("<html>", tmp_path)
    script.write_text("draw('</script>')")
    assert package.has_viewer("<html><script>draw('<\\/script>')</script>", tmp_path)
    assert not package.has_viewer("<html><img></html>", tmp_path)


def test_commands_run_without_the_clone_on_their_path(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    assert package.run(sys.executable, "-c", "import sys; print('/elsewhere' in sys.path)", cwd=tmp_path) == "False\n"


def test_a_failed_command_shows_its_output(tmp_path) -> None:
    with pytest.raises(SystemExit, match="broken"):
        package.run(sys.executable, "-c", "raise ValueError('broken')", cwd=tmp_path)
