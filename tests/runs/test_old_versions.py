"""Run folders, a converted graph and records written by version 0.1.0 open without a warning."""

import csv
import json
import math
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import highwaygraph as hg
from highwaygraph.cli import main
from highwaygraph.data.mapped.store import verify_mapped_graph
from highwaygraph.runs import folder as run_folder
from highwaygraph.runs.export import ENDINGS, export
from highwaygraph.runs.probabilities import prediction_table
from highwaygraph.study.records import read_records
from highwaygraph.study.spec import cell_key, cells, read_study

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "v0_1_0"
RUNS = ("run-full", "run-plus")


@pytest.fixture(autouse=True)
def _no_warnings() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        warnings.simplefilter("error", FutureWarning)
        yield


@pytest.mark.parametrize("name", RUNS)
def test_a_run_opens_and_predicts_the_stored_classes(name) -> None:
    run_folder.verify(FIXTURES / name)
    result = hg.open_run(FIXTURES / name)
    meta = json.loads((FIXTURES / name / "meta.json").read_text())
    assert result.best_round == meta["kept"] + 1  # glossary: name of version 0.1
    stored = list(csv.DictReader((FIXTURES / name / "predictions.csv").read_text().splitlines()))
    table = prediction_table(result)
    assert table["id"] == [row["id"] for row in stored]
    assert table["class"] == [row["class"] for row in stored]
    # The weights give the stored logits again.
    graph = result.graph if result.config.highway.predict == "highways" else result.data
    torch.testing.assert_close(result.predict_logits(graph), result.logits, atol=1e-5, rtol=1e-4)


@pytest.mark.parametrize("name", RUNS)
def test_epochs_have_the_stored_scores_and_none_that_was_not_stored(name) -> None:
    stored = [json.loads(line) for line in (FIXTURES / name / "history.jsonl").read_text().splitlines()]
    result = hg.open_run(FIXTURES / name)
    assert [epoch.val for epoch in result.history] == [epoch["val"] for epoch in stored]
    assert all(math.isnan(epoch.val_balanced_accuracy) for epoch in (*result.history, *result.baseline.history))


@pytest.mark.parametrize("name", RUNS)
def test_options_of_a_run_have_their_present_names(name) -> None:
    config = hg.open_run(FIXTURES / name).config
    stored = json.loads((FIXTURES / name / "config.json").read_text())["config"]
    assert config.highway.patience == stored["highway"]["tries"]
    assert config.consistency.weight == stored["views"]["weight"]
    assert config.highway.control == "none"


@pytest.mark.parametrize("name", RUNS)
def test_a_run_reads_the_tables_it_was_trained_on(name) -> None:
    result = hg.open_run(FIXTURES / name)
    again = hg.load(FIXTURES / "papers", schema=result.schema())
    assert torch.equal(again.x, result.data.x)
    assert again.ids == result.data.ids


@pytest.mark.parametrize("name", [pytest.param("run-full", marks=pytest.mark.slow), "run-plus"])
def test_a_run_is_reported(name, tmp_path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    run = shutil.copytree(FIXTURES / name, tmp_path / "run")
    with pytest.raises(SystemExit) as ended:
        main(["report", str(run), "--json"])
    assert ended.value.code == 0
    assert (run / "report.html").stat().st_size > 10_000


@pytest.mark.parametrize("kind", ENDINGS)
@pytest.mark.parametrize("name", RUNS)
def test_a_run_is_exported(name, kind, tmp_path) -> None:
    result = hg.open_run(FIXTURES / name)
    assert all(path.exists() for path in export(result, kind, tmp_path / f"graph{ENDINGS[kind]}"))


def test_a_converted_graph_opens_and_verifies() -> None:
    assert verify_mapped_graph(FIXTURES / "graph")
    data, tables = hg.load(FIXTURES / "graph"), hg.load(FIXTURES / "papers")
    assert list(data.ids) == list(tables.ids)
    assert torch.equal(data.y, tables.y)


@pytest.mark.parametrize("path", [FIXTURES / "records.jsonl", ROOT / "results" / "controls.jsonl"])
def test_records_have_present_names_and_match_the_study(path) -> None:
    wanted = {cell_key(cell) for cell in cells(read_study("controls"))}
    records = read_records(path)
    assert records
    assert {cell_key(record.cell) for record in records} <= wanted
    for record in records:
        assert 1 <= record.facts["best_round"] <= len(record.facts["rounds"])
        assert "kept" not in record.facts  # glossary: name of version 0.1
        assert record.facts["cell"] == record.cell
    if path.parent.name == "results":
        assert {cell_key(record.cell) for record in records} == wanted
