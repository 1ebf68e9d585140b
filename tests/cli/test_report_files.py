"""Reports behind their command."""

import subprocess
import sys
from pathlib import Path

import pytest

from highwaygraph.cli.report_files import write_report
from highwaygraph.cli.study_run import run_study
from highwaygraph.errors import ConfigError, RunError
from tests.helpers.example import run
from tests.helpers.grids import write_grid

LOADED = """
import sys
from pathlib import Path
from highwaygraph.cli.report_files import write_report
write_report(sys.argv[1], Path("results"), None, None)
print([name for name in ("highwaygraph.training.engine", "highwaygraph.study") if name in sys.modules])
"""


def test_the_report_of_a_run_does_without_training_and_studies(tmp_path) -> None:
    folder = run().save(tmp_path / "run")
    found = subprocess.run([sys.executable, "-c", LOADED, str(folder)], check=True, capture_output=True, text=True)
    assert found.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize("source", ["table1", "nowhere/run"])
def test_a_report_needs_records_or_a_run(tmp_path, source) -> None:
    with pytest.raises(RunError):
        write_report(source, Path(tmp_path), None, None)


def test_an_unknown_name_is_neither_a_run_nor_a_study(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(RunError, match="nope is neither a run nor a study: name a folder of highway train or a study"):
        write_report("nope", tmp_path, None, None)
    run().save("runs/mine")
    with pytest.raises(RunError, match="a folder of highway train, such as runs/mine, or a study"):
        write_report("nope", tmp_path, None, None)


def test_the_nodes_to_check_are_written_for_a_run_only(tmp_path) -> None:
    folder = run().save(tmp_path / "run")
    write_report(str(folder), tmp_path, None, None, tmp_path / "check.csv")
    assert (tmp_path / "check.csv").read_text().startswith("id,reason,")
    name = str(write_grid(tmp_path / "toy.toml", splits=1, seeds=1, epochs=1))
    run_study(name, {"model": "gcn"}, tmp_path, 1)
    with pytest.raises(ConfigError, match="leave out --check-first"):
        write_report(name, tmp_path, None, None, tmp_path / "other.csv")
