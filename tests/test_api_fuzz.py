"""Fuzzing of the public API: every call gives an error message or a valid result."""

import subprocess
import sys
import warnings
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor, nn
from torch_geometric.data import Data

import highwaygraph as hg
from highwaygraph.nn.factory import NETWORKS as BUILT_IN

# With highways in the second round, for `plus` too.
QUICK = {"fit.epochs": 2, "fit.min_epochs": 0, "highway.rounds": 2, "highway.start": 2, "fit.device": "cpu"}
ODD = st.sampled_from([None, "word", [1, 2], 3.5, {"a": 1}, torch.tensor(1.0), torch.zeros(0), torch.zeros(2, 2, 2)])


def often(plain: st.SearchStrategy[Any], odd: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return valid values most of the time, so that later checks are reached too."""
    return st.integers(0, 24).flatmap(lambda n: odd if n == 13 else plain)


@st.composite
def features(draw: st.DrawFn, nodes: int) -> Tensor:
    """Return features of any dtype, sometimes with invalid values."""
    kind = draw(st.sampled_from([torch.float32, torch.float64, torch.float16, torch.int64, torch.bool]))
    rows = draw(often(st.just(nodes), st.integers(0, 20)))
    x = torch.randn(rows, draw(st.integers(0, 6)), generator=torch.Generator().manual_seed(draw(st.integers(0, 99))))
    x = (10 * x).to(kind) if draw(st.booleans()) else x.abs().round().to(kind)
    if x.numel() and kind.is_floating_point and draw(st.integers(0, 29)) == 13:
        x[0, 0] = draw(st.sampled_from([float("nan"), float("inf"), -float("inf"), 65504.0]))
    return draw(often(st.just(x), st.just(x.to_sparse())))


@st.composite
def numbers(draw: st.DrawFn, count: int, low: int, high: int) -> Tensor:
    """Return a column of integers in one of several dtypes and shapes."""
    values = draw(st.lists(st.integers(low, high), min_size=count, max_size=count))
    column = torch.tensor(
        values, dtype=draw(often(st.just(torch.int64), st.sampled_from([torch.float32, torch.int32])))
    )
    return draw(often(st.just(column), st.sampled_from([column[:-1], column[:, None], column.repeat(2), column + 0.5])))


@st.composite
def graphs(draw: st.DrawFn) -> Data:
    """Return a graph most of whose attributes are valid."""
    nodes, edges = draw(st.integers(1, 20)), draw(st.integers(0, 30))
    ends = [draw(often(numbers(edges, 0, nodes - 1), numbers(edges, -1, nodes))) for _ in range(2)]
    alike = len({(end.shape, end.dtype) for end in ends}) == 1
    parts: dict[str, Any] = {
        "x": draw(often(features(nodes), ODD)),
        "edge_index": draw(often(st.just(torch.stack(ends) if alike else ends[0]), ODD)),
        "y": draw(often(numbers(nodes, 0, 2), st.one_of(numbers(nodes, -3, 9), ODD))),
    }
    if draw(st.booleans()):
        part = torch.tensor(draw(st.lists(st.integers(0, 3), min_size=nodes, max_size=nodes)))
        for number, name in enumerate(("train_mask", "val_mask", "test_mask")):
            parts[name] = draw(often(st.just(part == number), st.one_of(numbers(nodes, 0, 1), ODD)))
    if draw(st.integers(0, 3)) == 0:
        parts["edge_weight"] = draw(often(st.just(torch.rand(edges)), st.one_of(numbers(edges, -2, 2), ODD)))
    if draw(st.integers(0, 5)) == 0:
        parts["ids"] = draw(often(st.just([f"n{i}" for i in range(nodes)]), ODD))
        parts["classes"] = draw(often(st.just(["a", "b", "c"]), ODD))
    return Data(**parts, num_nodes=draw(often(st.just(nodes), st.integers(0, 20))))


class Broken(nn.Module):
    """A module whose output has a fault."""

    def __init__(self, fault: str) -> None:
        super().__init__()
        self.fault, self.lin = fault, nn.LazyLinear(3)

    def forward(self, x: Tensor, edge_index: Tensor) -> Any:
        """Return logits with the fault."""
        out = self.lin(x)
        wrong = {
            "short": out[:-1], "narrow": out[:, :1], "flat": out.flatten(), "nan": out * float("nan"), "none": None,
            "pair": (out, out), "detached": out.detach(), "whole": out.long(), "endless": out + float("inf"),
        }  # fmt: skip
        return wrong.get(self.fault, out)


FAULTS = ["", "", "short", "narrow", "flat", "nan", "none", "pair", "detached", "whole", "endless"]
OPTIONS = st.dictionaries(
    st.sampled_from([
        "fit.lr", "fit.batch_size", "fit.num_neighbors", "fit.features", "fit.monitor", "fit.patience", "pairs.weight",
        "pairs.strategy", "pairs.limit", "highway.anchors", "highway.node_threshold", "highway.targets",
        "highway.draws", "consistency.num_views", "consistency.temperature", "consistency.drop_nodes",
        "consistency.ramp", "seed", "nothing.such", "fit",
    ]),
    st.one_of(
        st.integers(-3, 70), st.floats(), st.text(max_size=5), st.none(), st.booleans(), st.just((2, 2)),
        st.sampled_from(["auto", "row", "binary", "loss", "partners", "anchors", "random", "remote", "close", "lead"]),
    ),
    max_size=2,
)  # fmt: skip


def outcome(data: Any, options: dict[str, Any], preset: str, network: str) -> str:
    """Return "refused" for an error message and "trained" for a valid result; fail on anything else."""
    try:
        config = hg.override(hg.PRESETS[preset], QUICK | options)
        ready = data if "train_mask" in data else hg.split(data, train=1, val=1, seed=0, small_classes="share")
        own = network.startswith("own")
        model = Broken(network.removeprefix("own ")) if own else hg.models.build(network, ready, hidden=4)
        result = hg.train(model, ready, config)
    except hg.HighwayError as error:
        message = str(error)
        assert message
        assert "\n" not in message
        return "refused"
    probs = result.predict_proba()
    assert len(probs) == len(result.data.x)
    assert probs.isfinite().all()
    assert torch.allclose(probs.sum(dim=1), torch.ones(len(probs)), atol=1e-4)
    return "trained"


NETWORKS = st.sampled_from([*BUILT_IN, *(f"own {fault}" for fault in FAULTS)])


PRESETS = ("plus", "full", "typical")


def fuzz(count: int) -> dict[str, int]:
    """Make so many calls and count their outcomes."""
    outcomes = {"refused": 0, "trained": 0}

    @settings(
        max_examples=count, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
    )
    @given(graphs(), st.one_of(st.just({}), st.just({}), OPTIONS), st.sampled_from(PRESETS), NETWORKS)
    def one(data: Data, options: dict[str, Any], preset: str, network: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcomes[outcome(data, options, preset, network)] += 1

    one()
    return outcomes


def test_random_calls() -> None:
    outcomes = fuzz(60)
    assert outcomes["refused"]
    assert outcomes["trained"]


@pytest.mark.slow
def test_many_random_calls() -> None:
    assert sum(fuzz(2000).values()) >= 2000


INVALID_GRAPHS = """
import torch, highwaygraph as hg
from torch_geometric.data import Data, HeteroData
hetero = HeteroData()
hetero["paper"].x, hetero["paper"].y = torch.rand(4, 2), torch.tensor([0, 1, 0, 1])
hetero["author"].x, hetero["author"].y = torch.rand(4, 2), torch.tensor([0, 1, 0, 1])
hetero["paper", "by", "author"].edge_index = torch.zeros(2, 4, dtype=torch.long)
data = hg.split(hg.load("cora"), seed=0)
config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 1})
result = hg.train(hg.models.build("gcn", data, hidden=2), data, config, progress=False)
calls = (
    hg.load, hg.split, hg.suggest, hg.HighwayClassifier().fit, hg.hetero_metadata, hg.transforms.AddHighways(result),
    lambda graph: hg.train(torch.nn.Identity(), graph), lambda graph: hg.models.build("gcn", graph),
    lambda graph: hg.use_split(graph, 0), lambda graph: hg.choose_network(graph, hg.Network(model="auto"), config),
    lambda graph: hg.cross_validate("gcn", graph), lambda graph: result.predict(graph if graph is not None else 3),
    lambda graph: hg.with_labels(graph, "labels.csv"),
)
trained = torch.rand(4, 2, requires_grad=True)
plain = Data(x=trained, y=torch.tensor([0, 1, 0, 1]), edge_index=torch.zeros(2, 4, dtype=torch.long))
others = (None, 3, "nothing.here", [1, 2], {"x": 1}, torch.zeros(3), torch.nn.Linear(1, 1))
for thing in (*others, hetero, [hetero], [plain]):
    for call in calls:
        try:
            call(thing)
        except hg.HighwayError as error:
            assert str(error)
        else:
            raise SystemExit(f"{thing} was accepted as a graph")
for thing in (None, 3, data, model := result.model):
    compare = lambda run: hg.compare_runs({"one": run, "other": run})
    suggest = lambda run: hg.suggest(data, 2, run, labels="train") if run is not None else hg.suggest(None)
    explain, nodes = lambda run: hg.explain(run, 3), lambda run: hg.explain_nodes(run, [3])
    for call in (hg.open_run, explain, nodes, hg.compare_runs, compare, suggest, hg.transforms.AddHighways):
        try:
            call(thing)
        except hg.HighwayError as error:
            assert "\\n" not in str(error)
        else:
            raise SystemExit(f"{thing} was accepted as a run")
"""


def test_invalid_graphs_are_refused() -> None:
    # In a process of its own: in this one, jaxtyping checks the types first.
    made = subprocess.run([sys.executable, "-c", INVALID_GRAPHS], capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stderr
