"""The base of the encoders."""

import numpy as np
import pandas as pd
import pytest

from highwaygraph.data.tables.column_encoder import ColumnEncoder
from highwaygraph.data.tables.encoders import Flag, Number
from highwaygraph.data.tables.tidy import tidy


def test_values_are_scaled_missing_ones_marked_and_unreadable_ones_found() -> None:
    column = tidy(pd.Series(["3", "NA", "word", "inf", ""]))
    values = np.array([3, np.nan, np.nan, np.inf, np.nan])
    features = np.zeros((5, 2), dtype=np.float32)
    unreadable = Number(mean=1, scale=2, missing=True).write_scaled(values, column, features)
    assert features.tolist() == [[1, 0], [0, 1], [0, 1], [0, 1], [0, 1]]
    assert unreadable.tolist() == [False, False, True, False, False]


def test_width() -> None:
    assert (Flag(missing=False).width, Flag(missing=True).width) == (1, 2)
    assert all("{name}" in encoder.unreadable for encoder in (ColumnEncoder, Number, Flag))
    with pytest.raises(TypeError, match="abstract"):
        ColumnEncoder()
