import sys

import numpy as np
import pytest

from highwaygraph.errors import ConfigError
from highwaygraph.training.metrics import embed
from tests.helpers.graphs import block_graph


def test_every_node_has_a_place_and_always_the_same() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    places = embed(block_graph().x)
    assert np.array(places).shape == (180, 2)
    assert places == embed(block_graph().x)


def test_t_sne_says_what_it_needs(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.manifold", None)
    with pytest.raises(ConfigError, match=r"t-SNE needs scikit-learn: pip install 'highwaygraph\[report\]'"):
        embed(block_graph().x)
