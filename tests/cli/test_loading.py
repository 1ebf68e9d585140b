import torch

from highwaygraph.cli.loading import choose_split
from highwaygraph.config import SplitChoice
from tests.helpers.graphs import block_graph


def test_auto_prefers_the_graphs_own_split() -> None:
    data = block_graph()
    auto, random = (SplitChoice(split=how, train=3, val=4) for how in ("auto", "random"))
    assert torch.equal(choose_split(data, auto).train_mask, data.train_mask)
    assert int(choose_split(data, random).train_mask.sum()) == 9
    del data.train_mask, data.val_mask, data.test_mask
    assert int(choose_split(data, auto).val_mask.sum()) == 12
