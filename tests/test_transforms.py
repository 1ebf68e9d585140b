import pytest
import torch
from torch_geometric.transforms import Compose, NormalizeFeatures

import highwaygraph as hg
from highwaygraph.errors import DataError
from tests.helpers.example import run
from tests.helpers.graphs import block_graph


def test_highways_are_added_in_a_pyg_pipeline(tmp_path) -> None:
    path = run().save(tmp_path / "run")
    data = Compose([NormalizeFeatures(), hg.transforms.AddHighways(path)])(block_graph())
    assert torch.equal(data.edge_index, run().graph.edge_index)
    assert block_graph().edge_index.size(1) < data.edge_index.size(1)
    assert repr(hg.transforms.AddHighways(run())) == f"AddHighways({run().highways.size(1):,} highways)"


def test_another_graph_is_refused() -> None:
    with pytest.raises(DataError, match="180 nodes, this one 90"):
        hg.transforms.AddHighways(run())(block_graph(size=30))
