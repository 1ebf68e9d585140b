"""Studies and reports behind their commands."""

from pathlib import Path

import pytest

from highwaygraph.cli.study_run import run_study, shipped, write_report
from highwaygraph.errors import ConfigError, RunError
from highwaygraph.study.spec import shipped_studies
from tests.helpers.example import run
from tests.helpers.grids import write_grid


def test_shipped_studies_are_listed_with_their_progress(tmp_path) -> None:
    found = shipped(tmp_path)
    assert [study["name"] for study in found] == shipped_studies()
    assert all(study["done"] == 0 < study["cells"] for study in found)


def test_only_missing_cells_are_run(tmp_path) -> None:
    name = str(write_grid(tmp_path / "toy.toml", splits=1, seeds=1, epochs=1))
    _, first = run_study(name, {"model": "gcn"}, tmp_path, 1)
    before = (tmp_path / "toy.jsonl").read_bytes()
    _, second = run_study(name, {"model": "gcn"}, tmp_path, 1)
    assert [row.mean for row in first] == [row.mean for row in second]
    assert (tmp_path / "toy.jsonl").read_bytes() == before


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
