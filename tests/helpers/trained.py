"""A finished run with ids and class names that need escaping, shared by tests."""

from functools import cache

from highwaygraph.models import build
from highwaygraph.options import override
from highwaygraph.presets import PRESETS
from highwaygraph.runs.result import Result
from highwaygraph.training.engine import train
from tests.helpers.graphs import block_graph

CONFIG = override(PRESETS["full"], {"fit.epochs": 40, "fit.lr": 0.03, "highway.keep": "last", "fit.device": "cpu"})


@cache
def named_run() -> Result:
    """Return the run."""
    data = block_graph()
    data.ids = [f"node <{i}>, text" for i in range(180)]
    data.classes = ["red", "green, dark", "blue"]
    data.name = "toy"
    return train(build("gcn", data, hidden=16), data, CONFIG, seed=5)
