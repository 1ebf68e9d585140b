"""A small model that was trained on all labels after folds."""

from functools import cache

import highwaygraph as hg
from tests.helpers.graphs import unsplit_graph


@cache
def refitted() -> hg.Result:
    """Return the result of two folds and a training on all labels."""
    config = hg.override(hg.PRESETS["full"], {"fit.epochs": 12, "highway.rounds": 2})
    found = hg.cross_validate(hg.Network(hidden=8), unsplit_graph(), config, folds=2, workers=1, progress=False)
    return found.refit(progress=False)
