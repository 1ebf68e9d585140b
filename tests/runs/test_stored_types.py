"""Several node types in a run folder."""

import pytest
import torch

import highwaygraph as hg
from highwaygraph.errors import DataError
from highwaygraph.runs.stored_types import StoredTypes, other_type_record, other_type_tensors, read_other_types
from tests.helpers.graphs import block_graph
from tests.helpers.library import library


@pytest.fixture(scope="module")
def result() -> hg.Result:
    data = hg.split(hg.load(library(60)), train=5, val=5)
    config = hg.override(hg.PRESETS["plus"], {"fit.epochs": 4, "fit.min_epochs": 1, "highway.rounds": 2})
    return hg.train(hg.models.build("hetero_sage", data, hidden=8), data, config, progress=False)


def test_a_run_opens_with_the_same_logits_and_predicts_again(result, tmp_path) -> None:
    again = hg.open_run(result.save(tmp_path / "run"))
    assert torch.equal(again.logits, result.logits)
    assert hg.hetero_metadata(again.data) == hg.hetero_metadata(result.data)
    assert set(again.data.hetero.scaling) == {"author", "venue"}
    for run in (result, again):
        assert torch.allclose(run.predict_logits(hg.load(library(60))), result.logits, atol=1e-5)
    assert (tmp_path / "run" / "predictions.csv").read_text().splitlines()[1].startswith("p0,")
    assert again.graph.hetero is again.data.hetero


def test_a_graph_of_one_type_is_refused_by_such_a_run(result) -> None:
    other = hg.load(library(60))
    del other["hetero"]
    with pytest.raises(DataError, match="other node types, relations or features"):
        result.predict(other)
    with pytest.raises(DataError, match="New nodes are not supported for several node types"):
        result.schema(attach=True)


def test_damaged_types_are_refused(result) -> None:
    data = result.data
    stored, tensors = StoredTypes(**other_type_record(data)), other_type_tensors(data)
    read_other_types(data, stored, tensors)
    with pytest.raises(ValueError, match="the edges author-writes-paper lead to nodes that do not exist"):
        read_other_types(data, stored, tensors | {"hetero_edges_0": tensors["hetero_edges_0"] + 1000})
    with pytest.raises(ValueError, match="lead to nodes that do not exist"):
        read_other_types(data, stored, tensors | {"hetero_edges_0": torch.zeros(3)})
    with pytest.raises(ValueError, match="the relation of highways is missing"):
        read_other_types(data, stored.model_copy(update={"own": []}), tensors)
    with pytest.raises(ValueError, match="hetero_0_scaling_factor of shape"):
        read_other_types(data, stored, tensors | {"hetero_0_scaling_factor": torch.ones(9)})
    assert (other_type_record(block_graph()), other_type_tensors(block_graph())) == (None, {})
