import json
import math

import torch

from highwaygraph.graph.augment import add_highways, add_pseudo_labels
from highwaygraph.graph.graph import Graph
from highwaygraph.runs.history import HighwayTable, Round, from_record, to_record


def test_rounds_are_equal_in_everything_but_time() -> None:
    fast, slow = (Round(3, 0.5, 0.4, 2, 1.0, seconds=s) for s in (0.1, 9.0))
    assert fast == slow
    assert "seconds" not in repr(fast)


def test_highways_are_added_in_both_directions_with_weight_one() -> None:
    data = Graph(edge_index=torch.tensor([[0], [1]]), edge_weight=torch.tensor([0.5]), num_nodes=3)
    augmented = add_highways(data, torch.tensor([[0, 0], [1, 2]]))
    assert augmented.edge_index.tolist() == [[0, 0, 1, 2], [1, 2, 0, 0]]
    assert augmented.edge_weight.tolist() == [0.5, 1.0, 1.0, 1.0]
    assert data.edge_index.tolist() == [[0], [1]]


def test_highway_tables_are_concatenated() -> None:
    one = HighwayTable(torch.tensor([[1], [2]]), torch.tensor([1]), torch.tensor([0.9]), torch.tensor([0.8]))
    assert HighwayTable.empty().concatenate(one).concatenate(one).edges.tolist() == [[1, 1], [2, 2]]


def test_nan_is_null_in_json() -> None:
    values = {"test": math.nan, "val": 0.5, "rounds": 3}
    text = json.dumps(to_record(values), allow_nan=False)
    assert json.loads(text) == {"test": None, "val": 0.5, "rounds": 3}
    assert math.isnan(from_record(json.loads(text))["test"])


def test_pseudo_labelled_nodes_train_but_have_no_label_of_their_own() -> None:
    y, train = torch.tensor([0, 1, 1, 0]), torch.tensor([True, True, False, False])
    data = Graph(edge_index=torch.tensor([[0], [1]]), y=y, train_mask=train, num_nodes=4)
    augmented = add_pseudo_labels(data, torch.tensor([[0], [2]]))
    assert augmented.y.tolist() == [0, 1, 0, 0]
    assert augmented.train_mask.tolist() == [True, True, True, False]
    assert augmented.true_label_mask.tolist() == train.tolist()
    assert data.y.tolist() == [0, 1, 1, 0]
    assert add_pseudo_labels(data, torch.empty(2, 0, dtype=torch.long)) is data
    assert augmented.edge_index is data.edge_index
