import pytest
import torch

from highwaygraph.errors import DataError
from highwaygraph.graph.quantities import are_quantities, refuse_floats


@pytest.mark.parametrize(
    ("numbers", "labelled", "expected"),
    [
        ([3.5 * i for i in range(234)], 240, True),
        ([7 * i for i in range(234)], 240, True),
        (range(234), 240, True),
        ([i + 0.5 for i in range(40)], 4000, True),
        # Codes of classes: few of them, many nodes each, or few labels each but numbered without a gap.
        ([7 * i for i in range(30)], 30, False),
        ([7 * i for i in range(40)], 120, False),
        (range(40), 80, False),
        ([7 * i for i in range(40)], 80, True),
    ],
)
def test_numbers_that_few_nodes_share_are_quantities(numbers, labelled, expected) -> None:
    assert are_quantities(numbers, labelled) is expected


def test_floats_of_a_quantity_are_refused() -> None:
    refuse_floats(torch.arange(30).double())
    with pytest.raises(DataError, match="40 different floats at 40 nodes: regression is not supported"):
        refuse_floats(torch.arange(40).double())
