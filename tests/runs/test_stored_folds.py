"""Out-of-fold predictions in a run folder: read as they were written, or refused."""

import json
from pathlib import Path

import pytest
import torch

import highwaygraph as hg
from highwaygraph.errors import RunError
from highwaygraph.runs.folder import CHECKSUMS
from tests.helpers.graphs import unsplit_graph
from tests.helpers.refitted import refitted


def test_a_run_keeps_its_folds(tmp_path: Path) -> None:
    result = refitted()
    again = hg.open_run(result.save(tmp_path / "run"))
    assert result.folds is not None
    assert again.folds is not None
    assert again.folds.folds == result.folds.folds
    for name in ("nodes", "labels", "fold", "logits", "typical"):
        assert torch.equal(getattr(again.folds, name), getattr(result.folds, name))
    other = unsplit_graph()
    assert torch.equal(again.predict(other), result.predict(other))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"nodes": 1}, "other numbers of nodes"),
        ({"accuracy": 2.0}, "accuracy"),
        ({"epochs": []}, "epochs"),
        ({"number": 3}, "other numbers of nodes"),
    ],
)
def test_damaged_records_are_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    path = refitted().save(tmp_path / "run")
    records = json.loads((path / "folds.json").read_text())
    records[0] |= change
    (path / "folds.json").write_text(json.dumps(records))
    (path / CHECKSUMS).unlink()
    with pytest.raises(RunError, match=f"damaged.*{message}"):
        hg.open_run(path)


def test_missing_records_are_refused(tmp_path: Path) -> None:
    path = refitted().save(tmp_path / "run")
    (path / "folds.json").unlink()
    (path / CHECKSUMS).unlink()
    with pytest.raises(RunError, match="damaged.*val_mask is empty"):
        hg.open_run(path)
