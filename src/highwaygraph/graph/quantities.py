"""Labels that are quantities rather than classes: regression is not supported."""

from collections.abc import Collection

from torch import Tensor

from highwaygraph.errors import DataError

NO_REGRESSION = (
    "regression is not supported, because the loss, pairs and highways compare classes; bin the quantity into classes "
    "instead"
)
"""The reason and the remedy for labels that are quantities."""


MOST_NUMBERS = 30
"""Different numbers above which labels may be a quantity."""


# Labelled nodes per number below which numbers are a quantity, and that for numbers without a gap, as codes are.
FEWEST_NODES, FEWEST_WITHOUT_GAP = 3, 2


def are_quantities(numbers: Collection[int | float], labelled: int) -> bool:
    """Return whether different numbers are rather measured or counted than codes of classes.

    Most of them have decimals, or are whole numbers that few nodes share. Codes of classes with few labels each may be
    as rare, but have no gap between them.

    Args:
        numbers: The different numbers.
        labelled: Number of the nodes that have one.

    Example:
        >>> are_quantities(range(0, 400, 7), 60), are_quantities(range(40), 4000)
        (True, False)
    """
    if len(numbers) <= MOST_NUMBERS:
        return False
    if sum(number % 1 > 0 for number in numbers) > len(numbers) / 2:
        return True
    without_gap = max(numbers) - min(numbers) < len(numbers)
    return labelled < len(numbers) * (FEWEST_WITHOUT_GAP if without_gap else FEWEST_NODES)


def refuse_floats(labels: Tensor) -> None:
    """Refuse whole numbers as floats that are a quantity; integers are the class numbers of PyG.

    Args:
        labels: The labels of the labelled nodes.
    """
    numbers = labels.unique()
    if are_quantities(numbers.tolist(), len(labels)):
        raise DataError(f"data.y holds {len(numbers):,} different floats at {len(labels):,} nodes: {NO_REGRESSION}.")
