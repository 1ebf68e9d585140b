"""Small models that were trained on all labels after folds."""

from functools import cache

import torch

import highwaygraph as hg
from tests.helpers.graphs import unsplit_graph


@cache
def refitted() -> hg.Result:
    """Return the result of two folds and a training on all labels."""
    config = hg.override(hg.PRESETS["full"], {"fit.epochs": 12, "highway.rounds": 2})
    found = hg.cross_validate(hg.Network(hidden=8), unsplit_graph(), config, folds=2, workers=1, progress=False)
    return found.refit(progress=False)


# Nodes of `few_labels` with a wrong label.
MISLABELLED = (6, 126)


@cache
def few_labels() -> hg.Result:
    """Return the default preset on 48 labels of 180 nodes, two of them wrong, by three folds and on all labels."""
    data = unsplit_graph()
    true, given = data.y, torch.full_like(data.y, -1)
    labelled = (torch.arange(len(true)) % 60 % 3 == 0) & (torch.arange(len(true)) % 60 < 48)
    given[labelled] = true[labelled]
    given[list(MISLABELLED)] = (true[list(MISLABELLED)] + 1) % 3
    data.y = given
    data.classes = ["class_a", "class_b", "class_c"]
    config = hg.override(hg.PRESETS["plus"], {"fit.epochs": 40, "highway.rounds": 3, "highway.keep": "last"})
    found = hg.cross_validate(hg.Network(hidden=16), data, config, folds=3, workers=1, progress=False)
    return found.refit(progress=False)
