import sys

import numpy as np
import pytest

from highwaygraph.errors import ConfigError
from highwaygraph.training.metrics import embed
from tests.helpers.graphs import block_graph


def test_the_embedding_is_deterministic() -> None:
    pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    positions = embed(block_graph().x)
    assert np.array(positions).shape == (180, 2)
    assert positions == embed(block_graph().x)


def test_t_sne_names_the_missing_extra(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "sklearn.manifold", None)
    with pytest.raises(ConfigError, match=r"t-SNE needs scikit-learn: pip install 'highwaygraph\[report\]'"):
        embed(block_graph().x)
