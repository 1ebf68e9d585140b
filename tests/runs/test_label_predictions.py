import csv
import json
from dataclasses import replace

import pytest
import torch

import highwaygraph as hg
from highwaygraph.errors import HighwayError
from highwaygraph.report.run_data import read
from highwaygraph.runs.export import export
from highwaygraph.runs.label_predictions import join_labels
from highwaygraph.runs.predictions import write
from highwaygraph.runs.probabilities import probability_table
from highwaygraph.service.app import build_app
from tests.helpers.label_graphs import NAMES, trained_labels


def test_a_run_folder_round_trip(tmp_path) -> None:
    result = trained_labels()
    again = hg.open_run(result.save(tmp_path / "run"))
    assert torch.equal(again.predict(), result.predict())
    assert torch.equal(again.predict_proba(), result.predict_proba())
    assert again.label_thresholds == result.label_thresholds
    assert torch.equal(again.data.y, result.data.y)
    # Another graph, here the same one, is predicted by the answer, fitted again where it is a baseline.
    assert torch.allclose(again.predict_proba(result.data), result.predict_proba(), atol=1e-4)


def test_the_table_has_the_labels_joined_and_a_probability_per_label(tmp_path) -> None:
    result = trained_labels()
    with (result.save(tmp_path / "run") / "predictions.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["id", "labels", "hops", *(f"p_{name}" for name in NAMES)]
    assert [row["labels"] for row in rows] == join_labels(result.predict(), NAMES)
    assert float(rows[7]["p_art"]) == pytest.approx(result.predict_proba()[7, 0].item(), abs=1e-5)
    table = probability_table(result)
    for name in ("again.csv", "again.csv", "again.parquet", "again.parquet"):
        write(table, tmp_path / name)
    assert table["known"] == join_labels(result.data.y, NAMES)
    assert set(table["part"]) == {"train", "val", "test"}


def test_a_damaged_number_of_thresholds_is_refused(tmp_path) -> None:
    folder = trained_labels().save(tmp_path / "run")
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps(meta | {"label_thresholds": [0.5]}))
    (folder / "SHA256SUMS").unlink()
    with pytest.raises(hg.RunError, match="1 label thresholds for 4 outputs"):
        hg.open_run(folder)


def test_what_reads_classes_refuses_with_an_alternative(tmp_path) -> None:
    result = trained_labels()
    other = replace(result, answer=result.answer)
    refused = [
        lambda: read(result),
        lambda: hg.compare_runs({"a": result, "b": other}),
        lambda: hg.explain(result, 3),
        lambda: build_app(result, "t" * 32),
        lambda: export(result, "csv", tmp_path / "export"),
        lambda: probability_table(result, coverage=0.9),
        lambda: hg.suggest(result.data, 3, result=result),
    ]
    for call in refused:
        with pytest.raises(HighwayError, match="not supported for several labels per node: "):
            call()


def test_the_summary_names_the_micro_f1() -> None:
    assert "micro-F1" in repr(trained_labels())
