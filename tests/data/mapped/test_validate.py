import pytest
import torch

pytest.importorskip("pandas", reason="pandas is not installed")

import highwaygraph as hg
from highwaygraph.data.mapped.validate import check_edges, check_nodes
from highwaygraph.errors import DataError
from highwaygraph.report import inspection
from tests.helpers.hostile import hostile_stores


def graph(**changes) -> dict[str, torch.Tensor]:
    arrays = {
        "x": torch.ones(3, 2),
        "y": torch.zeros(3, dtype=torch.int32),
        "part": torch.zeros(3, dtype=torch.int8),
        "start": torch.tensor([0, 1, 2, 2]),
        "neighbours": torch.tensor([1, 0], dtype=torch.int32),
        "ids_end": torch.tensor([1, 3, 3]),
        "ids_text": torch.tensor(list("aü".encode()), dtype=torch.uint8),
    }
    return {name: array for name, array in (arrays | changes).items() if array is not None}


def test_a_valid_graph_passes() -> None:
    check_nodes(graph())
    check_edges(graph())
    check_nodes(graph(ids_end=None, ids_text=None, weight=torch.ones(2)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"part": None}, "no array part"),
        ({"ids_end": None}, "ids_end or ids_text"),
        ({"x": torch.ones(2, 2)}, r"x is of type float32 and shape \(2, 2\), with 3 labels"),
        ({"y": torch.zeros(3)}, "y is of type float32"),
        ({"start": torch.tensor([0, 1, 2])}, "start is of type"),
        ({"start": torch.tensor([0, 2, 1, 2])}, "start does not lead from 0 to 2"),
        ({"start": torch.tensor([1, 1, 2, 2])}, "start does not lead"),
        ({"start": torch.tensor([0, 1, 2, 9])}, "start does not lead"),
        ({"part": torch.tensor([0, 4, 0], dtype=torch.int8)}, "part has an entry beyond 0 to 3"),
        ({"ids_end": torch.tensor([1, 2, 3])}, "ids_end divides a letter"),
        ({"ids_end": torch.tensor([-1, 3, 3])}, "ids_end does not lead"),
        ({"ids_text": torch.tensor([97, 255, 255], dtype=torch.uint8)}, "can't decode"),
        ({"weight": torch.ones(3)}, "weight is of type"),
        ({"edge_attr": torch.ones(2)}, "edge_attr is of type"),
        ({"edge_type": torch.ones(2)}, "edge_type is of type"),
    ],
)
def test_a_wrong_array_is_named(changes, message) -> None:
    with pytest.raises(ValueError, match=message):
        check_nodes(graph(**changes))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"neighbours": torch.tensor([1, 3], dtype=torch.int32)}, "neighbours has an entry beyond the 3 nodes"),
        ({"neighbours": torch.tensor([-1, 0], dtype=torch.int32)}, "neighbours has an entry"),
        ({"start": torch.tensor([0, 2, 2, 2])}, "not in ascending order"),
        ({"x": torch.full((3, 2), torch.nan)}, "x has an entry that is NaN"),
        ({"weight": torch.full((2,), torch.inf)}, "weight has an entry that is NaN or infinite"),
    ],
)
def test_a_wrong_edge_or_number_is_named(changes, message) -> None:
    with pytest.raises(ValueError, match=message):
        check_edges(graph(**changes))


@pytest.mark.parametrize("step", [7, pytest.param(1, marks=pytest.mark.slow)])
def test_a_hostile_folder_is_refused_with_a_sentence_or_sound(tmp_path, step) -> None:
    refused = several = 0
    for path in hostile_stores(tmp_path, step):
        try:
            found = hg.load(path)
            inspection.inspect(found)
            assert len(list(found.ids or ())) in (0, 60), path
        except DataError as error:
            refused += len(str(error).splitlines())
            several = max(several, len(str(error).splitlines()))
    assert refused > 400 / step
    assert several == 1


def test_a_neighbour_may_occur_once_per_edge_type() -> None:
    twice = {"start": torch.tensor([0, 2, 4, 4]), "neighbours": torch.tensor([1, 1, 0, 0], dtype=torch.int32)}
    check_edges(graph(**twice, edge_type=torch.tensor([0, 1, 0, 1], dtype=torch.int32)))
    for types, message in (([1, 1, 0, 1], "ascending"), ([-1, 1, 0, 1], "negative")):
        with pytest.raises(ValueError, match=message):
            check_edges(graph(**twice, edge_type=torch.tensor(types, dtype=torch.int32)))
    with pytest.raises(ValueError, match="edge_attr has an entry that is NaN"):
        check_edges(graph(edge_attr=torch.full((2, 1), torch.nan)))
