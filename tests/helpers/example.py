"""A small run and the data of its page, shared by the tests of the report."""

from dataclasses import replace
from functools import cache

import torch

from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.report.run_data import RunData, read
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph

NASTY = "<script>alert(1)</script>"


@cache
def run(*, baseline: bool = True, ids: bool = True) -> Result:
    """Return a trained run on a toy graph, with ids and class names that contain markup."""
    data = block_graph()
    if ids:
        data.ids = [NASTY, *(f"node {i}" for i in range(1, data.num_nodes))]
        data.classes = [f"<b>{c}</b>" for c in "abc"]
    quick = {"fit.epochs": 60, "fit.device": "cpu", "highway.joint": False, "highway.keep": "last"}
    ours = train(build("gcn", data), data, override(PRESETS["full"], quick))
    assert ours.highways.size(1)
    return (
        ours.with_baseline(train(build("gcn", data), data, override(PRESETS["typical"], quick))) if baseline else ours
    )


@cache
def run_data(*, baseline: bool = True, ids: bool = True) -> RunData:
    """Return the data of its page."""
    return read(run(baseline=baseline, ids=ids))


def rescued_run() -> Result:
    """Return the run beside a typical training that misclassifies every second node."""
    result = run()
    classes = result.data.y.clone()
    classes[::2] = (classes[::2] + 1) % 3
    assert result.baseline is not None
    logits = torch.nn.functional.one_hot(classes, 3).float()
    return replace(result, baseline=replace(result.baseline, logits=logits))


def without_test(result: Result) -> Result:
    """Return the run without test nodes."""
    data = result.data.clone()
    data.test_mask = torch.zeros_like(data.test_mask)
    return Result(**{**vars(result), "data": data})
