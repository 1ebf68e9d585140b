"""Trainings on several node types."""

from functools import partial

import pytest
from torch import nn

import highwaygraph as hg
from highwaygraph.presets import typical_of
from tests.helpers.hetero_models import Attention, Convs
from tests.helpers.library import library


@pytest.mark.parametrize("build", [Attention, Convs, partial(hg.models.build, "hetero_sage")])
def test_modules_learn_from_the_scaled_features_of_all_types(build) -> None:
    data = hg.split(hg.load(library(240)), train=10, val=10, seed=0)
    source = data if isinstance(build, partial) else hg.hetero_metadata(data)
    model: nn.Module = build(source)
    result = hg.train(model, data, typical_of(hg.PRESETS["plus"]), seed=0, progress=False)
    # Three classes: chance is one third.
    assert result.test > 0.55
