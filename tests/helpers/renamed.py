"""Calls under names of version 0.1."""

import warnings
from collections.abc import Callable
from typing import Any

from highwaygraph.errors import RenamedWarning


def renamed(call: Callable[[], Any], new: str) -> Any:
    """Return the value of the call, which has to warn exactly once, of this new name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = call()
    assert [one.category for one in caught] == [RenamedWarning]
    assert new in str(caught[0].message)
    return value
