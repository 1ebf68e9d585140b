"""The stored choice of whole graph or mini-batches."""

from pathlib import Path

import pytest
import torch

from highwaygraph.errors import RunError
from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.history import Epoch
from highwaygraph.training import size
from highwaygraph.training.engine import train
from highwaygraph.training.sized_config import FILE, same_choices, with_size
from tests.helpers.graphs import block_graph

CONFIG = override(PRESETS["plus"], {"fit.epochs": 4, "fit.min_epochs": 0, "highway.rounds": 2, "fit.device": "cpu"})


class Stop(Exception):
    """Interrupts a training."""


def test_a_resumed_run_repeats_the_choice_whatever_memory_there_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = block_graph()
    model = build("gcn", data, hidden=8)
    monkeypatch.setattr(size, "available_bytes", lambda _: 0.0)
    whole = train(model, data, CONFIG, progress=False)

    def stop(epoch: Epoch) -> None:
        if (epoch.round, epoch.epoch) == (2, 3):
            raise Stop

    with pytest.raises(Stop):
        train(model, data, CONFIG, on_epoch=stop, checkpoint=tmp_path, progress=False)
    monkeypatch.setattr(size, "available_bytes", lambda _: 1e15)
    resumed = train(model, data, CONFIG, checkpoint=tmp_path, progress=False)
    assert resumed.config.fit.batch_size == 64
    assert torch.equal(resumed.logits, whole.logits)


def test_a_choice_without_checkpoints_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = block_graph()
    model = build("gcn", data, hidden=8)
    monkeypatch.setattr(size, "available_bytes", lambda _: 0.0)
    assert with_size(model, data, CONFIG, tmp_path, shown=False).fit.batch_size == 64
    monkeypatch.setattr(size, "available_bytes", lambda _: 1e15)
    assert with_size(model, data, CONFIG, tmp_path, shown=False).fit.batch_size == 0


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"fit.lr": 1, "fit.batch_size": 0}', "{'"])
def test_a_damaged_choice_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "00000001-x.safetensors").touch()
    (tmp_path / FILE).write_text(text)
    data = block_graph()
    with pytest.raises(RunError, match="is damaged"):
        with_size(build("gcn", data, hidden=8), data, CONFIG, tmp_path)


def test_a_finished_run_is_the_same_with_its_choices_and_no_others() -> None:
    finished = override(CONFIG, {"fit.batch_size": 64, "fit.max_batches": 1, "highway.draws": 1, "fit.factor": 3.5})
    assert same_choices(CONFIG, finished) == finished
    assert same_choices(override(CONFIG, {"fit.factor": 2.0}), finished) != finished
    assert same_choices(override(CONFIG, {"fit.batch_size": 0}), finished) != finished
