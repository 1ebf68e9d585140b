"""Members of a result under their names of version 0.1."""

# glossary: this file tests former names

from pathlib import Path

import pytest
import torch

import highwaygraph as hg
from tests.helpers.papers import write_papers
from tests.helpers.renamed import renamed
from tests.helpers.trained import named_run


@pytest.mark.parametrize(("old", "new"), [("roads", "highway_table"), ("typical", "baseline"), ("kept", "best_round")])
def test_attributes_of_a_result(old, new) -> None:
    result = named_run()
    found = renamed(lambda: getattr(result, old), f"Result.{new}")
    # The old number of the best round counts from 0.
    assert found == result.best_round - 1 if old == "kept" else found is getattr(result, new)


def test_methods_of_a_result(tmp_path: Path) -> None:
    result = named_run()
    assert renamed(lambda: result.beside(result), "Result.with_baseline").baseline is not None
    assert renamed(result.listed, "Result.edge_list").data.edge_index is result.data.edge_index
    data = hg.split(hg.load(write_papers(tmp_path / "papers", "label")), train=3, val=3)
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2, "fit.device": "cpu"})
    result = hg.train(hg.models.build("gcn", data, hidden=8), data, config)
    schema = renamed(result.known, "Result.schema")
    assert schema.classes == result.schema().classes
    again = renamed(lambda: hg.load(tmp_path / "papers", known=schema), "schema")
    assert torch.equal(again.x, data.x)
    assert renamed(lambda: data.reading, "data.read_log") is data.read_log
