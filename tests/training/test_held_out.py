"""Predictions that decide: of validation nodes, or out-of-fold."""

import torch

import highwaygraph as hg
from highwaygraph.runs.history import ROUND, TYPICAL
from highwaygraph.training.held_out import HeldOut, judged
from tests.helpers.graphs import block_graph


def test_validation_nodes_decide_where_there_are_any() -> None:
    data = hg.split(block_graph(), 5, 5)
    logits = torch.randn(data.num_nodes, 3)
    assert judged(logits, data, None) == (logits, data)


def test_training_nodes_are_judged_out_of_fold() -> None:
    data, nodes = hg.split(block_graph(), 5, 5), torch.tensor([0, 4])
    logits, ours, typical = torch.zeros(data.num_nodes, 3), torch.ones(2, 3), torch.full((2, 3), 2.0)
    held_out = HeldOut(nodes, torch.tensor([0, 1]), {ROUND: ours, TYPICAL: typical}, (7, 8), 9)
    found = judged(logits, data, held_out)
    assert found.data.val_mask.nonzero().flatten().tolist() == nodes.tolist()
    assert torch.equal(found.logits[nodes], ours)
    assert float(found.logits.sum()) == 6
    assert float(logits.sum()) == 0
    plain = held_out.for_typical()
    assert plain.epochs == (9,)
    assert torch.equal(judged(logits, data, plain).logits[nodes], typical)
