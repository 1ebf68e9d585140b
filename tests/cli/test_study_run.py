"""Studies behind their command."""

from highwaygraph.cli.study_run import run_study, shipped
from highwaygraph.study.spec import shipped_studies
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
