"""Several graphs as one."""

import pytest
import torch
from torch.nn.functional import one_hot
from torch_geometric.data import Data

import highwaygraph as hg
from highwaygraph.errors import DataError
from highwaygraph.graph.graph import as_graph
from highwaygraph.graph.many_graphs import join_graphs, refuse_joining_edges
from highwaygraph.training.propose import pick_anchors, propose_highways
from tests.helpers.graphs import block_graph


def pair(**more) -> Data:
    """Return a graph of two nodes and one edge."""
    return Data(x=torch.ones(2, 3), edge_index=torch.tensor([[0], [1]]), y=torch.tensor([0, 1]), **more)


def test_the_union_has_no_edge_between_graphs_and_keeps_all_values() -> None:
    values = {"edge_weight": torch.tensor([2.0]), "edge_attr": torch.ones(1, 2), "edge_type": torch.tensor([1])}
    first = pair(ids=["a", "b"], train_mask=torch.tensor([True, False]), classes=["x", "y"], **values)
    second = pair(ids=["c", "d"], val_mask=torch.tensor([True, False]), classes=["x", "y"], **values)
    joined = hg.load([first, second])
    assert joined.edge_index.tolist() == [[0, 2], [1, 3]]
    assert joined.graph_id.tolist() == [0, 0, 1, 1]
    assert (joined.ids, joined.classes, joined.y.tolist()) == (["a", "b", "c", "d"], ["x", "y"], [0, 1, 0, 1])
    assert joined.train_mask.tolist() == [True, False, False, False]
    assert joined.val_mask.tolist() == [False, False, True, False]
    assert joined.edge_weight.tolist() == [2, 2]
    assert joined.edge_type.tolist() == [1, 1]
    assert joined.edge_attr.shape == (2, 2)
    refuse_joining_edges(joined)


def test_a_graph_without_labels_is_unlabelled() -> None:
    unlabelled = pair()
    del unlabelled.y
    assert join_graphs([as_graph(pair()), as_graph(unlabelled)]).y.tolist() == [0, 1, -1, -1]


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"x": torch.ones(2, 4)}, r"different numbers of features \(3, 4\)"),
        ({"edge_weight": torch.ones(1)}, "Some of the graphs have edge_weight and some have not"),
        ({"classes": ["x", "y"]}, "Some of the graphs have classes"),
        ({"train_mask": torch.ones(2, 3, dtype=torch.bool)}, "train_mask holds several splits"),
    ],
)
def test_graphs_that_do_not_fit_together_are_refused(more, words) -> None:
    with pytest.raises(DataError, match=words):
        hg.load([pair(), pair().update(more)])


def test_different_names_and_repeated_ids_are_refused() -> None:
    with pytest.raises(DataError, match="different classes"):
        hg.load([pair(classes=["x", "y"]), pair(classes=["y", "x"])])
    with pytest.raises(DataError, match="different numbers of edge features"):
        hg.load([pair(edge_attr=torch.ones(1, 2)), pair(edge_attr=torch.ones(1, 3))])
    with pytest.raises(DataError, match="The id 'a' occurs twice: ids have to be unique over all graphs"):
        hg.load([pair(ids=["a", "b"]), pair(ids=["c", "a"])])
    with pytest.raises(DataError, match="graph_id must hold one integer per node"):
        hg.load(pair(graph_id=torch.tensor([0.5, 1])))


def test_highways_join_nodes_of_different_graphs() -> None:
    data = hg.split(hg.load([block_graph(seed=seed) for seed in range(3)]), by="graph", train=1, val=1)
    config, logits = hg.PRESETS["full"], 10 * one_hot(data.y).float()
    (table,) = propose_highways(logits, data, pick_anchors(data, config), 1, config)
    ends = data.graph_id[table.edges]
    assert bool((ends[0] != ends[1]).any())


def test_a_run_keeps_the_graphs(tmp_path) -> None:
    data = hg.split(hg.load([block_graph(seed=seed) for seed in range(3)]), by="graph", train=1, val=1)
    config = hg.override(hg.PRESETS["typical"], {"fit.epochs": 2})
    result = hg.train(hg.models.build("gcn", data, hidden=8), data, config, progress=False)
    again = hg.open_run(result.save(tmp_path / "run"))
    assert torch.equal(again.data.graph_id, data.graph_id)
    assert torch.equal(again.data.test_mask, data.test_mask)
