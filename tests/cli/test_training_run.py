import pytest
import torch

from highwaygraph.cli.training_run import Target, reopen, train_or_reopen, train_run
from highwaygraph.config import Config, Network
from highwaygraph.errors import RunError
from highwaygraph.nn.factory import build_network
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.open import open_run
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph

CONFIG = override(PRESETS["full"], {"fit.epochs": 5, "fit.device": "cpu"})
NETWORK = Network(hidden=16)


def test_a_run_is_reopened_only_if_it_is_the_same(tmp_path) -> None:
    data = block_graph()
    result = train_run(data, NETWORK, CONFIG, Target(tmp_path / "run"), with_baseline=False)
    assert result.baseline is None
    path = tmp_path / "run"
    assert [p.name for p in tmp_path.iterdir()] == ["run"]
    assert torch.equal(reopen(path, CONFIG, NETWORK, data).logits, result.logits)
    for config, network, graph in (
        (override(CONFIG, {"seed": 1}), NETWORK, data),
        (CONFIG, Network(hidden=32), data),
        (CONFIG, NETWORK, block_graph(seed=1)),
    ):
        with pytest.raises(RunError, match="other options or data"):
            reopen(path, config, network, graph)


def test_a_finished_run_is_reopened_without_the_leftovers_of_a_killed_process(tmp_path) -> None:
    data, target = block_graph(), Target(tmp_path / "run", resume=True)
    train_run(data, NETWORK, CONFIG, target, with_baseline=False)
    (tmp_path / ".run.abcd_123.part" / "new").mkdir(parents=True)
    (tmp_path / "run.unfinished" / "highways").mkdir(parents=True)
    train_or_reopen(data, NETWORK, CONFIG, target, with_baseline=False)
    assert [p.name for p in tmp_path.iterdir()] == ["run"]


@pytest.mark.parametrize("preset", ["full", "plus"])
def test_the_baseline_is_typical_training_for_every_preset(tmp_path, preset: str) -> None:
    data, config = block_graph(), override(PRESETS[preset], {"fit.epochs": 5, "fit.device": "cpu"})
    result = train_run(data, NETWORK, config, Target(tmp_path / "run"), with_baseline=True)
    plain = Config(**PRESETS["typical"].model_dump() | {"fit": config.fit})
    expected = train(build_network(NETWORK, data.x.size(1), 3), data, plain)
    assert torch.equal(result.baseline.logits, expected.logits)
    again = open_run(tmp_path / "run").baseline
    assert torch.equal(again.logits, expected.logits)
    assert again.round == expected.rounds[0]
    assert again.history == expected.history
