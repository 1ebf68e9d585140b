from pathlib import Path

import numpy as np
import pytest

from highwaygraph.data.load import load
from highwaygraph.errors import DataError
from highwaygraph.graph.fingerprint import split_hash
from highwaygraph.graph.splits import split_in_proportion
from highwaygraph.presets import PRESETS
from highwaygraph.study.cell import run_cell
from highwaygraph.study.spec import Study, cells
from tests.helpers.graphs import block_graph


def study(tmp_path: Path, **changes) -> Study:
    data = block_graph()
    masks = {name: data[name].numpy() for name in ("train_mask", "val_mask", "test_mask")}
    np.savez(tmp_path / "toy.npz", x=data.x.numpy(), edge_index=data.edge_index.numpy(), y=data.y.numpy(), **masks)
    grid = {"dataset": [str(tmp_path / "toy.npz")], "model": ["gcn"], "preset": ["full"], "split": [0], "seed": [0]}
    facts = {"name": "toy", "title": "A toy", "protocol": "random", "train": 5, "val": 10}
    return Study(**facts | {"grid": grid, "options": {"fit.epochs": 30, "fit.patience": 30}} | changes)


def test_the_facts_of_a_cell(tmp_path) -> None:
    toy = study(tmp_path)
    facts = run_cell(toy, cells(toy)[0])
    assert 0.5 < facts["test"] <= 1
    assert facts["epoch_ms"] > 0
    assert 0 < facts["train_seconds"] < facts["seconds"]
    assert facts["config"]["network"]["model"] == "gcn"
    assert "peak_mib" not in facts
    assert 1 <= facts["best_round"] <= len(facts["rounds"])
    assert "kept" not in facts  # glossary: name of version 0.1
    timed = run_cell(study(tmp_path, timed=True), cells(toy)[0])
    assert timed["peak_mib"] >= 0
    assert timed["test"] == facts["test"]


def test_the_public_protocol_uses_the_masks_of_the_file(tmp_path) -> None:
    toy, public = study(tmp_path), study(tmp_path, protocol="public")
    assert run_cell(toy, cells(toy)[0])["split_hash"] != run_cell(public, cells(toy)[0])["split_hash"]


def test_a_source_adds_its_highways_for_another_network(tmp_path) -> None:
    toy = study(tmp_path, options={"fit.epochs": 30, "highway.keep": "last"})
    cell = cells(toy)[0]
    source = run_cell(toy, cell)
    typical = cell | {"preset": "typical", "model": "sage"}
    plain, augmented = (run_cell(toy, typical | {"source": name}) for name in ("original", "gcn"))
    assert source["highways"] > 0
    assert plain["data_hash"] != augmented["data_hash"]
    assert plain["split_hash"] == augmented["split_hash"]
    # Distances are those of the original graph.
    assert [h["nodes"] for h in plain["hops"]] == [h["nodes"] for h in augmented["hops"]]
    assert augmented["highways"] == 0


def test_an_embedding_has_a_position_for_every_node(tmp_path) -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    toy = study(tmp_path, embedding=True)
    facts = run_cell(toy, cells(toy)[0])
    assert np.array(facts["embedding"]).shape == (180, 2)
    assert 0 < facts["separation"] < 1


def test_small_classes_are_refused_unless_shared(tmp_path) -> None:
    toy = study(tmp_path, train=50, val=30, options={"fit.epochs": 3})
    with pytest.raises(DataError, match="fewer than the 50 \\+ 30"):
        run_cell(toy, cells(toy)[0])
    shared = toy.model_copy(update={"small_classes": "share"})
    assert run_cell(shared, cells(toy)[0])["test"] > 0


def test_labels_in_the_proportions_of_the_graph(tmp_path) -> None:
    sizes = {"dataset": str(tmp_path / "toy.npz"), "train": 30, "val": 60, "per": "graph"}
    toy = study(tmp_path, sizes=[sizes], options={"fit.epochs": 3})
    expected = split_in_proportion(load(tmp_path / "toy.npz"), 30, 60, seed=0)
    assert run_cell(toy, cells(toy)[0])["split_hash"] == split_hash(expected)


def test_all_presets_may_have_the_fit_of_one(tmp_path) -> None:
    toy = study(tmp_path, fit_as="plus", options={"fit.epochs": 3, "fit.min_epochs": 0, "fit.patience": 3})
    facts = run_cell(toy, cells(toy)[0] | {"preset": "typical"})
    assert facts["config"]["fit"]["monitor"] == PRESETS["plus"].fit.monitor != PRESETS["typical"].fit.monitor
    assert (facts["config"]["fit"]["epochs"], facts["config"]["pairs"]["weight"]) == (3, 0.0)


@pytest.mark.parametrize("model", ["gcn", "sage"])
def test_weights_are_left_out_for_networks_that_take_none(tmp_path, model) -> None:
    pytest.importorskip("pandas", reason="pandas is not installed")
    toy = study(tmp_path, options={"fit.epochs": 3})
    cell = cells(toy)[0] | {"dataset": "tables/sensors", "model": model}
    assert run_cell(toy, cell)["test"] > 0
