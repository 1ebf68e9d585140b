"""Runs on one toy graph with known predictions, and their variants, shared by the tests of comparisons."""

from dataclasses import replace

import torch
from torch import Tensor

from highwaygraph.graph.graph import Graph
from highwaygraph.options import override
from highwaygraph.runs.result import Result
from tests.helpers.example import run


def with_predictions(result: Result, predicted: Tensor) -> Result:
    """Return the run with these predicted classes and the accuracies that follow."""
    logits, data = torch.nn.functional.one_hot(predicted, 3).float(), result.data
    val, test = (float((predicted == data.y)[data[name]].double().mean()) for name in ("val_mask", "test_mask"))
    rounds = tuple(replace(each, val=val, test=test) for each in result.rounds)
    return replace(result, logits=logits, rounds=rounds, baseline=None)


def with_data(result: Result, **changes: Tensor) -> Result:
    """Return the run on a copy of its graph with other tensors."""
    data: Graph = result.data.clone()
    data.update(changes)
    return replace(result, data=data)


def two_runs() -> dict[str, Result]:
    """Return two runs: of the 120 test nodes, the second corrects 10, breaks 4, and changes 3 from wrong to wrong."""
    data = run().data
    test, y = data.test_mask.nonzero().flatten(), data.y
    before, after = y.clone(), y.clone()
    before[test[:10]] = (y[test[:10]] + 1) % 3
    after[test[10:14]] = (y[test[10:14]] + 1) % 3
    both = test[14:17]
    before[both], after[both] = (y[both] + 1) % 3, (y[both] + 2) % 3
    # Two training nodes: they are changed, but not evaluated.
    training = data.train_mask.nonzero().flatten()[:2]
    after[training] = (y[training] + 1) % 3
    second = replace(run(), config=override(run().config, {"fit.lr": 0.5}))
    return {"first": with_predictions(run(), before), "second": with_predictions(second, after)}
