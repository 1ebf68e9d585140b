"""The base of the encoders."""

import numpy as np
import pandas as pd

from highwaygraph.data.tables.column_encoder import ColumnEncoder, Marked, Scaled
from highwaygraph.data.tables.columns import tidy


def test_values_are_scaled_missing_ones_marked_and_unreadable_ones_found() -> None:
    column = tidy(pd.Series(["3", "NA", "word", "inf", ""]))
    values = np.array([3, np.nan, np.nan, np.inf, np.nan])
    features, unreadable = Scaled(mean=1, scale=2, missing=True).scaled(values, column)
    assert features.tolist() == [[1, 0], [0, 1], [0, 1], [0, 1], [0, 1]]
    assert unreadable.tolist() == [False, False, True, False, False]


def test_width() -> None:
    assert (Marked(missing=False).width, Marked(missing=True).width) == (1, 2)
    assert "{name}" in ColumnEncoder.unreadable
