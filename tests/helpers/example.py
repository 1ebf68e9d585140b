"""A small run and its facts, shared by the tests of the report."""

from functools import cache

import torch

from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.report.run_data import Facts, read
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph

NASTY = "<script>alert(1)</script>"


@cache
def run(*, beside: bool = True, ids: bool = True) -> Result:
    """Return a trained run on a toy graph, with ids and class names that would like to be markup."""
    data = block_graph()
    if ids:
        data.ids = [NASTY, *(f"node {i}" for i in range(1, data.num_nodes))]
        data.classes = [f"<b>{c}</b>" for c in "abc"]
    quick = {"fit.epochs": 60, "fit.device": "cpu", "highway.joint": False, "highway.keep": "last"}
    ours = train(build("gcn", data), data, override(PRESETS["full"], quick))
    assert ours.highways.size(1)
    return ours.with_baseline(train(build("gcn", data), data, override(PRESETS["typical"], quick))) if beside else ours


@cache
def facts(*, beside: bool = True, ids: bool = True) -> Facts:
    """Return its facts."""
    return read(run(beside=beside, ids=ids))


def without_test(result: Result) -> Result:
    """Return the run as if nothing were held out."""
    data = result.data.clone()
    data.test_mask = torch.zeros_like(data.test_mask)
    return Result(**{**vars(result), "data": data})
