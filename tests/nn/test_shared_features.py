"""Features that two nodes share."""

import pytest
import torch

from highwaygraph.nn import shared_features as module
from highwaygraph.nn.shared_features import shared_features


@pytest.mark.parametrize("entries", [2**22, 30])
def test_parts_sum_to_the_cosine_similarity_and_the_largest_are_named(entries, monkeypatch) -> None:
    monkeypatch.setattr(module, "CHUNK_ENTRIES", entries)
    rng = torch.Generator().manual_seed(0)
    x, edges = torch.randn(20, 6, generator=rng), torch.randint(20, (2, 33), generator=rng)
    found = shared_features(x, edges)
    torch.testing.assert_close(found.similarity, torch.cosine_similarity(x[edges[0]], x[edges[1]], dim=1))
    for (source, target), columns in zip(edges.T.tolist(), found.columns.tolist(), strict=True):
        parts = x[source] * x[target]
        positive = [i for i in parts.argsort(descending=True).tolist() if parts[i] > 0][:3]
        assert columns == positive + [-1] * (3 - len(positive))


def test_no_edges_and_empty_rows() -> None:
    assert shared_features(torch.zeros(2, 4), torch.empty(2, 0, dtype=torch.long)).similarity.shape == (0,)
    found = shared_features(torch.zeros(2, 4), torch.tensor([[0], [1]]))
    assert (found.similarity.tolist(), found.columns.tolist()) == ([0.0], [[-1, -1, -1]])
