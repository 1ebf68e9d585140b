"""The sizes of a split in words."""

import highwaygraph as hg
from highwaygraph.graph.split_sizes import split_sizes
from tests.helpers.graphs import block_graph, unsplit_graph


def test_all_three_parts_are_counted() -> None:
    assert split_sizes(hg.split(unsplit_graph(), train=2, val=0)) == "6 train / 0 val / 174 test"
    data = block_graph()
    counts = [int(mask.sum()) for mask in (data.train_mask, data.val_mask, data.test_mask)]
    assert split_sizes(data) == "{} train / {} val / {} test".format(*counts)
