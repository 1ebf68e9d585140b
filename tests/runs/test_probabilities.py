"""Columns of `highway predict`: calibrated probabilities, the known label, its part and the prediction set."""

import pytest

import highwaygraph as hg
from highwaygraph.runs.calibrated import calibrated_probs
from highwaygraph.runs.probabilities import prediction_table, probability_table
from tests.helpers.graphs import block_graph
from tests.helpers.refitted import refitted


def test_columns_of_the_training_graph() -> None:
    data = block_graph()
    data.y[0] = -1
    data.train_mask[0] = data.val_mask[0] = data.test_mask[0] = False
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 3})
    result = hg.train(hg.models.build("gcn", data), data, config, progress=False)
    table = probability_table(result, coverage=0.9)
    assert list(table)[:5] == ["id", "class", "confidence", "label", "part"]
    assert list(table)[-4:] == ["set", "p_0", "p_1", "p_2"]
    assert table["part"][0] == "none"
    assert table["label"][0] == ""
    for name in ("train", "val", "test"):
        assert table["part"].count(name) == int(data[f"{name}_mask"].sum())
    probs = calibrated_probs(result)
    for node in (0, 5, 100):
        row = [table[f"p_{c}"][node] for c in range(3)]
        assert row == pytest.approx(probs[node].tolist(), abs=1e-6)
        assert table["confidence"][node] == max(row)
        assert table["class"][node] in table["set"][node].split("; ")


def test_the_table_of_a_run_folder_is_calibrated() -> None:
    result = refitted()
    table = prediction_table(result)
    assert table["confidence"] == probability_table(result)["confidence"]
    assert table["confidence"] == pytest.approx(calibrated_probs(result).max(dim=1).values.tolist(), abs=1e-6)
    assert list(prediction_table(result, block_graph(seed=1))) == ["id", "class", "confidence"]


def test_another_graph_has_no_known_labels() -> None:
    table = probability_table(refitted(), block_graph(seed=1))
    assert "label" not in table
    assert "set" not in table
    assert len(table["p_0"]) == 180
