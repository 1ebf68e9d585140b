"""The trainings whose logits are recorded: every preset with every built-in network, and the other ways to train."""

import json
import tempfile
import warnings
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path

import torch
from torch import Tensor
from torch_geometric.data import Data
from torch_geometric.nn import GraphSAGE

import highwaygraph as hg
from highwaygraph.errors import HighwayWarning
from highwaygraph.study.cell import run_cell
from highwaygraph.study.spec import cells, read_study

NETWORKS = ("gcn", "gat", "sage", "hyper", "graphmix", "grand")
PRESETS = ("typical", "without-explicit", "without-joint", "full", "consistent", "plus")
# Thresholds so low that highways are added after a few epochs, and patience for all rounds.
SHORT = {
    "fit.epochs": 3,
    "fit.min_epochs": 0,
    "fit.patience": 3,
    "fit.device": "cpu",
    "highway.node_threshold": 0.1,
    "highway.pair_threshold": 0.5,
    "highway.patience": 5,
    "highway.keep": "last",
    # The recipe of version 0.1: rows of word counts divided by their sum, the pair loss of Eq. 11, and no candidate.
    "select.typical": False,
    "select.baselines": False,
}
BATCHES = {"fit.batch_size": 64, "fit.num_neighbors": (5, 3)}
STUDY = """
title = "Golden"
protocol = "random"
train = 5
val = 5
options = { "fit.epochs" = 4, "network.hidden" = 8, "highway.rounds" = 2 }

[grid]
dataset = ["cora"]
model = ["gcn"]
preset = ["full"]
split = [0]
seed = [0]
"""


@cache
def cora() -> Data:
    """Return the embedded Cora with a random split."""
    return hg.split(hg.load("cora"), train=20, val=30, seed=0)


def _short(preset: str, **options: object) -> hg.Config:
    config = hg.PRESETS[preset]
    rows = {"fit.features": "row"} if config.fit.features == "auto" else {}
    pairs = {"pairs.weight": 0.1, "pairs.scale": "none"} if config.pairs.scale == "node" else {}
    return hg.override(config, SHORT | rows | pairs | options)


def train(network: str, preset: str, **options: object) -> Tensor:
    """Return the logits of a short run."""
    model = hg.models.build(network, cora(), hidden=16)
    with warnings.catch_warnings():
        # After three epochs some put all nodes in one class.
        warnings.simplefilter("ignore", HighwayWarning)
        return hg.train(model, cora(), _short(preset, **options), seed=7).logits


def whole_graph() -> Iterator[tuple[str, Tensor]]:
    """Yield the runs on the whole graph."""
    for network, preset in product(NETWORKS, PRESETS):
        yield f"whole graph, {network}, {preset}", train(network, preset)


def mini_batches(processes: int = 1, networks: tuple[str, ...] = NETWORKS) -> Iterator[tuple[str, Tensor]]:
    """Yield the runs in mini-batches; GraphMix trains on the whole graph only."""
    for network, preset in product(networks, PRESETS):
        if network != "graphmix":
            yield f"mini-batches, {processes} processes, {network}, {preset}", train(network, preset, **BATCHES)


def others() -> Iterator[tuple[str, Tensor]]:
    """Yield a user's module, a resumed run, a study cell and a converted graph."""
    for preset in ("full", "plus"):
        yield f"own module, {preset}", _own_module(preset)
    yield "resumed run", _resumed()
    yield "study cell", _study_cell()
    yield from _converted()


def _own_module(preset: str) -> Tensor:
    data = cora()
    torch.manual_seed(0)
    model = GraphSAGE(data.x.size(1), 16, num_layers=2, out_channels=7, dropout=0.5)
    return hg.train(model, data, _short(preset, **{"fit.sparse_features": False}), seed=7).logits


def _resumed() -> Tensor:
    config = hg.override(hg.PRESETS["full"], SHORT)
    model = hg.models.build("gat", cora(), hidden=16)
    with tempfile.TemporaryDirectory() as folder:
        _interrupt(model, config, folder)
        return hg.train(model, cora(), config, seed=7, checkpoint=folder).logits


def _interrupt(model: torch.nn.Module, config: hg.Config, folder: str) -> None:
    def stop(epoch: hg.Epoch) -> None:
        if (epoch.round, epoch.epoch) == (2, 2):
            raise KeyboardInterrupt

    try:
        hg.train(model, cora(), config, seed=7, on_epoch=stop, checkpoint=folder)
    except KeyboardInterrupt:
        return
    raise AssertionError("the run has to be interrupted in its second round")


def _study_cell() -> Tensor:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "golden.toml"
        path.write_text(STUDY)
        study = read_study(str(path))
        facts = run_cell(study, cells(study)[0])
    numbers = [facts["val"], facts["test"], *(hop["accuracy"] or 0.0 for hop in facts["hops"])]
    return torch.tensor([numbers], dtype=torch.double)


def _converted() -> Iterator[tuple[str, Tensor]]:
    with tempfile.TemporaryDirectory() as folder:
        data = hg.convert(cora(), Path(folder) / "graph")
        arrays = json.loads((Path(folder) / "graph" / "graph.json").read_text())["digest"]
        yield "converted graph, arrays", torch.tensor([[int(arrays[i : i + 8], 16) for i in range(0, 64, 8)]]).double()
        model = hg.models.build("gcn", data, hidden=16)
        config = hg.override(hg.PRESETS["full"], SHORT | BATCHES)
        yield "converted graph, logits", hg.train(model, data, config, seed=7).logits
